"""A default crawl for a topic in a language without blanks finds about as many pages as in the same web in English."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec
import pytest

import lycosa
from lycosa.archive.warc import WarcArchive
from lycosa.model.records import Response
from lycosa.web.made.graph_web import GraphWeb, WebShape

WEB = GraphWeb(WebShape(pages=900, hosts=20, topical=0.12, robots=0.0), seed=11)
PAGES = 120
SYLLABLES = {
    "Chinese": "山水石木火土日月星云风雨鱼鸟虫花草竹米茶海河江湖",
    "Japanese": "あいうえおかきくけこサシスセソタチツテト山川花鳥",
    "Thai": [
        "กา",
        "ขี",
        "คุ",
        "งู",
        "จา",
        "ชี",
        "ดิน",
        "ตาม",
        "นี้",
        "บ้า",
        "ปู่",
        "มา",
        "ยา",
        "รัก",
        "ลม",
        "วัน",
        "สี",
        "หา",
    ],
}


def dictionary(language: str) -> Callable[[str], str]:
    """A word of two or three syllables for each English one. Many words have the same syllables in another order."""
    syllables = SYLLABLES[language]

    @cache
    def word(english: str) -> str:
        chance = random.Random(f"{language} {english.lower()}")
        return "".join(chance.choice(syllables) for _ in range(chance.choice((2, 2, 3))))

    return word


def translated(html: str, word: Callable[[str], str]) -> str:
    """The words of a page in the language, without the blanks between them."""

    def text(match: re.Match[str]) -> str:
        return re.sub(
            r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])", "", re.sub("[A-Za-z]+", lambda w: word(w[0]), match[0])
        )

    return re.sub(r"(?<=>)[^<>]+(?=<)", text, html)


@cache
def answers() -> list[Response]:
    """What the web answers in English."""

    async def fetched() -> list[Response]:
        found = [await WEB.fetch(WEB.url(number)) for number in range(WEB.shape.pages)]
        return [answer for answer in found if isinstance(answer, Response)]

    return asyncio.run(fetched())


def record(folder: Path, change: Callable[[str], str]) -> Path:
    archive = WarcArchive.open(folder)
    for answer in answers():
        archive.write(msgspec.structs.replace(answer, body=change(answer.body.decode()).encode()))
    archive.close()
    return folder


def found(folder: Path, topic: str, change: Callable[[str], str]) -> int:
    """Pages on topic among those of a crawl with default settings."""
    web = record(folder / "web", change)
    with lycosa.crawl(topic, WEB.seeds(3), pages=PAGES, web=str(web), out=folder / "crawl") as crawl:
        return sum(WEB.truth(row.url) for row in crawl.rows(text=False))


@pytest.fixture(scope="module")
def in_english(tmp_path_factory: pytest.TempPathFactory) -> int:
    return found(tmp_path_factory.mktemp("english"), " ".join(WEB.topic_words[:4]), str)


@pytest.mark.parametrize("language", SYLLABLES)
def test_a_topic_finds_its_pages(language: str, in_english: int, tmp_path: Path) -> None:
    word = dictionary(language)
    topic = ", ".join(map(word, WEB.topic_words[:4]))
    good = found(tmp_path, topic, lambda html: translated(html, word))
    assert good >= 0.75 * in_english  # 63, 64 and 48 pages; 62 in English
    assert in_english > 40

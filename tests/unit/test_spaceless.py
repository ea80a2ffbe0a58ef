"""Scripts without blanks between words: terms, counts, contexts, near-duplicates and a crawl in each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import made_page

from lycosa.crawl.sketch import sketch, word_fingerprint, word_hashes
from lycosa.model.records import Page, Request
from lycosa.model.spaceless import (
    LONG,
    first_words,
    grams_of,
    is_short,
    is_spaceless,
    last_words,
    signs_of,
    spaced,
    unspaced,
    with_blanks,
    word_count,
)
from lycosa.model.url import Url
from lycosa.read.html import read
from lycosa.scoring.topics.keywords import KeywordTopic
from lycosa.scoring.words.repetition import repetition
from lycosa.scoring.words.terms import counts, tokens


def page_of(text: str) -> Page:
    return made_page(Request(url=Url("http://a.test/"), order=1), text=text)


MIXED = st.text("狼蜘蛛ガラスกขี่ុកមкaé 1。\n")


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("佐々木", ["佐", "々", "木"]),
        ("กินที่นี่", ["กิ", "น", "ที่", "นี่"]),
        ("ខ្មែរ", ["ខ្", "មែ", "រ"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("ラーメン", ["ラ", "ー", "メ", "ン"]),
        ("거미 spider паук", []),
    ],
)
def test_a_sign_is_a_letter_with_its_marks(text: str, signs: list[str]) -> None:
    assert signs_of(text) == signs
    assert is_spaceless(text) == bool(signs)


def test_terms_are_grams_of_signs() -> None:
    assert tokens("佐々木 ที่นี่ ラーメン・スープ") == [
        *("佐々", "々木", "ที่นี่", "ラー", "ーメ", "メン"),
        *("スー", "ープ"),
    ]


def test_what_is_too_short_for_a_run() -> None:
    assert [term for term in ("茶", "ชา", "絹糸", "แมว", "a", "茶a") if is_short(term)] == ["茶", "ชา"]


def test_words_are_counted_by_two_signs_and_by_blanks() -> None:
    assert word_count("狼蛛是蜘蛛，以GPU加速。") == 3 + 1 + 1 + 1  # 狼蛛 是蜘 蛛 以 GPU 加速
    assert word_count("one two  three\nfour") == 4
    assert word_count("one two three", 2) == 2
    assert word_count("wolf " * 1_000, 10) == 10
    assert word_count("w" * 1_000 + " olf", 10) == 2
    assert word_count("– " * 1_000 + "狼", 10) == 1  # points are no words where signs are
    assert word_count("– " * 1_000, 10) == 10
    assert word_count("") == 0


@given(st.text(st.characters(max_codepoint=127)) | st.text("a \n\x1c\x1f\x00\x7f"))
def test_words_of_ascii_are_those_that_python_splits(text: str) -> None:
    assert word_count(text) == len(text.split())
    assert word_count(text, len(text)) == len(text.split())
    long = text * (LONG // max(len(text), 1) + 1)
    for most in (1, 100, len(long)):
        assert word_count(long, most) == len(long.split(None, most)[:most])


def test_words_at_the_ends() -> None:
    assert first_words("狼蜘蛛 GPU结网", 3) == "狼蜘蛛 GPU"
    assert last_words("狼蜘蛛 GPU结网", 2) == "GPU结网"


@given(MIXED)
def test_nothing_is_lost_between_pairs(text: str) -> None:
    assert unspaced(spaced(text)) == text
    assert "".join(with_blanks(text).split()) == "".join(text.split())
    pieces = [piece for word in text.split() for piece in grams_of(word)]
    assert set("".join(pieces)) == set("".join(text.split()))


@given(MIXED, st.integers(0, 9))
def test_words_are_cut_from_both_ends(text: str, count: int) -> None:
    first, last = first_words(text, count), last_words(text, max(1, count))
    assert text.startswith(first)
    assert text.endswith(last)
    assert word_count(text, count) == min(count, word_count(text))


@pytest.mark.parametrize(
    ("topic", "about", "other"),
    [
        ("狼蛛", "狼蛛在地上追捕昆虫，狼蛛不结网。", "狼在森林里生活，红蛛很少见。"),
        ("茶", "绿茶和红茶都是茶叶做的。", "咖啡是用咖啡豆做的。"),
        ("ชา", "ชาดำและชาเขียวทำจากใบชา", "กาแฟทำจากเมล็ดกาแฟ"),
        ("クモ", "クモは糸で巣をつくる。コモリグモもクモだ。", "モクレンの花は春に咲く。"),
        ("แมงมุม", "แมงมุมชักใยเพื่อจับแมลง แมงมุมมีแปดขา", "แมวชอบกินปลาและนอนทั้งวัน"),
        ("ពីងពាង", "ពីងពាងមានជើងប្រាំបី", "ឆ្មាចូលចិត្តស៊ីត្រី"),
    ],
)
def test_a_topic_knows_its_pages(topic: str, about: str, other: str) -> None:
    judge = KeywordTopic(topic)
    assert judge.relevance(page_of(about)) > 0.25
    assert judge.relevance(page_of(other)) < 0.1


def test_a_block_of_text_is_no_template() -> None:
    story = "狼蛛在地上追捕昆虫，不结网，也不怕人，夜里常在田野间活动。" * 4
    page = read(
        f"<p>{story}<a href='/x'>更多的狼蛛</a>{story}</p><p>首页</p>".encode(),
        "http://a.test/",
        "text/html; charset=utf-8",
    )
    [link] = page.links
    assert not link.in_nav
    assert "更多的狼蛛" in link.context
    assert len(signs_of(link.context)) <= 2 * 2 * 20 + 5


def test_near_copies_share_a_sketch() -> None:
    text = "".join(chr(0x4E00 + 7 * n % 900) for n in range(600))
    near = text[:300] + "蜘蛛" + text[300:]
    one, other = word_hashes(text), word_hashes(near)
    assert len(one) == 600
    assert set(sketch(one)) & set(sketch(other))
    assert (word_fingerprint(one) ^ word_fingerprint(other)).bit_count() <= 3


def test_texts_with_blanks_are_left_alone() -> None:
    for text in ("wolf spider", "Ελληνικά και русский", "거미 그물", "naïve café"):
        assert spaced(text) is text
        assert with_blanks(text) is text
    assert counts("거미 그물") == {"거미": 1, "그물": 1}


def test_repetition_is_seen() -> None:
    again, once = "狼蛛在地上追捕昆虫" * 20, "".join(chr(0x4E00 + n) for n in range(200))
    assert repetition(again) > 0.8
    assert repetition(once) == 0.0

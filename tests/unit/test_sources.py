"""Inputs read from what a topic names, kept in the folder, and asked to judge."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from lycosa.compose.topic import TopicSource, topic_source
from lycosa.crawl.inputs import Input
from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import FolderError
from lycosa.model.records import Page
from lycosa.sources.kinds import Kind, judges, load_inputs, read_inputs, save_inputs
from lycosa.sources.reading import Reading
from lycosa.spec.tree import TopicSpec
from lycosa.web.made.graph_web import GraphWeb


class Mood(Input, frozen=True, kw_only=True):
    name: ClassVar[str] = "mood of the day"
    level: float


class Rumour(Input, frozen=True, kw_only=True):
    name: ClassVar[str] = "rumour"
    believed: bool


class Constant:
    def __init__(self, level: float) -> None:
        self.level = level

    def relevance(self, page: Page) -> float:
        return self.level

    def explain(self, page: Page) -> Mapping[str, float]:
        return {"mood": self.level}


async def read_mood(reading: Reading) -> Mood | None:
    return Mood(level=float(reading.topic.description)) if reading.topic.description else None


async def read_rumour(reading: Reading) -> Rumour:
    return Rumour(believed=reading.model is not None)


def judge_mood(mood: Mood) -> Constant:
    return Constant(mood.level)


TABLE = {
    Mood: Kind(f"{__name__}:read_mood", f"{__name__}:judge_mood"),
    Rumour: Kind(f"{__name__}:read_rumour"),
}


def reading(description: str) -> Reading:
    return Reading(TopicSpec(keywords=("coral",), description=description), GraphWeb(), None, VirtualClock())


def test_only_what_is_asked_for_and_offered_is_read() -> None:
    assert asyncio.run(read_inputs(reading("0.5"), [Mood], TABLE)) == [Mood(level=0.5)]
    assert asyncio.run(read_inputs(reading(""), [Mood], TABLE)) == []


def test_what_judges_is_read_unasked_and_before_the_rest() -> None:
    source = asyncio.run(topic_source(reading("0.25"), [Rumour], TABLE))
    assert source.given == (Mood(level=0.25), Rumour(believed=True))
    assert source.model(TABLE).relevance(None) == 0.25  # type: ignore[arg-type]
    assert source.inputs()[-2:] == source.given


def test_without_a_judge_the_words_judge() -> None:
    source = asyncio.run(topic_source(reading(""), [], TABLE))
    assert type(source.model(TABLE)).__name__ == "KeywordTopic"


def test_several_judges_count_alike() -> None:
    table = {**TABLE, Rumour: Kind(f"{__name__}:read_rumour", f"{__name__}:judge_rumour")}
    source = TopicSource(given=(Mood(level=0.5), Rumour(believed=True)))
    assert source.model(table).relevance(None) == 0.75  # type: ignore[arg-type]
    assert list(judges(source.given, table)) == ["mood of the day", "rumour"]


def judge_rumour(rumour: Rumour) -> Constant:
    return Constant(float(rumour.believed))


def test_inputs_are_kept_in_the_folder(tmp_path: Path) -> None:
    kept = [Mood(level=0.5), Rumour(believed=False)]
    save_inputs(kept, tmp_path / "inputs")
    assert load_inputs(tmp_path / "inputs", TABLE) == kept
    assert load_inputs(tmp_path / "none", TABLE) == []
    (tmp_path / "inputs" / "mood-of-the-day.msgpack").write_bytes(b"\xc1")
    with pytest.raises(FolderError, match="mood of the day cannot be read"):
        load_inputs(tmp_path / "inputs", TABLE)

"""Every field of the specification is read by something: what a person sets is never without effect."""

from __future__ import annotations

import asyncio
import pickle
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.scripted import ByHand

import lycosa.spec.tree
from lycosa.archive.collection import Collection
from lycosa.compose import parts as build
from lycosa.compose.outside import Outside
from lycosa.crawl.stopping import StopRules
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import begin
from lycosa.drive.clock import WallClock
from lycosa.model.errors import InputError
from lycosa.model.nodes import Members, Node, Share
from lycosa.sources.kinds import KINDS, read_inputs
from lycosa.sources.reading import Reading
from lycosa.spec.tree import (
    ArchivesSpec,
    ClusterSpec,
    CrawlSpec,
    JudgeSpec,
    Part,
    RenderSpec,
    RequisiteSpec,
    RevisitSpec,
    StopSpec,
    TopicSpec,
    is_part,
)
from lycosa.web.recorded import RecordedWeb

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
ELSEWHERE = {
    ("CrawlSpec", "format"): "looked at in the file, before it is read",
    ("CrawlSpec", "seeds_from"): "asked once, when the specification is made; `seeds` has what they named",
    ("CrawlSpec", "profile"): "kept for the record; its values are spelt out in the other fields",
} | {
    (
        "ClusterSpec",
        name,
    ): "read by who leads a shared crawl, by its post, by partitions by topic: see their tests"
    for name in ("nodes", "batch_links", "batch_seconds", "classes")
}
SHARE = Share(node=Node("n0"), members=Members(epoch=1, names=(Node("n0"),)))
BY_CONVERSION = {("StopSpec", field.name) for field in msgspec.structs.fields(StopSpec)}
"""Passed on as they are to the rules that stop a crawl."""


def tracked(kind: type[Part], read: set[tuple[str, str]]) -> type[Part]:
    """The same part, which notes who reads which of its fields, `spec.py` itself left out."""
    names = {field.name for field in msgspec.structs.fields(kind)}

    def read_field(self: Part, name: str) -> Any:
        if name in names and sys._getframe(1).f_code.co_filename != lycosa.spec.tree.__file__:
            read.add((kind.__name__, name))
        return super(made, self).__getattribute__(name)

    made = type(kind.__name__, (kind,), {"__getattribute__": read_field}, frozen=True, kw_only=True)  # type: ignore[call-overload]
    return made  # type: ignore[no-any-return]


def tracked_spec(read: set[tuple[str, str]], **given: Any) -> CrawlSpec:
    parts = {f.name: f.type for f in msgspec.structs.fields(CrawlSpec) if is_part(f.type)}
    said: dict[type[Part], dict[str, Any]] = {
        TopicSpec: {"keywords": ("dinosaurs",)},
        RevisitSpec: {"policy": "uniform"},
        RenderSpec: {"when": "auto"},
        RequisiteSpec: {"fetched": True},
        JudgeSpec: {"model": "openai:http://127.0.0.1:9/v1#none"},  # never asked: the crawl is too short
    }
    made = {name: tracked(kind, read)(**said.get(kind, {})) for name, kind in parts.items()}
    spec = tracked(CrawlSpec, read)(**made, **given)
    assert isinstance(spec, CrawlSpec)
    return spec


def tracked_part(part: TopicSpec, read: set[tuple[str, str]]) -> TopicSpec:
    made = tracked(TopicSpec, read)(**msgspec.structs.asdict(part))
    assert isinstance(made, TopicSpec)
    return made


async def read_all_inputs(topic: TopicSpec) -> None:
    """Ask the reader of each kind; what it lacks here does not matter."""
    reading = Reading(topic, RecordedWeb(Collection.open([SAMPLE])), None, WallClock())
    for kind in KINDS:
        with suppress(InputError):
            await read_inputs(reading, [kind])


def test_every_field_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[tuple[str, str]] = set()
    seeds = ("http://schools.wiki.example/wp/Biosphere.html",)

    async def crawl() -> None:
        spec = tracked_spec(read, seeds=seeds, web=f"recorded:{SAMPLE}", pages=3, seconds=60.0)
        session = await begin(spec, tmp_path / "crawl", renderer=ByHand())
        await session.run(lambda visit: None)
        with CrawlFolder.open(tmp_path / "crawl") as folder, monkeypatch.context() as patching:
            patching.setattr("lycosa.crawls.folder.load", lambda path, kind: spec)
            folder.status()
        (tmp_path / "model.pickle").write_bytes(pickle.dumps("no model"))
        for topic in (TopicSpec(), TopicSpec(model=str(tmp_path / "model.pickle"))):
            await read_all_inputs(tracked_part(topic, read))

    asyncio.run(crawl())
    live = tracked_spec(read, seeds=seeds)
    Outside(live)
    cached = tracked(ArchivesSpec, read)(cache=str(tmp_path / "kept"))
    Outside(msgspec.structs.replace(live, web="cc:CC-MAIN-2026-05", archives=cached))
    build.scope_of(live)
    by_topic = tracked(ClusterSpec, read)(partition="topic")
    with pytest.raises(InputError, match="needs classes"):
        build.company_of(msgspec.structs.replace(live, cluster=by_topic), SHARE, "1")
    build.company_of(live, SHARE, "1")
    every = {
        (kind.__name__, field.name)
        for kind in (CrawlSpec, *(f.type for f in msgspec.structs.fields(CrawlSpec) if is_part(f.type)))
        for field in msgspec.structs.fields(kind)
    }
    unread = every - read - BY_CONVERSION - set(ELSEWHERE)
    assert not unread, f"nothing reads {sorted(unread)}"
    assert {name for _, name in BY_CONVERSION} == {f.name for f in msgspec.structs.fields(StopRules)}


@pytest.mark.parametrize("revisits", [True, False])
def test_copies_are_stored_whole_where_revisit_records_are_not_wanted(revisits: bool, tmp_path: Path) -> None:
    from lycosa.archive.warc import WarcArchive
    from lycosa.model.records import Millis, Response
    from lycosa.model.url import Url

    archive = WarcArchive.open(tmp_path, revisits=revisits)
    for name in "ab":
        archive.write(
            Response(
                url=Url(f"http://a.example/{name}"),
                status=200,
                headers=(),
                body=b"the same",
                fetched_at=Millis(9),
            )
        )
    archive.close()
    assert ("warc/revisit" in (tmp_path / "index.cdxj").read_text()) is revisits

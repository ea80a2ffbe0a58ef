"""`async for event in crawl.events()`: from any point on, and on until the crawl ends."""

from __future__ import annotations

import asyncio
from pathlib import Path

import lycosa
from lycosa.crawls import session
from lycosa.drive.loop import unwatched
from lycosa.spec.tree import CrawlSpec, TopicSpec

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
SEED = "http://schools.wiki.example/wp/Biosphere.html"


def test_a_running_crawl_is_followed_to_its_end(tmp_path: Path) -> None:
    spec = CrawlSpec(
        topic=TopicSpec(keywords=("dinosaur",)), seeds=(SEED,), web=f"recorded:{SAMPLE}", pages=60
    )

    async def follow() -> list[str]:
        begun = await session.begin(spec, tmp_path / "crawl")
        with lycosa.open(tmp_path / "crawl") as folder:
            running = asyncio.create_task(begun.run(unwatched))
            told = [event.url async for event in folder.events() if event.kind == "page"]
            await running
            token = folder.token(back=3)
            assert len([event async for event in folder.events(token)]) <= 3
        return told

    told = asyncio.run(follow())
    with lycosa.open(tmp_path / "crawl") as folder:
        assert told == [row.url for row in folder.rows(text=False)]
    assert len(told) == 60

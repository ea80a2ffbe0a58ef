"""lycosa from Python, with all on that `lycosa crawl` has on: for profilers."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import uvloop

from lycosa.crawls.session import begin
from lycosa.spec.tree import CrawlSpec, FetchSpec, PolitenessSpec, ScopeSpec, TopicSpec


def specification(start: str, pages: int) -> CrawlSpec:
    return CrawlSpec(
        topic=TopicSpec(keywords=("numerical analysis",)),
        seeds=(start,),
        pages=pages,
        scope=ScopeSpec(hosts=(start.split("/")[2],)),
        politeness=PolitenessSpec(delay=0.0),
        fetch=FetchSpec(allow_private=True),
    )


async def crawl(start: str, pages: int, out: Path) -> int:
    session = await begin(specification(start, pages), out)
    await session.run(lambda visit: None)
    return session.crawl.pages


if __name__ == "__main__":
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="lycosa-bench-") as folder:
        print("pages", uvloop.run(crawl(sys.argv[1], limit, Path(folder) / "crawl")))

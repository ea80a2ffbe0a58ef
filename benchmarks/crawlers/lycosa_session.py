"""lycosa from Python, with all on that `lycosa crawl` has on: for profilers."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import uvloop

from lycosa.crawls.session import begin
from lycosa.spec.tree import CrawlSpec, FetchSpec, PolitenessSpec, ScopeSpec, TopicSpec


def specification(start: str, pages: int, strategy: str = CrawlSpec().strategy) -> CrawlSpec:
    return CrawlSpec(
        strategy=strategy,
        topic=TopicSpec(keywords=("numerical analysis",)),
        seeds=(start,),
        pages=pages,
        scope=ScopeSpec(hosts=(start.split("/")[2],)),
        politeness=PolitenessSpec(delay=0.0),
        fetch=FetchSpec(allow_private=True),
    )


async def crawl(start: str, pages: int, out: Path, *strategy: str) -> int:
    """By a strategy, or the default one. Returns how many pages there are."""
    session = await begin(specification(start, pages, *strategy), out)
    await session.run(lambda visit: None)
    return session.crawl.pages


if __name__ == "__main__":
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="lycosa-bench-") as folder:
        print("pages", uvloop.run(crawl(sys.argv[1], limit, Path(folder) / "crawl")))

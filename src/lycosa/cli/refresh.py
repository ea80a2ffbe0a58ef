"""`lycosa refresh`: keep a crawl fresh."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.completion import CRAWL, POLICY
from lycosa.cli.crawl_options import OUTPUT, crawl_options
from lycosa.cli.values import SectionedCommand, SectionedOption, Whole, as_rate, as_share, long_duration

if TYPE_CHECKING:
    from lycosa.spec.tree import RevisitSpec

HOW, LIMITS = "How pages are visited again", "Limits"


@click.command("refresh", cls=SectionedCommand)
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option(
    "--policy",
    cls=SectionedOption,
    section=HOW,
    type=POLICY,
    metavar="NAME[:K=V,…]",
    help="Visit pages again by this policy: lycosa policies lists them; off: no more.  "
    "[default: as before, or topical]",
)
@click.option(
    "--every",
    cls=SectionedOption,
    section=HOW,
    type=long_duration,
    metavar="TIME",
    help="Make as many revisits in this time as there are pages: 1d, 2w.  [default: as before, or 1w]",
)
@click.option(
    "--rate",
    cls=SectionedOption,
    section=HOW,
    type=as_rate,
    metavar="N/TIME",
    help="Send at most so many requests, new pages included: 500/day, 20/h.  [default: as before, or by --every]",
)
@click.option(
    "--share",
    cls=SectionedOption,
    section=HOW,
    type=as_share,
    metavar="SHARE",
    help="Keep this share of the requests for new pages while some wait; 0: find none.  "
    "[default: as before, or 30%]",
)
@click.option(
    "--queries",
    cls=SectionedOption,
    section=HOW,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Know what people search for: a query a line, or COUNT<TAB>QUERY. The policy user-centric asks.  "
    "[default: as before]",
)
@click.option(
    "--once",
    is_flag=True,
    cls=SectionedOption,
    section=HOW,
    help="Visit each page once again, as soon as may be, and stop.",
)
@click.option(
    "--for",
    "seconds",
    cls=SectionedOption,
    section=LIMITS,
    type=long_duration,
    metavar="TIME",
    help="Stop after so long: 2w, 36h. On a recorded web this is virtual time.  [default: no limit]",
)
@click.option(
    "--pages",
    cls=SectionedOption,
    section=LIMITS,
    type=Whole(1),
    metavar="N",
    help="Find new pages until there are so many in all.  [default: no limit]",
)
@crawl_options(OUTPUT)
def command(
    folder: Path,
    seconds: float | None,
    pages: int | None,
    queries: Path | None,
    json: bool | None,
    log_json: bool | None,
    quiet: bool | None,
    verbose: bool | None,
    **written: Any,
) -> int:
    """Keep a crawl fresh: visit its pages again, and go on finding new ones.

    It runs until you stop it, or for as long as --for says, and rests between visits as a first crawl does. Servers are
    asked whether a page has changed, so most answers are short. Stopped, it goes on with lycosa refresh or lycosa
    resume. lycosa changes tells what changed. Of a crawl that several nodes share each node visits the pages that it
    has, and new ones are found up to --pages only.
    """
    from lycosa.cli.resume import taken_up
    from lycosa.cli.running import run, view_for
    from lycosa.crawls.place import refuse_shared
    from lycosa.store.paths import is_shared
    from lycosa.watch.tally import Tally

    if is_shared(folder):
        return _refresh_shared(
            folder, pages, seconds or 0.0, queries, written, json=bool(json), quiet=bool(quiet)
        )
    refuse_shared(folder, "refresh")
    revisit = revisit_of(folder, grows=pages is None, queries=queries, **written)
    tally = Tally(0.0)
    view = view_for(json=bool(json), quiet=bool(quiet), verbose=bool(verbose), log_json=bool(log_json))
    changes = {"pages": pages, "seconds": seconds or 0.0, "revisit": revisit, "queries": queries}
    return run(taken_up(folder, tally, **changes), view, tally)


def _refresh_shared(
    folder: Path,
    pages: int | None,
    seconds: float,
    queries: Path | None,
    written: dict[str, Any],
    *,
    json: bool,
    quiet: bool,
) -> int:
    """Have all nodes visit their pages again, and lead them."""
    from lycosa.cli.cluster import lead
    from lycosa.cluster.live import refuse_without_ray
    from lycosa.cluster.place import Place
    from lycosa.crawls.shared.refreshing import plan_refresh
    from lycosa.sources.queries import read_queries

    refuse_without_ray()
    revisit = revisit_of(folder, grows=False, queries=queries, **written)
    assert revisit is not None
    log = None if queries is None else read_queries(queries)
    spec = plan_refresh(folder, revisit, pages=pages, seconds=seconds, log=log)
    return lead(Place(folder), spec, json=json, quiet=quiet)


def revisit_of(
    folder: Path,
    *,
    policy: str | None,
    every: float | None,
    rate: float | None,
    share: float | None,
    once: bool,
    grows: bool,
    queries: Path | None,
) -> RevisitSpec | None:
    """When pages are to be visited again: as before, with what is written in its place. None if there is no crawl."""
    from msgspec.structs import replace

    from lycosa.spec.files import load
    from lycosa.spec.tree import CrawlSpec
    from lycosa.store.paths import paths_of

    path = paths_of(folder).specification
    if not path.exists():
        return None
    before = load(path, CrawlSpec).revisit
    given = {"every": every, "rate": rate, "share": share, "queries": queries and str(queries)}
    asked_for = round(clock.time() * 1000) if once else 0
    named = policy if policy is not None else before.policy or "topical"
    changed = replace(before, **{name: value for name, value in given.items() if value is not None})
    finds_more = grows and changed.share > 0 and not once
    return replace(changed, policy="" if once else named, once=asked_for, grows=finds_more)

"""`lycosa watch`: recommendations for somebody who browses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lycosa.cli.completion import WEB
from lycosa.cli.crawl_options import NETWORK, POLITE, Decorator, crawl_options
from lycosa.cli.values import SectionedCommand, SectionedOption, Whole

if TYPE_CHECKING:
    from lycosa.sources.browsing import BrowseLog
    from lycosa.spec.tree import CrawlSpec
    from lycosa.uses.companion import Recommendation


class WatchOptions(NamedTuple):
    """How to follow, and what to tell."""

    once: bool
    most: int
    history: int
    same_host: bool
    json: bool


WATCH = "What to watch and how far to look"


def _option(*names: str, **more: Any) -> Decorator[Any]:
    return click.option(*names, cls=SectionedOption, section=WATCH, **more)


@click.command("watch", cls=SectionedCommand)
@click.argument("log", metavar="LOG", type=click.Path(path_type=Path))
@_option("--once", is_flag=True, help="End at the end of the log.  [default: wait for more]")
@_option("-n", "most", type=Whole(1), default=5, help="Recommend so many pages.  [default: 5]")
@_option("--depth", type=Whole(1, 5), default=2, help="Look so many links ahead.  [default: 2]")
@_option(
    "--pages", type=Whole(1), default=50, help="Visit so many pages around each page browsed.  [default: 50]"
)
@_option(
    "--history",
    type=Whole(1),
    default=50,
    help="Learn from so many pages browsed before.  [default: 50]",
)
@_option("--same-host", is_flag=True, help="Stay on the host of the page browsed.")
@_option(
    "--web",
    type=WEB,
    default="live",
    metavar="WEB",
    help="Look on the live web, or a recorded one: PATH[,PATH].  [default: live]",
)
@_option("--json", is_flag=True, help="Write JSON, one object a recommendation.")
@crawl_options(POLITE, NETWORK)
def command(
    log: Path, once: bool, most: int, depth: int, pages: int, history: int, same_host: bool, web: str, json: bool,
    **manners: Any,
) -> None:  # fmt: skip
    """Recommend pages near those that somebody browses.

    LOG has a line for each page browsed: a URL, a time and a URL, or a proxy's Common Log Format. While somebody reads
    the last page, lycosa follows its links, nearest first and politely, and tells which pages are most like those
    browsed.
    """
    import asyncio

    from lycosa.cli.output import warn
    from lycosa.drive.live import loop_factory
    from lycosa.sources.browsing import BrowseLog
    from lycosa.spec.options import manners_of
    from lycosa.spec.tree import CrawlSpec
    from lycosa.uses.companion import near

    politeness, fetch = manners_of(**manners)
    spec = near(CrawlSpec(web=web, pages=pages, politeness=politeness, fetch=fetch), depth)
    browsing = BrowseLog(log)
    course = WatchOptions(once=once, most=most, history=history, same_host=same_host, json=json)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_watch(spec, browsing, course))
    if browsing.broken:
        warn(f"{log}: {browsing.broken} lines were passed over; the first: {browsing.first_broken}")


async def _watch(spec: CrawlSpec, log: BrowseLog, course: WatchOptions) -> None:
    """Put the parts together, and follow until the end or Ctrl-C."""
    from lycosa.compose.outside import Outside
    from lycosa.uses.companion import Companion, follow

    tell = _say_json if course.json else _say
    async with Outside(spec) as outside:
        companion = Companion(spec, outside, same_host=course.same_host)
        await follow(log, companion, tell, history=course.history, most=course.most, once=course.once)


def _say(found: Sequence[Recommendation]) -> None:
    from lycosa.report.wording import clean

    click.echo(f"near {clean(found[0].at)}")
    for each in found:
        click.echo(f"  {each.likeness:.3f}  {clean(each.title) or '(no title)'}  {clean(each.url)}")


def _say_json(found: Sequence[Recommendation]) -> None:
    from lycosa.cli.output import say_json

    for each in found:
        say_json(each)

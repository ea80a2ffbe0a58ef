"""How a crawl chose between the best link and the free host, in words."""

from __future__ import annotations

from lycosa.crawl.order import MOST
from lycosa.crawls.answers import InOrder
from lycosa.model.moments import iso
from lycosa.report.wording import clean, counted, percent


def ordered(found: InOrder | None) -> str:
    """Which of the pages were the best link of all when they were asked for, and which were not."""
    if found is None:
        return ""
    if found.order == "eager":
        return "eager: what may be fetched is fetched, whatever waits"
    pages = max(1, found.first + found.in_turn + found.paid_for)
    told = (
        f"{found.order}: {percent(found.first / pages)} of the pages were the best of all links that waited"
    )
    if found.order == "strict":
        return told
    limit = f"one of the best {found.window:,}" if found.window <= MOST else "in turn, with no limit"
    return (
        f"{told}, {percent(found.in_turn / pages)} in turn, {percent(found.paid_for / pages)} to keep the pace; "
        f"in turn is now {limit}"
    )


def waits(found: InOrder | None) -> str:
    """For what a crawl waits, and why; empty if it does not."""
    if found is None or not found.waits_for:
        return ""
    until = f", at the latest until {iso(found.until)}" if found.until is not None else ""
    return (
        f"for the turn of {clean(found.waits_for)} and others{until}: {counted(found.better, 'link')} or more there "
        f"are better than the best that might be fetched now, {clean(found.instead_of or '')}"
    )

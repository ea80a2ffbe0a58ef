"""How a crawl keeps its pages fresh, in words."""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.crawls.answers import Explanation, Refreshing, Status
from lycosa.report.wording import clean, counted, long_span, minute, percent
from lycosa.spec.webs import web_of

_FOUND: Mapping[str, str] = {
    "same": "unchanged",
    "dressing": "with other trimmings",
    "changed": "changed",
    "gone": "gone",
    "back": "back",
}


def how(told: Refreshing) -> str:
    """By which policy pages are visited again, and how often."""
    if not told.policy:
        return "off"
    if told.policy == "once":
        return "each page once again"
    amount = (
        f"as many revisits in {long_span(told.every)} as there are pages"
        if told.rate is None
        else f"{told.rate:,.4g} requests a day"
    )
    return f"by {clean(told.policy)}: {amount}, {percent(told.share)} of the requests for new pages while some wait"


def found(told: Refreshing) -> str:
    """What revisits found: `12: 9 unchanged, 3 changed`."""
    parts = [f"{told.found[sight]:,} {word}" for sight, word in _FOUND.items() if told.found.get(sight)]
    rate = (
        f"; {counted(round(told.requests_a_day), 'request')} a day" if told.requests_a_day is not None else ""
    )
    return f"{told.revisits:,}{': ' if parts else ''}{', '.join(parts)}{rate}"


def due(status: Status) -> str:
    """`3 pages now, the next 2026-11-20 16:16 UTC`, as of the last checkpoint."""
    told = status.refreshing
    if told is None or not (told.due or told.next_due is not None):
        return ""
    after = "" if told.next_due is None else f", the next {moment(status, told.next_due)}"
    return f"{counted(told.due, 'page')} now{after} (as of the last checkpoint)"


def estimate(told: Refreshing) -> str:
    """How fresh the copies are, what that is estimated from, and that it is."""
    if told.fresh is None or told.age is None:
        return ""
    return (
        f"some {100 * told.fresh:.0f} % of the copies are still true, and a copy has been wrong for "
        f"{long_span(told.age * 86_400)} on average: estimated from the changes that were seen at "
        f"{counted(told.estimated_from, 'page')} looked at more than once"
    )


def again(told: Explanation) -> str:
    """When a page is visited again, and what the policy goes by; empty if it is not."""
    if told.due is None:
        return ""
    parts = ", ".join(f"{name} {value:.3g}" for name, value in told.due_parts.items())
    return f"due {minute(told.due)}, {counted(told.looks, 'look')} so far" + (f" ({parts})" if parts else "")


def moment(status: Status, at: int) -> str:
    """A time for a person; under virtual time, how long after the beginning."""
    return (
        minute(at)
        if not web_of(status.web).is_recorded
        else f"after {long_span((at - status.started_at) / 1000)}"
    )

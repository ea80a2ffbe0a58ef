"""What copies were worth over time: freshness, age, embarrassment, completeness, coherence, and how soon new pages are
found.

Freshness and age are those of Cho and Garcia-Molina (SIGMOD 2000): a copy is fresh while the page is as it was
fetched, and after that its age is the time since the first change that it lacks. Completeness and coherence are those
of Ben Saad and Gançarski (JCDL 2011) and Spaniol and others (WICOW 2009). Staleness is the share of the text that is
another one by now, as that of Olston and Pandey (WWW 2008) is of fragments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan

import numpy as np

from lycosa.lab.time.visiting import Visits
from lycosa.lab.time.world import Floats, PageLife
from lycosa.model.records import Record


class Copy(Record, frozen=True, kw_only=True, gc=False):
    """What the copy of one page was worth between two times."""

    fresh: float
    """The share of the time for which it was as the page, in [0, 1]."""
    age: float
    """Days since the first change that it lacked, on average."""
    stale: float
    """The share of its text that was another one by then, on average over time, in [0, 1]."""
    captured: int
    """Versions of the page that were fetched while they were there."""
    versions: int
    """All versions there were."""


def copy_of(page: PageLife, looks: Sequence[float], since: float, until: float) -> Copy:
    """The copy of a page that was looked at at these times, the first of which is not after `since`."""
    truths = page.truths()
    times = np.asarray(looks, dtype=np.float64)
    ends = np.append(times[1:], inf)
    following = np.append(truths, inf)[np.searchsorted(truths, times, "right")]
    start, end = np.clip(times, since, until), np.clip(ends, since, until)
    wrong = np.clip(following, start, end)
    fresh = float((wrong - start).sum())
    with np.errstate(invalid="ignore"):
        late = np.where(wrong < end, (end - following) ** 2 - (wrong - following) ** 2, 0.0)
    span = until - since
    captured, versions = _versions(page, times, since, until)
    return Copy(
        fresh=fresh / span,
        age=float(late.sum()) / 2 / span,
        stale=_stale(page, times, since, until) / span,
        captured=captured,
        versions=versions,
    )


def _stale(page: PageLife, looks: Floats, since: float, until: float) -> float:
    """The integral over time of the share of the text in which page and copy differ."""
    truths = page.truths()
    if not len(truths):
        return 0.0
    last = np.searchsorted(looks, truths, "right") - 1  # the look before each change
    first = np.searchsorted(truths, looks, "right")[last]  # the first change after that look
    at = np.arange(len(truths))
    churns = np.ones(len(truths), np.bool_)
    if page.churns is not None:
        churns[: len(page.churns)] = page.churns
    churned, scrolled = (np.concatenate(([0], np.cumsum(which))) for which in (churns, ~churns))
    differs = (
        page.churn * (churned[at + 1] > churned[first])
        + page.scroll * np.minimum(scrolled[at + 1] - scrolled[first], page.items) / page.items
    )
    differs[truths >= page.died] = 1.0
    following = np.minimum(np.append(truths[1:], inf), np.append(looks, inf)[last + 1])
    return float((differs * (np.clip(following, since, until) - np.clip(truths, since, until))).sum())


def _versions(page: PageLife, looks: Floats, since: float, until: float) -> tuple[int, int]:
    """How many versions that began in a span were fetched, and how many there were."""
    within = page.changes[(page.changes > since) & (page.changes <= until)]
    ends = np.append(within[1:], min(page.died, until))
    first, last = np.searchsorted(looks, within, "left"), np.searchsorted(looks, ends, "left")
    return int((last > first).sum()), len(within)


def measured(visits: Visits, since: float) -> dict[str, float]:
    """All measures by their names, from `since` to the last day. NaN where there is nothing to measure.

    More is better, but of those in `LESS_IS_BETTER`.
    """
    world, until = visits.world, visits.world.days
    places = world.collection
    pages = [world.pages[place] for place in places]
    copies = [
        copy_of(page, visits.looks[place], since, until) for page, place in zip(pages, places, strict=True)
    ]
    plain = [1.0] * len(pages)
    relevance, clicks = [page.relevance for page in pages], [page.clicks for page in pages]
    fresh, ages = [copy.fresh for copy in copies], [copy.age for copy in copies]
    return {
        "freshness": mean(fresh, plain),
        "age": mean(ages, plain),
        "relevant freshness": mean(fresh, relevance),
        "relevant age": mean(ages, relevance),
        "staleness": mean([copy.stale for copy in copies], plain),
        "relevant staleness": mean([copy.stale for copy in copies], relevance),
        "embarrassment": mean([1 - each for each in fresh], clicks),
        "completeness": ratio(sum(copy.captured for copy in copies), sum(copy.versions for copy in copies)),
        "coherence": coherence(visits, until),
        **delays(visits, since),
        **requests(visits, since),
    }


def requests(visits: Visits, since: float) -> dict[str, float]:
    """The requests a day, and how many there were for each that found a change or a death."""
    made = caught = 0
    for page, looks in zip(visits.world.pages, visits.looks, strict=True):
        seen = np.searchsorted(page.truths(), looks, "right")
        late = np.asarray(looks) > since
        made += int(late.sum())
        caught += int((late[1:] & (np.diff(seen) > 0)).sum())
    return {"requests a day": made / (visits.world.days - since), "requests per change": ratio(made, caught)}


def delays(visits: Visits, since: float) -> dict[str, float]:
    """How soon new pages were found that were born and first listed after `since`.

    The delay is counted in days from the first time that any page listed it, as nobody could find it before, until it
    was found; until its death or the end where it was not, so that a policy gains nothing by never finding it. Besides
    the share that was found.
    """
    pages, until = visits.world.pages, visits.world.days
    listed = visits.world.first_listings()
    there = [place for place in visits.world.new if listed.get(place, inf) < min(pages[place].died, until)]
    there = [place for place in there if min(pages[place].born, listed[place]) > since]
    waited = [min(visits.found[place], pages[place].died, until) - listed[place] for place in there]
    found = [float(visits.found[place] < inf) for place in there]
    plain, relevance = [1.0] * len(there), [pages[place].relevance for place in there]
    return {
        "delay": mean(waited, plain),
        "relevant delay": mean(waited, relevance),
        "found": mean(found, plain),
        "relevant found": mean(found, relevance),
    }


def coherence(visits: Visits, at: float) -> float:
    """Of the latest copies at a time, the largest share that were all right at one moment: those whose spans, from the
    change before the look to the change after it, have a moment in common."""
    spans = []
    for place in visits.world.collection:
        looks = [look for look in visits.looks[place] if look <= at]
        truths = visits.world.pages[place].truths()
        after = int(np.searchsorted(truths, looks[-1], "right"))
        begin = float(truths[after - 1]) if after else -inf
        spans.append((begin, float(truths[after]) if after < len(truths) else inf))
    return most_at_once(spans) / len(spans) if spans else nan


def most_at_once(spans: Iterable[tuple[float, float]]) -> int:
    """The largest number of half-open spans [a, b) that have a moment in common."""
    edges = sorted((edge, step) for a, b in spans for edge, step in ((a, 1), (b, -1)))
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most


def mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean; NaN if nothing has weight."""
    return ratio(sum(value * weight for value, weight in zip(values, weights, strict=True)), sum(weights))


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else nan


LESS_IS_BETTER = frozenset(
    {
        "age",
        "relevant age",
        "staleness",
        "relevant staleness",
        "embarrassment",
        "delay",
        "relevant delay",
        "requests per change",
    }
)


def gains(values: Mapping[str, float]) -> dict[str, float]:
    """The measures with the sign at which more is better."""
    return {name: -value if name in LESS_IS_BETTER else value for name, value in values.items()}

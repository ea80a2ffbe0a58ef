"""How a crawl keeps its pages fresh, and how fresh they are."""

from __future__ import annotations

import time
from typing import Final

from lycosa.crawls.answers import Refreshing
from lycosa.crawls.checkpointed import Checkpointed
from lycosa.model.records import Millis
from lycosa.revisit.history import DAY
from lycosa.revisit.truth import estimated
from lycosa.spec.derived import is_recorded
from lycosa.spec.tree import CrawlSpec
from lycosa.store.history import History

WINDOW: Final = Millis(7 * DAY)
"""Over so long requests a day are counted."""
LEAST: Final = Millis(DAY // 24)
"""From less than that no day can be told."""


def refreshing(
    spec: CrawlSpec, history: History, kept: Checkpointed, now: Millis, first: Millis | None
) -> Refreshing:
    """What is to be told of revisits, the `first` of which was then; None: there was none yet."""
    revisit = spec.revisit
    spans = history.sightings.spans(now)
    estimate = estimated(spans.intervals, spans.changes, spans.days, spans.since)
    due, next_due = kept.due_by(now)
    return Refreshing(
        policy=revisit.policy or ("once" if revisit.once else ""),
        every=revisit.every,
        rate=revisit.rate,
        share=revisit.share,
        revisits=sum(spans.found.values()),
        found={sight.value: count for sight, count in spans.found.items()},
        due=due,
        next_due=next_due,
        requests_a_day=None if first is None else _requests_a_day(history, first),
        estimated_from=estimate.pages,
        fresh=estimate.fresh if estimate.pages else None,
        age=estimate.age if estimate.pages else None,
        changes=estimate.changes if estimate.pages else None,
    )


def now_of(spec: CrawlSpec, last_at: Millis) -> Millis:
    """The time by the crawl's clock; that of a recorded web stands still while nobody crawls."""
    return last_at if is_recorded(spec) else Millis(round(time.time() * 1000))


def _requests_a_day(history: History, first: Millis) -> float | None:
    """Since the first revisit, over the last week."""
    _, last = history.span() or (first, first)
    since = max(first, Millis(last - WINDOW))
    return history.requests(since) * DAY / (last - since) if last - since >= LEAST else None

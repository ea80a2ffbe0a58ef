"""What a crawl tells of its work at a checkpoint. It is noted in the journal, so that who asks how a crawl stands need
not load all that its strategy knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from lycosa.crawl.recall import Estimate
from lycosa.model.decoding import from_json
from lycosa.model.records import Record

if TYPE_CHECKING:
    from lycosa.crawl.crawl import Crawl
    from lycosa.model.events import Snapshot


class Work(Record, frozen=True, kw_only=True):
    """Of one checkpoint."""

    step: int = 0
    """The last that the checkpoint knows."""
    facts: Mapping[str, Any] = {}
    """See `facts_of`."""
    estimates: tuple[Estimate, ...] = ()
    """What share of the relevant pages was found."""


def facts_of(
    told: Mapping[str, Any], crawl: Mapping[str, Any], names: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any]:
    """What the strategy `told`; of second names what was learned, nothing before there is any; and how many pages a
    predicate, a model or a function could not judge. `crawl` is what a snapshot has of the crawl."""
    learned = {"links to second names": crawl.get("second_names", 0), "names of one page": names}
    judging = crawl.get("topic", {})
    count, last = judging.get("faults", 0), judging.get("last fault", "")
    faults = {"pages that could not be judged": count, "the last of them": last} if count else {}
    return {**told, **{name: fact for name, fact in learned.items() if fact}, **faults}


def noted(crawl: Crawl, snapshot: Snapshot) -> str:
    """What is told at this checkpoint, to be read by `read_noted`; nothing where a strategy cannot tell it, or tells
    what is no plain value: who asks loads it then, and hears why."""
    names = () if crawl.gate.aliases is None else crawl.gate.aliases.facts()
    try:
        facts = facts_of(crawl.strategy.facts(), snapshot.crawl, names)
        work = Work(step=snapshot.step, facts=facts, estimates=crawl.stopping.estimates())
        return msgspec.json.encode(work).decode()
    except Exception:
        return ""


def read_noted(note: str | None, step: int | None) -> Work | None:
    """What was noted, if it is of the checkpoint of this step: an earlier version makes some without such a note, and a
    process may be killed between the two."""
    work = from_json(note, Work) if note else None
    return work if work is not None and work.step == step else None

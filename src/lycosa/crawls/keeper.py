"""Keeps a running crawl on disk: checkpoints now and then, flushes each second, and word of how it ended."""

from __future__ import annotations

import time

import msgspec

from lycosa.crawl.crawl import Crawl
from lycosa.crawls.answers import InOrder
from lycosa.crawls.curve import Curve
from lycosa.crawls.opened import Opened
from lycosa.crawls.work import noted
from lycosa.model.endings import Ending
from lycosa.web.http.dns_file import DnsFile

CHECKPOINT_SECONDS = 30.0
"""Between two checkpoints; the first come sooner, so that a young crawl can be looked at too."""
CHECKPOINT_STEPS = 5_000
CHECKPOINT_REST = 9.0
"""None follows within so many times as long as the last one took: they take a tenth of the time at most."""


def is_due(steps: int, since: float, age: float, took: float) -> bool:
    """Whether it is time for a checkpoint: `steps` and seconds since the last one, which took `took` seconds and was
    made when the run was `age` seconds old."""
    late = since >= min(CHECKPOINT_SECONDS, max(1.0, age))
    return since >= CHECKPOINT_REST * took and (steps >= CHECKPOINT_STEPS or (steps > 0 and late))


def in_order(crawl: Crawl) -> InOrder:
    """How a crawl chose so far, and for what it waits now."""
    order, held, counts = crawl.order, crawl.held, crawl.order.counts
    told = InOrder(
        order=order.rules.kind,
        window=order.window,
        first=counts["first"],
        in_turn=counts["in turn"],
        paid_for=counts["paid for"],
    )
    if held is None or crawl.ended is not None:
        return told
    return msgspec.structs.replace(
        told, waits_for=held.host, instead_of=held.url, better=held.better, until=crawl.falls_behind_at()
    )


class Keeper:
    """What a crawl holds in memory, and what it says of itself, brought to its folder."""

    def __init__(self, crawl: Crawl, opened: Opened, dns: DnsFile) -> None:
        self._crawl, self._opened, self._dns = crawl, opened, dns
        self._curve = Curve.load(opened.journal.noted("frontier curve"))
        self._took_before = float(opened.journal.noted("seconds") or 0)  # in earlier runs
        self._began = self._kept_at = time.monotonic()
        self._kept_step, self._keeping_took = 0, 0.0
        self._in_order: InOrder | None = None  # as noted last

    def begin(self) -> None:
        """A run begins: the clock runs from now on, and how an earlier run ended is no longer true."""
        self._began = self._kept_at = time.monotonic()
        self._opened.journal.note("ended", "")
        self._opened.journal.note("paused", "")

    def visited(self) -> None:
        """A visit is over: make a checkpoint if one is due."""
        self._curve.add(self._crawl.pages, len(self._crawl.frontier))
        steps, age = self._crawl.step - self._kept_step, self._kept_at - self._began
        since = time.monotonic() - self._kept_at
        if self._opened.store.overfull or is_due(steps, since, age, self._keeping_took):
            self.keep()

    def keep(self) -> None:
        """Make a checkpoint."""
        crawl, journal, began = self._crawl, self._opened.journal, time.monotonic()
        snapshots = [crawl.snapshot()]
        work = noted(crawl, snapshots[0])
        self._opened.store.keep(snapshots.pop())  # nobody else holds it: it is as large as the crawl
        journal.note("work", work)
        counts = {
            "pending": len(crawl.frontier),
            "refused": crawl.admission.refused,
            "trimmed": crawl.trimmed,
        }
        journal.note("frontier", msgspec.json.encode(counts).decode())
        journal.note("frontier curve", self._curve.save())
        self._note_order()
        self._note_seconds()
        self._kept_at, self._kept_step = time.monotonic(), crawl.step
        self._keeping_took = self._kept_at - began

    def flush(self) -> None:
        """Bring to the folder what is only in memory so far, checkpoints apart."""
        self._opened.store.flush()
        self._note_order()
        self._dns.add()

    def leave_word(self, ended: Ending) -> None:
        """Say how the run ended, also on a disk that is full."""
        self._opened.journal.leave_word(str(ended))
        self._note_seconds()
        self._dns.add()

    def _note_order(self) -> None:
        if (found := in_order(self._crawl)) != self._in_order:
            self._opened.journal.note("order", msgspec.json.encode(found).decode())
            self._in_order = found

    def _note_seconds(self) -> None:
        self._opened.journal.note("seconds", f"{self._took_before + time.monotonic() - self._began:.3f}")

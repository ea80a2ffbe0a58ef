"""What a crawl that brought little is told."""

from __future__ import annotations

from typing import Any

import pytest

from lycosa.crawls.answers import Status
from lycosa.model.records import Millis, Reason
from lycosa.report.advice import HELPS, advice

NOTHING: dict[str, Any] = {
    "folder": "c", "state": "done", "ended": "", "ended_by": "exhausted", "topic": "bees", "strategy": "hunter",
    "seeds": (), "web": "live", "pages": 0, "budget": 100, "requests": 0, "relevant": 0, "harvest_rate": 0.0,
    "mean_relevance": 0.0, "failures": 0, "failures_by_reason": {}, "statuses": {}, "hosts": 0, "pending": 0,
    "refused": 0, "trimmed": 0, "started_at": Millis(0), "last_at": Millis(0), "seconds": 0.0, "warc_files": 0,
    "warc_bytes": 0, "version": "0", "process": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, ["No page was fetched: no start page may be visited. Check the start pages and the scope.",
              "No more links wait: give more start pages."]),
        ({"state": "running", "ended_by": ""}, ["No page has come in yet."]),
        ({"failures": 3, "failures_by_reason": {"robots": 1, "dns": 2}, "ended_by": "budget"},
         ["No page was fetched, 3 visits failed.", f"2 × dns: {HELPS['dns']}.", f"1 × robots: {HELPS['robots']}."]),
        ({"pages": 1, "relevant": 0, "ended_by": "budget"},
         ["1 page came in, but none is relevant enough to count. Use more usual words for the topic, or give pages "
          "about it as examples."]),
        ({"pages": 50, "relevant": 20, "refused": 1},
         ["No more links wait: 1 link were left out by the scope and its limits; widen it, or give more start pages."]),
        ({"pages": 100, "relevant": 20, "failures": 50, "failures_by_reason": {"dns": 50}, "ended_by": "budget"}, []),
    ],
)  # fmt: skip
def test_by_hand(more: dict[str, Any], told: list[str]) -> None:
    assert advice(Status(**NOTHING | more)) == [each.replace("1 link were", "1 link was") for each in told]


def test_what_helps_is_told_of_reasons_that_there_are() -> None:
    assert HELPS.keys() <= {reason.value for reason in Reason}

"""What a strategy tells of itself, in the live display."""

from __future__ import annotations

import pytest

pytest.importorskip("rich")

from lycosa.cli.live_view import in_short


def test_facts_in_a_line() -> None:
    facts = {
        "PageRank covered, at least": 0.43193,
        "most important": ["0.2 http://a.test/", "0.1 b"],
        "pages": 7,
    }
    told = ["PageRank covered, at least 0.4319", "most important 0.2 http://a.test/", "pages 7"]
    assert in_short(facts) == told


def test_tables_are_left_to_status_and_signs_of_the_terminal_out() -> None:
    assert in_short({"agents": [{"agent": 1}], "learned": [], "topic": "a\x1b[31mb"}) == ["topic a [31mb"]

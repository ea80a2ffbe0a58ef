"""How well main text is told from the rest may not fall: floors, about one part in a hundred below what was measured.

The pages cannot ship, as they are others'. Where they are not at hand the tests are skipped, and say so. The measure
is that of `benchmarks/main_text.py`.
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest
from benchmarks.main_text import Score, cases, drawn, lycosa_main, on_cases, score, trafilatura

CASES_FLOOR = 0.96
WEB_FLOORS = {"uci-ics-10k": 0.86, "webkb": 0.83}


def test_cases(shared: Path) -> None:
    means, _, empty = on_cases(lycosa_main, cases(shared / "cases" / "article-extraction"))
    assert empty == 0
    assert means.f1 >= CASES_FLOOR
    assert min(means) >= 0.95


@pytest.mark.parametrize("name", WEB_FLOORS)
def test_webs(shared: Path, name: str) -> None:
    pytest.importorskip("trafilatura")
    pages = [(page, trafilatura(page)) for page in drawn(shared / "webs" / name)]
    scores: list[Score] = [score(lycosa_main(page), wanted, 5) for page, wanted in pages if wanted]
    assert mean(each.f1 for each in scores) >= WEB_FLOORS[name]

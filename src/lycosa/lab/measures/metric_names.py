"""What may decide between strategies, by name, and after how many pages it is read."""

from __future__ import annotations

MARKS = (50, 100, 300, 500, 600, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
"""After so many pages curves are read, up to the budget."""
SHORTEST = 100
"""Of the marks, those from here on have an area under the curve of their own, `auc@N`."""
CURVES = ("auc", "recall", "harvest", "relevance")
WHOLE = ("auc", "hosts", "similarity", "auc over requests", "auc over time", "recall over time")
"""What may decide between strategies: of the first N pages, written `recall@N`, and of whole crawls."""


def is_metric(name: str, budget: int) -> bool:
    """Whether crawls of so many pages may have such a value, and more of it is better."""
    kind, at, pages = name.partition("@")
    if not at:
        return kind in WHOLE
    read_there = pages.isdigit() and int(pages) in marks(budget)
    return read_there and kind in CURVES and (kind != "auc" or int(pages) >= SHORTEST)


def marks(budget: int) -> list[int]:
    """The numbers of pages at which curves are read, up to the budget, which is always one."""
    return sorted({*(n for n in MARKS if n < budget), budget})

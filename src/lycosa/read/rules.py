"""How often each rule that tells a part of a paper was right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RIGHT: Final[Mapping[str, tuple[int, int]]] = {
    "abstract: heading": (148, 150),
    "abstract: inline": (50, 55),
    "authors: all names": (120, 130),
    "authors: both": (59, 59),
    "authors: metadata on the page": (10, 10),
    "authors: some names": (0, 10),
    "citation: title in the text, author": (562, 562),
    "citation: title, author": (26, 26),
    "citation: title, author, year": (536, 536),
    "citation: title, year": (16, 16),
    "paper: 0 signs": (0, 115),
    "paper: 1 signs": (15, 20),
    "paper: 2 signs": (12, 12),
    "paper: 3 signs": (31, 36),
    "paper: 4 signs": (167, 167),
    "reference: colon": (266, 266),
    "reference: commas": (0, 10),
    "reference: none, not whole": (0, 55),
    "reference: quoted": (330, 335),
    "reference: quoted, not whole": (0, 18),
    "reference: sentences": (378, 383),
    "reference: sentences, not whole": (0, 7),
    "reference: year first": (647, 662),
    "references: most read": (116, 120),
    "title: both": (74, 74),
    "title: type": (140, 151),
    "venue: masthead": (23, 23),
    "venue: named": (16, 16),
    "year: dated": (54, 59),
    "year: dated, as the file": (65, 65),
    "year: file": (32, 42),
    "year: youngest reference": (22, 59),
}
"""By part and rule: right, of how many."""


def confidence(part: str, rule: str) -> float:
    """The chance that what a rule told is right: (right + 1) / (all + 2), Laplace's rule of succession."""
    right, of = RIGHT.get(f"{part}: {rule}", (0, 0))
    return round((right + 1) / (of + 2), 3)

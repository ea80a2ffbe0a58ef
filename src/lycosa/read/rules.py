"""How often each rule that tells a part of a paper was right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RIGHT: Final[Mapping[str, tuple[int, int]]] = {
    "abstract: heading": (158, 165),
    "abstract: inline": (45, 50),
    "authors: all names": (135, 135),
    "authors: both": (64, 64),
    "authors: metadata on the page": (5, 5),
    "authors: some names": (0, 5),
    "citation: title in the text, author": (562, 562),
    "citation: title, author": (26, 26),
    "citation: title, author, year": (536, 536),
    "citation: title, year": (16, 16),
    "paper: 0 signs": (0, 45),
    "paper: 1 signs": (15, 15),
    "paper: 2 signs, references": (2, 2),
    "paper: 3 signs": (5, 5),
    "paper: 3 signs, references": (26, 26),
    "paper: 4 signs, references": (177, 177),
    "reference: colon": (266, 266),
    "reference: commas": (25, 35),
    "reference: initials": (70, 70),
    "reference: initials, not whole": (0, 5),
    "reference: none, not whole": (0, 30),
    "reference: quoted": (315, 320),
    "reference: quoted, not whole": (0, 8),
    "reference: sentences": (373, 383),
    "reference: sentences, not whole": (0, 12),
    "reference: year first": (597, 607),
    "references: most read": (116, 120),
    "title: both": (79, 79),
    "title: type": (135, 146),
    "venue: masthead": (23, 23),
    "venue: named": (16, 16),
    "year: dated": (49, 54),
    "year: dated, as the file": (80, 80),
    "year: file": (27, 32),
    "year: youngest reference": (32, 54),
}
"""By part and rule: right, of how many."""


def confidence(part: str, rule: str) -> float:
    """The chance that what a rule told is right: (right + 1) / (all + 2), Laplace's rule of succession."""
    right, of = RIGHT.get(f"{part}: {rule}", (0, 0))
    return round((right + 1) / (of + 2), 3)

"""How much of a text says again what it said before.

Sources: Rae et al., "Scaling language models: methods, analysis & insights from training Gopher", 2021, table A1 (of a
good text duplicate lines have at most 0.20 of the characters, duplicate runs of five words at most 0.15); Penedo et
al., "The FineWeb datasets", NeurIPS 2024 (duplicate lines at most 0.10 of the characters).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from lycosa.crawl.sketch import WORDS, shingle_hashes, word_hashes
from lycosa.model.spaceless import with_blanks

MOST_WORDS: Final = 50_000
"""Words of which runs are looked for, the first of a text."""


def repetition(text: str) -> float:
    """The share of a text's characters that stand in repetitions, in [0, 1]; 0 of a text that repeats nothing.

    The larger of `repeated_lines` and `repeated_runs`: menus that come twice show in the one, phrases that are strung
    together for search engines in the other.
    """
    return max(repeated_lines(text), repeated_runs(text))


def repeated_lines(text: str) -> float:
    """The share of characters in lines that stood before, white space at the ends of lines apart."""
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    once = sum(map(len, dict.fromkeys(lines)))
    return 1 - once / total if (total := sum(map(len, lines))) else 0.0


def repeated_runs(text: str) -> float:
    """The share of characters in runs of five words that stood before, whatever their case; white space apart. A
    character counts once, however many of the runs have it."""
    words = with_blanks(text).split(None, MOST_WORDS)[:MOST_WORDS]
    if len(words) <= WORDS:
        return 0.0
    runs = shingle_hashes(word_hashes(text, MOST_WORDS))
    again = np.ones(len(runs), bool)
    again[np.unique(runs, return_index=True)[1]] = False
    covered = np.zeros(len(words), bool)
    for place in range(WORDS):
        covered[place : place + len(runs)] |= again
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    return float(lengths[covered].sum() / lengths.sum())

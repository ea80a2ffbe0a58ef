"""What differs between two texts, as lines for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lycosa.crawls.word_difference import Piece
from lycosa.report.wording import clean

AROUND = 8
"""Words on either side of a change that are shown with it."""
_SIGNS = {"same": " ", "removed": "-", "added": "+"}


def changed_lines(pieces: Sequence[Piece]) -> Iterator[tuple[str, str]]:
    """Changes with the words around them: a sign, `-` for removed, `+` for added or a blank, and what stands behind
    it."""
    for place, piece in enumerate(pieces):
        words = list(piece.words)
        if piece.kind == "same":
            head = words[:AROUND] if place else []
            tail = words[-AROUND:] if place < len(pieces) - 1 else []
            if len(head) + len(tail) < len(words):
                words = [*head, "…", *tail]
        yield _SIGNS[piece.kind], clean(" ".join(words))

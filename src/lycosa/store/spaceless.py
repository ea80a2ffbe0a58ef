"""Scripts that write words without blanks between them: each sign is a word of the index, each query a phrase of signs.

So what is found is what holds the signs of the query in their order. No dictionary is needed, and a word that none has
is found too. (Words by a dictionary would rank better; two signs a word would make an index as large.)
"""

from __future__ import annotations

import re
from typing import Final

SEAM: Final = "\u200b"
"""A blank without width: it parts words for the index, and can be taken out again."""

_SIGN = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u30ff\u31f0-\u31ff"  # Han, kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
    "|[\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff]"  # Thai, Lao, Burmese, Khmer, with their marks
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3]*"
)
_FIRST: Final = "\u0e01"


def spaced(text: str) -> str:
    """The text with a seam around each sign of such a script."""
    if text.isascii() or max(text) < _FIRST:
        return text
    return _SIGN.sub(f"{SEAM}\\g<0>{SEAM}", text.replace(SEAM, ""))


def unspaced(text: str) -> str:
    """The text without seams."""
    return text.replace(SEAM, "")

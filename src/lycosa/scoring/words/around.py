"""Where the words of a link end in its page's text, and which words stand around them."""

from __future__ import annotations

from itertools import takewhile

REACH = 30
"""Characters looked at for each word around a link: longer words on average come fewer."""


def anchor_end(text: str, start: int, anchor: str) -> int:
    """Where the words of a link end that begin in the text at `start`.

    An anchor begins with the words that are shown; what follows (alternative texts of images, a title) does not stand
    in the text. Of a link that is an image `start` is the end too.

    >>> anchor_end("see Spiders, and Insects", 4, "Spiders all about them")
    11
    """
    shown = text[start : start + len(anchor)].replace("\n", " ")  # a link may hold several blocks
    if shown == anchor:
        return start + len(anchor)
    shared = sum(1 for _ in takewhile(bool, map(str.__eq__, anchor, shown)))
    if anchor[shared : shared + 1] == " ":
        return start + shared
    return start + max(0, anchor.rfind(" ", 0, shared))  # the word goes on otherwise


def words_around(text: str, start: int, end: int, window: int) -> str:
    """text[start:end] with up to `window` words on either side, of the same line. Signs that touch are no words.

    >>> words_around("one two (three), four five", 9, 14, 1)
    'two (three), four'
    """
    before = text[max(0, start - REACH * (window + 1)) : start].rpartition("\n")[2]
    after = text[end : end + REACH * (window + 1)].partition("\n")[0]
    left_blank, right_blank = " " * before.endswith(" "), " " * after.startswith(" ")
    touched = start < end  # an image is no word that anything could be part of
    left, right = before.split(), after.split()
    left = left[max(0, len(left) - window - (touched and not left_blank)) :]
    right = right[: window + (touched and not right_blank)]
    return f"{' '.join(left)}{left_blank}{text[start:end]}{right_blank}{' '.join(right)}".strip()

"""Words and pages of the made-up topical web."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from itertools import accumulate

from lycosa.model.records import Record
from lycosa.web.made.chance import Permutation, mix

GENERAL, PARENT, LEAF = 3000, 25, 40
"""Words that every page may use, that the pages under one main topic share, and that one topic has to itself."""

_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_LAST_VOWELS = "aou"
_SYLLABLES = [c + v for c in _CONSONANTS for v in _VOWELS]
_LAST = [c + v for c in _CONSONANTS for v in _LAST_VOWELS]
_COUNT = len(_SYLLABLES) ** 2 * len(_LAST)


class Anchor(Record, frozen=True, kw_only=True, gc=False):
    """A link to be written on a page."""

    url: str
    topic: int | None
    """What the anchor speaks of; None: of anything."""
    internal: bool = False


class Words:
    """The vocabulary: topics do not share words, and no word is changed by stemming or is a stop word."""

    def __init__(self, parents: int, leaves: int, seed: int) -> None:
        self._leaves = leaves
        self._parents = parents
        self._order = Permutation(_COUNT, mix(seed, 77))
        self._general = [self._word(number) for number in range(GENERAL)]
        self._weights = list(
            accumulate(1 / (rank + 8) for rank in range(GENERAL))
        )  # after Zipf and Mandelbrot

    def parent(self, parent: int) -> Sequence[str]:
        """The words of a main topic."""
        start = GENERAL + parent * PARENT
        return [self._word(number) for number in range(start, start + PARENT)]

    def leaf(self, leaf: int) -> Sequence[str]:
        """The words of a topic itself."""
        start = GENERAL + self._parents * PARENT + leaf * LEAF
        return [self._word(number) for number in range(start, start + LEAF)]

    @lru_cache(maxsize=512)  # noqa: B019 - bounded, and a vocabulary lives as long as its web
    def of_topic(self, leaf: int) -> tuple[Sequence[str], Sequence[str]]:
        return self.leaf(leaf), self.parent(leaf // self._leaves)

    def text(self, topic: int | None, count: int, chance: random.Random) -> list[str]:
        """So many words on a topic: a quarter its own, a tenth those of its main topic."""
        words = chance.choices(self._general, cum_weights=self._weights, k=count)
        if topic is not None:
            own, shared = self.of_topic(topic)
            for place in range(count):
                draw = chance.random()
                if draw < 0.35:
                    words[place] = (
                        own[int(draw / 0.25 * LEAF)] if draw < 0.25 else shared[int(draw * 1000) % PARENT]
                    )
        return words

    def _word(self, number: int) -> str:
        rest, last = divmod(self._order.there(number), len(_LAST))
        first, second = divmod(rest, len(_SYLLABLES))
        return _SYLLABLES[first] + _SYLLABLES[second] + _LAST[last]


def html(
    words: Sequence[str],
    anchors: Sequence[tuple[Anchor, str]],
    *,
    news: Sequence[str] = (),
    header: str = "",
    footer: str = "",
) -> bytes:
    """A page: navigation with the links inside the host, text in which some of the others stand, a list of the rest.

    Besides, where given, in HTML: a list of news above the text, what stands above the navigation, what stands below
    all.
    """
    title = escape(" ".join(words[:4]).capitalize())
    nav = " ".join(link(anchor, said) for anchor, said in anchors if anchor.internal)
    outside = [(anchor, said) for anchor, said in anchors if not anchor.internal]
    within, listed = outside[: len(outside) // 2], outside[len(outside) // 2 :]
    third = max(1, len(words) // 3)
    parts = [words[start : start + third] for start in range(4, len(words), third)]
    paragraphs = [" ".join(part) for part in parts]
    for place, (anchor, said) in enumerate(within):
        paragraphs[place % len(paragraphs)] += f" {link(anchor, said)} " + " ".join(
            parts[place % len(parts)][:6]
        )
    items = "".join(f"<li>{link(anchor, said)}</li>\n" for anchor, said in listed)
    body = "".join(f"<p>{paragraph}.</p>\n" for paragraph in paragraphs)
    latest = "<ol>\n" + "".join(f"<li>{each}</li>\n" for each in news) + "</ol>\n" if news else ""
    top = f"<header>{header}</header>\n" if header else ""
    bottom = f"<footer>{footer}</footer>\n" if footer else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body>{top}<nav>{nav}</nav>\n<h1>{title}</h1>\n{latest}{body}<h2>{escape(words[-1])}</h2>\n"
        f"<ul>\n{items}</ul>\n{bottom}</body></html>\n"
    ).encode()


def link(anchor: Anchor, said: str) -> str:
    return f'<a href="{anchor.url}">{said}</a>'

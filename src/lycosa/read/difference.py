"""What a page that was fetched again says otherwise: its main text, block by block and by its shingles, and its links.

What of a page is main text is told by each version alone, as the reading of blocks tells it (Küçük, MSc thesis, 2009,
section 2.1.4). Comparing versions could not tell: both the template and the content are mostly as they were. But the
reading leaves out all short blocks, and the cells of a table are short, the verdict in it too. So here a short block is
main text, unless it is navigation or a stamp: a block that stands alone and has a number among any four words, as dates
and counters have. Where cells stand side by side they are a table, and its numbers count.

Importance follows Ben Saad and Gançarski, "Archiving the web using page changes patterns", JCDL 2011: blocks with
weights, and a share for what was inserted, deleted, updated or moved in them. Weights and shares are our own.
Divergence follows Olston and Pandey, "Recrawl scheduling based on information longevity", WWW 2008.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

import numpy as np

from lycosa.crawl.sketch import shingle_hashes, word_hashes
from lycosa.model.records import SAME, Change, Page, Worth
from lycosa.model.url import Url
from lycosa.read.blocks import MIN_WORDS

HEADING_WEIGHT: Final = 2.0
"""Of the words of a heading; those of other blocks weigh 1, and so does a link."""
MOVED: Final = 0.25
"""The share of a block that counts as changed if it only stands elsewhere."""
CELLS: Final = 5
"""Short blocks side by side that make a table or a list."""
STAMP: Final = 0.25
"""The share of its words that have a digit, from which on a block may be a stamp."""
_WITH_DIGIT = re.compile(r"(?<!\S)[^\s\d]*+\d\S*")


def difference(before: Page, page: Page) -> Change:
    """What differs between two versions of a page. About 1 ms for 50 KB of HTML.

    Invariants, each the name of a property test:

    * a version and itself do not differ.
    * either way: exchanging the versions exchanges new and lost links, and leaves worth and divergence as they are.
    * within bounds: importance and divergence lie in [0, 1], and are 0 unless the content differs.
    """
    if before.digest == page.digest:
        return SAME
    had, has = set(before.out), set(page.out)
    new, lost = len(has - had), len(had - has)
    headings = {*before.headings, *page.headings}
    old_lines, lines = _outside_stamps(_own_lines(before), _own_lines(page), headings)
    old_links, links = _outside_navigation(before), _outside_navigation(page)
    if old_lines == lines and old_links == links:
        return Change(worth=Worth.DRESSING, new_links=new, lost_links=lost)
    return Change(
        worth=Worth.CONTENT,
        importance=_importance(old_lines, lines, headings, len(old_links & links), len(old_links ^ links)),
        divergence=divergence("\n".join(old_lines), "\n".join(lines)),
        new_links=new,
        lost_links=lost,
    )


def divergence(before: str, text: str) -> float:
    """1 - |A ∩ B| / |A ∪ B| of the distinct shingles of two texts, in [0, 1]: runs of five words whatever their case,
    by hashes of 64 bits that are the same everywhere; of a shorter text its whole. 0 for two empty texts."""
    if before == text:
        return 0.0
    old, new = (np.unique(shingle_hashes(word_hashes(each, most=len(each)))) for each in (before, text))
    common = len(np.intersect1d(old, new, assume_unique=True))
    union = len(old) + len(new) - common
    return 1.0 - common / union if union else 0.0


def _own_lines(page: Page) -> list[str]:
    """The blocks of a page that are not navigation, in their order."""
    lines = page.text.split("\n") if page.text else []
    if not page.nav_lines:
        return lines
    nav = set(page.nav_lines)
    return [line for place, line in enumerate(lines) if place not in nav]


def _outside_stamps(before: list[str], lines: list[str], headings: set[str]) -> tuple[list[str], list[str]]:
    """Both versions without the stamps that only one of them has: others make no difference."""
    if before == lines:
        return before, lines
    of_both = set(before).intersection(lines)

    def without(version: list[str]) -> list[str]:
        return [
            line
            for place, line in enumerate(version)
            if line in of_both or not _is_stamp(line) or _among_cells(version, place, headings)
        ]

    return without(before), without(lines)


def _is_short(line: str) -> bool:
    return line.count(" ") < MIN_WORDS - 1


def _is_stamp(line: str) -> bool:
    return len(_WITH_DIGIT.findall(line)) >= STAMP * (line.count(" ") + 1)


def _among_cells(lines: Sequence[str], place: int, headings: set[str]) -> bool:
    """Whether a block is one of `CELLS` or more that are short or could be stamps, side by side under one heading."""

    def is_cell(line: str) -> bool:
        return line not in headings and (_is_short(line) or _is_stamp(line))

    above, below = lines[max(0, place - CELLS) : place][::-1], lines[place + 1 : place + CELLS]
    beside = sum(sum(1 for _ in takewhile(is_cell, side)) for side in (above, below))
    return beside + 1 >= CELLS


def _outside_navigation(page: Page) -> set[Url]:
    return {link.target for link in page.links if not link.in_nav}


def _importance(
    before: Sequence[str], lines: Sequence[str], headings: set[str], kept_links: int, other_links: int
) -> float:
    """E = Σ_blocks w·(inserted + deleted + updated + ¼·moved words) / Σ_blocks w·(all words of either version), links
    counting as words. What stands in both versions is counted once; of an updated block, words that stay are none."""

    def weight(line: str) -> float:
        return (HEADING_WEIGHT if line in headings else 1.0) * (line.count(" ") + 1)

    kept, moved, gaps = _matched(before, lines)
    changed = common = 0.0
    for gone, come in gaps:
        old, new = _words(gone, headings), _words(come, headings)
        both = (old & new).total()
        common += both
        changed += old.total() + new.total() - 2 * both
    moving = sum(map(weight, moved))
    staying = sum(map(weight, kept)) + common + kept_links
    changed += other_links
    return (changed + MOVED * moving) / (changed + moving + staying)


def _words(lines: Iterable[str], headings: set[str]) -> Counter[str]:
    """Words with their weights, which are whole numbers."""
    words = Counter[str]()
    for line in lines:
        times = int(HEADING_WEIGHT) if line in headings else 1
        for word in line.split():
            words[word] += times
    return words


def _matched(
    before: Sequence[str], lines: Sequence[str]
) -> tuple[list[str], list[str], Iterable[tuple[list[str], list[str]]]]:
    """The blocks that both versions have, in the same order and moved, and the others by the gaps between those that
    stay: of each gap what was in it, and what is."""
    where = defaultdict[str, list[int]](list)
    for place in reversed(range(len(before))):
        where[before[place]].append(place)
    pairs = [(where[line].pop(), place) for place, line in enumerate(lines) if where.get(line)]
    stay = _ascending([old for old, _ in pairs])
    staying = [pairs[n] for n in stay]
    moved = {pairs[n] for n in set(range(len(pairs))).difference(stay)}
    gaps = defaultdict[int, tuple[list[str], list[str]]](lambda: ([], []))
    for side, version in enumerate((before, lines)):
        matched = {pair[side] for pair in pairs}
        edges = [pair[side] for pair in staying]
        for place in range(len(version)):
            if place not in matched:
                gaps[bisect(edges, place)][side].append(version[place])
    return [lines[new] for _, new in staying], [lines[new] for _, new in moved], gaps.values()


def _ascending(numbers: Sequence[int]) -> list[int]:
    """Places of a longest ascending run among distinct numbers, by the lowest ends of runs of each length (Fredman,
    1975): n log n."""
    ends: list[int] = []
    at: list[int] = []
    previous: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number)
        previous.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            at.append(place)
        else:
            ends[length], at[length] = number, place
    run = []
    place = at[-1] if at else -1
    while place >= 0:
        run.append(place)
        place = previous[place]
    return run[::-1]

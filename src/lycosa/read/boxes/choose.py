"""Which runs of words are a page's main text.

First is cut what the markup names as navigation, comments, teasers and the like. A name may be wrong, or stand on what
holds the page as a whole, so much prose is never cut by a name alone. Then there are two kinds of pages.

An *article* is prose in one place. Each run gives its box a weight that grows with its length and its commas and falls
with its links (Readability, Arc90, 2009), and less to each box further out:

    w = (1 - linked/length)^2 · (1 + min(length/100, 3) + min(commas, 5)/2),      0.6^k of it to the kth box outward.

The box of most weight is the article, with its likes if it is one of several on the page, and with what stands in the
same box of content. What is only links is left out. The numbers were chosen on one half of the pages with which
`benchmarks/main_text.py` measures.

On any *other* page (an index, a list of people, a form, a home page) there is no such box. It keeps all that is not
cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from lycosa.read.boxes.hints import CONTENT, FOOT, SIDE
from lycosa.read.boxes.outline import HEADINGS, Box, Outline, Run

PROSE: Final = 80
"""A run of as many characters, not mostly links, is prose."""
MAX_LINKED: Final = 0.4
"""Share of links in prose."""
ONLY_LINKS: Final = 0.8
"""A run with a larger share of links is only links."""
MIN_WEIGHED: Final = 25
"""Characters of a run that has weight."""
OUTWARD: Final = 0.6
REACH: Final = 5
"""Boxes outward that a run gives weight to."""
MOST: Final = 0.4
"""So large a part of the page's prose is not cut by a name alone..."""
MUCH: Final = 300
"""...and, if the name is one of navigation, only so many characters of it."""
WHOLE: Final = 0.6
"""What holds so large a part of all words is no footer; half of the rest for navigation."""
WHOLE_NAVIGATION: Final = 0.9
FAVOUR: Final = 1.3
"""Factor of the weight of a box that the markup names content."""
ARTICLE: Final = 200
"""Characters of prose in an article that the markup names content..."""
UNNAMED: Final = 1_500
"""...and in one that it does not name."""
MIN_SHARE: Final = 0.25
"""Of all words that are no links, how large a part an article has at least."""
NEARLY_ALL: Final = 0.95
"""On a page without an article, a box with so large a part of all words holds them all."""
FEW: Final = 150
"""Characters of text that are too few, if the page has `TIMES` as many."""
TIMES: Final = 3
LIKE: Final = 0.3
"""Boxes like an article belong to it if they have so much prose for each character of its own."""
BESIDE: Final = (0.3, 0.5)
"""What stands beside an article in the same box of content belongs to it if it has this part of its words or more, of
which no larger part than the second are links."""
MAX_AROUND: Final = 20
"""Boxes around an article that are looked at for what belongs to it."""
_IN_BLOCKS: Final = frozenset({"p", "li", "blockquote", "pre", "td"})
_LISTED: Final = frozenset({"div", "li", "p"})
_TOPS: Final = frozenset({"html", "body"})
_LANDMARKS: Final = frozenset({"nav", "footer", "aside"})
_ROWS: Final = frozenset({"tr", "tbody"})


def choose(page: Outline) -> Sequence[Run]:
    """The runs that are main, in document order; some, if there are any."""
    _measure(page)
    _cut(page)
    _weigh(page)
    uncut = [run for run in page.runs if not run.box.cut]
    letters = sum(len(run.text) for run in uncut)
    if letters < FEW and page.letters > TIMES * letters:
        return _more(page)
    top = _heaviest(page)
    if top.prose >= (ARTICLE if _is_named(top, page) else UNNAMED):
        top = _with_beside(_with_likes(top, page), page)
        if top.free >= MIN_SHARE * page.top.free:
            chosen = [run for run in page.within(top) if not (run.box.cut or _is_link(run))]
            if chosen:
                return chosen
    else:
        chosen = [run for run in page.within(top) if not run.box.cut]
        if sum(len(run.text) for run in chosen) > NEARLY_ALL * letters:
            return chosen
    return uncut or page.runs


def _more(page: Outline) -> Sequence[Run]:
    """Where hardly anything is left: all but navigation, or all."""
    runs = [run for run in page.runs if not run.box.in_navigation]
    letters = sum(len(run.text) for run in runs)
    return runs if letters >= FEW or page.letters <= TIMES * letters else page.runs


def _measure(page: Outline) -> None:
    """Count the characters of each box: all, links, and prose."""
    for run in page.runs:
        box, length = run.box, len(run.text)
        box.letters += length
        box.linked += run.linked
        if length >= PROSE and run.linked < MAX_LINKED * length:
            box.prose += length
    for box in reversed(page.boxes):
        if (above := box.above) is not None:
            above.letters += box.letters
            above.linked += box.linked
            above.prose += box.prose


def _cut(page: Outline) -> None:
    """Cut by names; what stands in a cut box is cut with it."""
    for box in page.boxes:
        above = box.above
        if above is not None and above.cut:
            box.cut, box.in_navigation = True, above.in_navigation
        elif box.hint and box.hint != CONTENT and _is_cut(box, page.top):
            box.cut, box.in_navigation = True, box.hint != SIDE


def _is_cut(box: Box, whole: Box) -> bool:
    is_most = box.prose > MOST * whole.prose
    if box.hint == SIDE:
        return not is_most
    if box.hint == FOOT:
        return box.letters < WHOLE * whole.letters
    return (
        box.prose < MUCH or not is_most or box.tag in _LANDMARKS
    ) and box.letters < WHOLE_NAVIGATION * whole.letters


def _weigh(page: Outline) -> None:
    """Give weight to boxes, and count their uncut words that are no links."""
    for run in page.runs:
        if run.box.cut:
            continue
        if not _is_link(run):
            run.box.free += len(run.text) - run.linked
        weight = _weight(run)
        at = run.box.above if run.box.tag in _IN_BLOCKS else run.box
        for _ in range(REACH):
            if not weight or at is None:
                break
            at.weight += weight
            weight *= OUTWARD
            at = at.above
    for box in reversed(page.boxes):
        if box.above is not None:
            box.above.free += box.free


def _weight(run: Run) -> float:
    length = len(run.text)
    if length < MIN_WEIGHED or run.box.tag in HEADINGS:
        return 0.0
    unlinked = 1 - run.linked / length
    return unlinked * unlinked * (1 + min(length / 100, 3.0) + min(run.text.count(","), 5) / 2)


def _is_link(run: Run) -> bool:
    """Whether it is only links, and stands where lists of links do."""
    return run.linked > ONLY_LINKS * len(run.text) and run.box.tag in _LISTED


def _heaviest(page: Outline) -> Box:
    best, most = page.top, 0.0
    for box in page.boxes:
        if box.weight > 0.0:
            weight = box.weight * (1 - box.linked / box.letters)
            if box.hint == CONTENT:
                weight *= FAVOUR
            if weight > most and box.tag not in _ROWS:
                best, most = box, weight
    return best


def _is_named(top: Box, page: Outline) -> bool:
    """Whether the markup names it content: itself, a box around it, or one that holds most of it."""
    at: Box | None = top
    while at is not None:
        if at.hint == CONTENT:
            return True
        at = at.above
    return any(
        box.hint == CONTENT and box.weight > top.weight / 2 for box in page.boxes[top.place : top.until]
    )


def _with_likes(top: Box, page: Outline) -> Box:
    """The box around an article and its likes, where it is one of several."""
    at = top
    for above in _around(top):
        if at.hint == CONTENT:
            likes = sum(
                box.prose
                for box in page.boxes[above.place : above.until]
                if box.above is above
                and box is not at
                and box.hint == CONTENT
                and box.tag == at.tag
                and not box.cut
            )
            if likes > LIKE * at.prose:
                return above
        at = above
    return top


def _with_beside(top: Box, page: Outline) -> Box:
    """The box of content around an article and what belongs to it."""
    least, most_linked = BESIDE
    for at in _around(top):
        if at.hint == CONTENT and at.free > (1 + least) * top.free:
            beside = [run for run in page.outside(top, at) if not run.box.cut]
            letters = sum(len(run.text) for run in beside)
            if sum(run.linked for run in beside) <= most_linked * letters:
                top = at
    return top


def _around(box: Box) -> Iterator[Box]:
    """The boxes around one, from the inside, within the page's body."""
    at = box.above
    for _ in range(MAX_AROUND):
        if at is None or at.tag in _TOPS:
            return
        yield at
        at = at.above

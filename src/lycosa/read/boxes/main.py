"""The main text of a tree, told by the compiled pass (`native/reading.c`) where it could be built. Its twin in Python
is `outline` and `choose`."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from lycosa.read import compiled
from lycosa.read.boxes import choose as rules
from lycosa.read.boxes import hints
from lycosa.read.boxes import outline as tags
from lycosa.read.boxes.choose import choose
from lycosa.read.boxes.outline import Run, outline
from lycosa.read.markup import parse

_MOST_NAMED: Final = 4_096
"""Names of which is remembered what they say."""
_HINTS: Final = ("", hints.CONTENT, hints.NAVIGATION, hints.FOOT, hints.SIDE)


class Main(NamedTuple):
    """Some runs of a page."""

    text: str
    """One a line."""
    letters: int
    """Characters of theirs..."""
    whole: int
    """...and of all runs of the page."""


def main_of(root: LexborNode | None) -> Main:
    """The main text of a page."""
    found = by_compiled(root) if _FITS and root is not None else None
    return by_python(root) if found is None else found


def by_python(root: LexborNode | None) -> Main:
    page = outline(root)
    return told(choose(page), page.letters)


def told(runs: Sequence[Run], whole: int) -> Main:
    """These runs, of a page with so many characters."""
    return Main("\n".join(run.text for run in runs), sum(len(run.text) for run in runs), whole)


class _Named(dict[str, int]):
    """The numbers of the hints that names give."""

    def __missing__(self, names: str) -> int:
        if len(self) >= _MOST_NAMED:
            self.clear()
        found = self[names] = _HINTS.index(hints.named(names))
        return found


def _hint(tag: str, attributes: Mapping[str, str | None]) -> int:
    return _HINTS.index(hints.hint(tag, attributes))


def _kinds() -> bytes:
    """What each tag is, by its number: the bits are those of `native/reading.c`."""
    named: Sequence[Iterable[str]] = (
        tags._BOXES, tags._SKIPPED, tags._STYLED, ["a"], ["br"], [], tags._BARE, tags.HEADINGS, tags.PREFORMATTED,
        rules._IN_BLOCKS, rules._LISTED, rules._TOPS, rules._LANDMARKS, rules._ROWS,
    )  # fmt: skip
    kinds = array("I", bytes(4 * compiled._TAGS))
    for bit, names in enumerate(named):
        for name in names:
            kinds[tags._ID[name]] |= 1 << bit
    kinds[tags._TEXT] = 1 << named.index([])
    for name, hint in hints._BY_TAG.items():
        kinds[tags._ID[name]] |= _HINTS.index(hint) << len(named)
    return kinds.tobytes()


def by_compiled(root: LexborNode) -> Main | None:
    """The same by the compiled pass, which takes the tree where it lies: selectolax has it of the same parser. None
    where there is none."""
    found = compiled.main_text(root.mem_id, _KINDS, _NAMED, _hint)
    return None if found is None else Main(*found)


def _fits() -> bool:
    """Whether it says of a page what Python says."""
    tree = parse(_TRIED)
    assert tree.root is not None
    return by_compiled(tree.root) == by_python(tree.root)


_WORDS: Final = "Some words of prose, of which there are enough to weigh, and more than that. "
_TRIED: Final = f"""<body><div id=menu><a href=/>W\u00f6lfe</a></div><main style=''><h1>A title</h1><p>{9 * _WORDS}
<a href=x>a <b>link</b></a><pre>\ta\n\n b</pre></main><footer><p>The foot</footer>"""
_KINDS: Final = _kinds()
_NAMED: Final = _Named()
_FITS: Final = _fits()

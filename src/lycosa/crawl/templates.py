"""Templates: which blocks of a page its host repeats over its pages (menus, footers, notices).

After Küçük, MSc thesis, 2009, section 2.1.4, where the main content is what differs between pages of a site. A block is
known by a hash of its text. It is template if it stands on a quarter of the last pages of its host and on three at
least: so several templates of a site are known side by side, and two copies of an article make none.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import lru_cache
from math import ceil
from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lycosa.model.compiled import compiled
from lycosa.model.packed import listed, packed
from lycosa.model.url import Host

_SKETCHING: Final = compiled("lycosa.crawl._sketching")

PAGES: Final = 16
"""The last pages of a host that are compared."""
LEAST: Final = 3
"""Pages on which a block of a template stands."""
SHARE: Final = 0.25
"""Of the last pages of a host, on which a block of a template stands."""
BLOCKS: Final = 512
"""Of a page that are looked at, half of them its first and half its last: templates stand around what they hold."""
MOST_BLOCKS: Final = 1 << 19
"""That are remembered of all hosts together: 2 MiB."""


class Blocks(NamedTuple):
    """The blocks of one page, each known by a hash."""

    lines: int
    looked_at: NDArray[np.uint32]
    """One for each line that is looked at, in their order."""
    distinct: array[int]
    """Ascending."""


@lru_cache(maxsize=1)
def in_utf8(text: str) -> bytes:
    """The bytes of a text. Several things are worked out of each, one after the other."""
    return text.encode("utf-8", "replace")


def blocks(text: str) -> Blocks:
    """The blocks of a page by its text, one a line."""
    written = in_utf8(text)
    if _SKETCHING is not None:
        count, found, distinct = _SKETCHING.blocks(written, BLOCKS)
        return Blocks(count, np.frombuffer(found, np.uint32), array("I", distinct))
    lines = written.split(b"\n")
    looked_at = lines if len(lines) <= BLOCKS else lines[: BLOCKS // 2] + lines[-(BLOCKS // 2) :]
    marks = np.fromiter(map(crc32, looked_at), np.uint32, len(looked_at))
    return Blocks(len(lines), marks, array("I", sorted(set(marks.tolist()))))


class Templates:
    """What a crawl remembers to tell templates from content. Pure: the same calls give the same answers.

    Beyond `most` blocks, the host that brought no page for the longest time is forgotten.

    Invariants, each the name of a property test:

    * within bounds: no more than `PAGES` pages of `BLOCKS` blocks are kept of a host, and `most` blocks of all.
    * load restores: `load(save())` restores every answer.
    * as if counted: the answers are those of a count of the host's last pages, block by block.
    """

    def __init__(self, most: int = MOST_BLOCKS, read: Callable[[str], Blocks] = blocks) -> None:
        """`read` is `blocks`, or what answers as it does."""
        self._most, self._read = most, read
        self._hosts: dict[Host, list[array[int]]] = {}  # distinct blocks, page by page; the latest host last
        self._kept = 0

    def seen(self, host: Host, text: str) -> bytes:
        """Note a page by its text, one block a line. Which of its lines are template (1, others 0), the page itself
        counted.

        Empty for a page without text, which is not noted.
        """
        if not text:
            return b""
        lines, marks, distinct = self._read(text)
        pages = self._note(host, distinct)
        if len(pages) < LEAST:
            return bytes(lines)
        flags = _frequent(marks, pages, max(LEAST, ceil(SHARE * len(pages))))
        if lines == len(marks):
            return flags
        half, between = len(marks) // 2, lines - len(marks)
        return flags[:half] + bytes(between) + flags[half:]

    def save(self) -> bytearray:
        """Plain values for a snapshot."""
        hosts = ([host, [page.tobytes() for page in pages]] for host, pages in self._hosts.items())
        return packed(len(self._hosts), hosts)

    def load(self, saved: Any) -> None:
        """Become what was saved. In a snapshot of an earlier version pages are lists of numbers."""
        self._hosts = {Host(host): [array("I", page) for page in pages] for host, pages in listed(saved)}
        self._kept = sum(len(page) for pages in self._hosts.values() for page in pages)
        self._forget()

    def _note(self, host: Host, marks: array[int]) -> list[array[int]]:
        pages = self._hosts.pop(host, [])
        self._hosts[host] = pages
        pages.append(marks)
        self._kept += len(marks)
        if len(pages) > PAGES:
            self._kept -= len(pages.pop(0))
        self._forget()
        return pages

    def _forget(self) -> None:
        while self._kept > self._most:
            longest_ago = next(iter(self._hosts))
            self._kept -= sum(map(len, self._hosts.pop(longest_ago)))


def without_template(text: str, template: bytes) -> str:
    """The lines of a text that are a page's own; `template` is what `Templates.seen` says of them."""
    if 1 not in template:
        return text
    return "\n".join(line for line, flag in zip(text.split("\n"), template, strict=True) if not flag)


def _frequent(marks: NDArray[np.uint32], pages: list[array[int]], least: int) -> bytes:
    """Whether each block stands on so many of the pages: 1 or 0."""
    if _SKETCHING is not None:
        flags: bytes = _SKETCHING.frequent(marks, pages, least)
        return flags
    together = np.sort(np.concatenate([np.frombuffer(page, np.uint32) for page in pages]))
    times = np.searchsorted(together, marks, "right") - np.searchsorted(together, marks, "left")
    return (times >= least).tobytes()

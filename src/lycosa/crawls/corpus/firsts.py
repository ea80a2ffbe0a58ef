"""Of which earlier page each page is a copy, or nearly one."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from lycosa.model.records import Record
from lycosa.model.url import Url

if TYPE_CHECKING:
    from lycosa.crawls.answers import PageRow
    from lycosa.crawls.corpus.near_firsts import NearFirsts
    from lycosa.store.history import Listed


class Known(Record, frozen=True, kw_only=True):
    """What a page is told to be a copy by."""

    url: Url
    digest: str
    """Of its bytes; empty if it is not known."""
    text: str = ""
    """As it is exported; without a word it is a copy by its bytes alone."""


class Copy(NamedTuple):
    """The page that came first, where there is one; at most one of the two is not empty."""

    duplicate_of: Url | None = None
    """Its bytes, or its text, are the same."""
    near_duplicate_of: Url | None = None
    """It has nearly the same words: see `Firsts`."""


NO_COPY: Final = Copy()


class Firsts:
    """Tells of each page as it comes whether one before it had the same bytes or text, or nearly the same words.

    Near copies are found by `NearFirsts`. A page joins a first page and no other, so there are no chains of copies of
    copies.

    A million different pages take some 0.8 GB, and 0.2 GB without their texts.

    Invariants, each the name of a property test:

    * first of all: the page that is named came before, and is itself named a copy of none.
    * as compared with all: a near copy is found exactly where a comparison with all firsts finds one, the first that
      does.
    """

    def __init__(self) -> None:
        self._same: dict[int, int] = {}  # hashes of digests and texts: of 64 bits, as texts may be long
        self._urls = bytearray()
        self._ends = array("q", [0])

    def copy(self, page: Known | PageRow | Listed) -> Copy:
        """What the page is a copy of. It is remembered."""
        same, copy, first = self._same, NO_COPY, None
        keys = [hash(each) for each in (page.digest, page.text) if each]
        for key in keys:
            if (first := same.get(key)) is not None:
                copy = Copy(duplicate_of=self._url(first))
                break
        if first is None and page.text:
            first = self._near_firsts.first(page.text, len(self._ends) - 1)
            copy = NO_COPY if first is None else Copy(near_duplicate_of=self._url(first))
        if first is None:
            first = self._add(page.url)
        for key in keys:
            same.setdefault(key, first)
        return copy

    @cached_property
    def _near_firsts(self) -> NearFirsts:
        from lycosa.crawls.corpus.near_firsts import (
            NearFirsts,  # with numpy, which no export without texts needs
        )

        return NearFirsts()

    def _add(self, url: Url) -> int:
        self._urls += url.encode("utf-8", "replace")
        self._ends.append(len(self._urls))
        return len(self._ends) - 2

    def _url(self, place: int) -> Url:
        return Url(self._urls[self._ends[place] : self._ends[place + 1]].decode())

"""Near-copies of pages and endless traps, put into any web of the laboratory while it is crawled.

They are put in where a visit comes home, as recorded pages were read long before: the page that was visited gets more
links, and what these lead to is made of pages of the web. Nothing is stored.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Protocol

import msgspec
from msgspec.structs import replace

from lycosa.drive.visit import Outcome
from lycosa.model.digests import payload_digest
from lycosa.model.records import Deferred, Link, Millis, Page, Record, Request
from lycosa.model.url import Url, host_of
from lycosa.read.duplicates import simhash
from lycosa.scoring.words.terms import counts, together
from lycosa.spec.tree import Part

ADDED = 0.03
"""Words that a near-copy has more than its page, as a share of the page's."""
RUN = 25
"""Words that stay together where a trap takes up a page's text."""
ONWARD = 3
"""Links from each page of a trap further into it, at most."""

_QUERY_COPY = re.compile(r"(.+)[?&]print-version=(\d+)")
_MIRROR = re.compile(r"(https?://)mirror(\d+)\.(.+)")
_MONTH = re.compile(r"(.+)[?&]calendar-month=(\d{4,})-(\d\d)")
_SESSION = re.compile(r"(.+)[?&]session_id=([0-9a-f]{16})")
_DEEPER = re.compile(r"(.+?)/related-pages/([a-z/]+)")
_WORD = re.compile(r"[a-z]{3,12}")
_FIRST_YEAR = 2026


class Clutter(Part, frozen=True, kw_only=True):
    """What is put into a web."""

    copied: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    """Share of pages of which there are near-copies: the same text and links but for a few words, under other URLs,
    by turns of the same host and of another. Who links to such a page links to one of its copies too; the page and its
    copies link to all of them."""
    copies: Annotated[int, msgspec.Meta(ge=1, le=99)] = 3
    """Near-copies of each of these pages."""
    traps: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    """Share of pages with a link into a trap of their own: a calendar, session ids, or paths that grow. Its pages lead
    ever further into it, and have a third of the words of the page that led there, in runs."""


class Copy(Record, frozen=True, kw_only=True):
    """A near-copy, as its URL tells."""

    page: Url
    number: int
    """From 1."""

    @property
    def url(self) -> Url:
        host = host_of(self.page)
        if (
            self.number % 2 == 0 and host[-1].isalpha()
        ):  # not a number: addresses and ports have no subdomains
            return Url(self.page.replace(f"//{host}/", f"//mirror{self.number}.{host}/", 1))
        return Url(f"{self.page}{_joint(self.page)}print-version={self.number}")

    @classmethod
    def at(cls, url: str) -> Copy | None:
        if found := _QUERY_COPY.fullmatch(url):
            copy = cls(page=Url(found[1]), number=int(found[2]))
        elif found := _MIRROR.fullmatch(url):
            copy = cls(page=Url(found[1] + found[3]), number=int(found[2]))
        else:
            return None
        return copy if copy.url == url else None


class Trap(Record, frozen=True, kw_only=True):
    """A page of a trap, as its URL tells: the page that led there, and how it goes on from there."""

    page: Url
    url: Url

    @classmethod
    def at(cls, url: str) -> Trap | None:
        for pattern in (_MONTH, _SESSION, _DEEPER):
            if found := pattern.fullmatch(url):
                return cls(page=Url(found[1]), url=Url(url))
        return None

    def onward(self, draw: random.Random, words: Sequence[str]) -> list[Url]:
        """The pages that it leads to."""
        if found := _MONTH.fullmatch(self.url):
            now = int(found[2]) * 12 + int(found[3]) - 1
            return [_month(self.page, now + ahead) for ahead in (1, 2, 12)]
        if _SESSION.fullmatch(self.url):
            return [_session(self.page, draw) for _ in range(ONWARD)]
        steps = [word for word in map(str.lower, words) if _WORD.fullmatch(word)] or ["more"]
        return [Url(f"{self.url}/{step}") for step in dict.fromkeys(draw.choices(steps, k=ONWARD))]


def _joint(url: str) -> str:
    return "&" if "?" in url else "?"


def _month(page: Url, months: int) -> Url:
    return Url(f"{page}{_joint(page)}calendar-month={months // 12}-{months % 12 + 1:02}")


def _session(page: Url, draw: random.Random) -> Url:
    return Url(f"{page}{_joint(page)}session_id={draw.getrandbits(64):016x}")


class TimedVisitor(Protocol):
    """Makes visits, and knows how long they take under virtual time."""

    async def __call__(self, request: Request) -> Outcome: ...

    def latency(self, url: Url) -> Millis: ...


class ClutteredVisitor:
    """Makes visits to a web that has more in it than the web behind.

    `source` makes visits too, but for itself: it follows redirects wherever they lead. A near-copy, or a page of a
    trap, fails where the page that it is made of does.

    Invariants, each the name of a property test:

    * by seed and URL: what a visit finds depends on litter, seed and URL alone.
    * all else unchanged: without the links that were put in, and what they lead to, the web is as it was.
    * no end: every page of a trap leads to pages of the trap that are further in.
    """

    def __init__(self, visitor: TimedVisitor, source: TimedVisitor, litter: Clutter, seed: int = 0) -> None:
        self.visitor, self.source, self.litter, self._seed = visitor, source, litter, seed
        self._copied: dict[Url, bool] = {}

    async def __call__(self, request: Request) -> Outcome:
        found = self._made(request.url)
        if found is None:
            visit = await self.visitor(request)
            return self._littered(visit) if isinstance(visit, Page) else visit
        visit = await self.source(replace(request, url=found.page))
        if isinstance(visit, Deferred):
            raise AssertionError("the source follows redirects wherever they lead, and waits for nobody")
        if not isinstance(visit, Page):
            return replace(visit, request=request, final_url=request.url, hops=())
        return (
            self._copy(visit, found, request)
            if isinstance(found, Copy)
            else self._trap(visit, found, request)
        )

    def latency(self, url: Url) -> Millis:
        """As long as a visit to the page that it is made of takes."""
        found = self._made(url)
        return self.visitor.latency(url if found is None else found.page)

    def _made(self, url: Url) -> Copy | Trap | None:
        """What stands at a URL, if it was put there."""
        if (copy := Copy.at(url)) is not None:
            there = copy.number <= self.litter.copies and self._is_copied(copy.page)
            return copy if there else None
        trap = Trap.at(url)
        return trap if trap is not None and self._has_trap(trap.page) else None

    # -- what is put in ------------------------------------------------------------------------------------------

    def _littered(self, page: Page) -> Page:
        """The page with links to copies of what it links to, to its own copies, and into its trap."""
        links = list(self._with_copies(page))
        rest = self._own_copies(page.final_url)
        if self._has_trap(page.final_url):
            rest.append(self._entrance(page.final_url))
        links += [(_link(page, url, _title(page)), -1) for url in rest]
        if len(links) == len(page.links):
            return page
        places = tuple(place for _, place in links) if page.places else ()
        return replace(page, links=tuple(link for link, _ in links), places=places)

    def _with_copies(self, page: Page) -> Iterator[tuple[Link, int]]:
        """The links and their places, each to a page with copies followed by one to a copy, of the same words."""
        own = {page.request.url, page.final_url}
        places = page.places or (-1,) * len(page.links)
        for link, place in zip(page.links, places, strict=True):
            yield link, place
            if link.target not in own and self._is_copied(link.target):
                number = 1 + int(self._draw("which", page.final_url, link.target) * self.litter.copies)
                yield replace(link, target=Copy(page=link.target, number=number).url), place

    def _own_copies(self, url: Url) -> list[Url]:
        if not self._is_copied(url):
            return []
        return [Copy(page=url, number=number).url for number in range(1, self.litter.copies + 1)]

    def _entrance(self, url: Url) -> Url:
        draw = self._chance("entrance", url)
        kind = draw.randrange(3)
        if kind == 0 or (kind == 2 and "?" in url):  # what follows a question mark is no path
            return _month(url, _FIRST_YEAR * 12 + draw.randrange(12))
        return _session(url, draw) if kind == 1 else Url(f"{url}/related-pages/more")

    def _copy(self, page: Page, copy: Copy, request: Request) -> Page:
        """The page with some words more, drawn from its own, at another URL."""
        words = page.text.split()
        draw = self._chance("copy", copy.url)
        more = " ".join(draw.choices(words, k=max(2, round(ADDED * len(words))))) if words else ""
        page = self._littered(page)
        back = _link(page, copy.page, _title(page))
        links = (*(link for link in page.links if link.target != copy.url), back)
        terms = together([page.terms, counts(more)])
        return self._at(request, page, links, f"{page.text}\n{more}".strip(), terms)

    def _trap(self, page: Page, trap: Trap, request: Request) -> Page:
        """A third of the runs of the page's words, in another order, and links further in and back."""
        words = page.text.split()
        draw = self._chance("trap", trap.url)
        runs = [" ".join(words[at : at + RUN]) for at in range(0, len(words), RUN)]
        text = " ".join(draw.sample(runs, (len(runs) + 2) // 3))
        onward = trap.onward(draw, words)
        said = [
            " ".join(words[at : at + 3]) for at in (draw.randrange(max(1, len(words) - 2)) for _ in onward)
        ]
        ends = [*zip(onward, said, strict=True), (trap.page, _title(page))]
        links = tuple(_link(page, url, anchor) for url, anchor in ends)
        return self._at(request, replace(page, headings=()), links, text, counts(f"{page.title}\n{text}"))

    def _at(
        self, request: Request, page: Page, links: Sequence[Link], text: str, terms: dict[str, int]
    ) -> Page:
        return replace(
            page,
            request=request,
            final_url=request.url,
            hops=(),
            digest=payload_digest(text.encode()),
            text=text,
            links=tuple(replace(link, source=request.url) for link in links),
            places=(),
            terms=terms,
            fingerprint=simhash(terms),
            record=None,
        )

    # -- chance --------------------------------------------------------------------------------------------------

    def _is_copied(self, url: Url) -> bool:
        found = self._copied.get(url)
        if found is None:
            found = self._copied[url] = self._draw("copied", url) < self.litter.copied
        return found

    def _has_trap(self, url: Url) -> bool:
        return self._draw("trap", url) < self.litter.traps

    def _draw(self, *what: str) -> float:
        """From [0, 1), the same in every process."""
        digest = hashlib.blake2b(f"{self._seed}/litter/{'/'.join(what)}".encode(), digest_size=8).digest()
        return (int.from_bytes(digest, "big") >> 11) / 2**53

    def _chance(self, what: str, url: Url) -> random.Random:
        return random.Random(f"{self._seed}/litter/{what}/{url}")


def _title(page: Page) -> str:
    return page.title or " ".join(page.text.split()[:4])


def _link(page: Page, target: Url, anchor: str) -> Link:
    """A link at the foot of a page."""
    return Link(
        source=page.final_url,
        target=target,
        anchor=anchor,
        context=anchor,
        path="html body ul li a",
        position=0.99,
    )

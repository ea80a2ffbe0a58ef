"""One page under two names: which differences between names a site does not care about, learned from what was read.

Two pages of a site that were fetched and whose names differ in one kind of variant (see `lycosa.crawl.variants`) are
evidence: for the kind if their texts are the same, against it if they differ. A redirect from one name to the other is
evidence for it too. A kind is trusted after `ENOUGH` pairs of different texts, and switched off for good by one pair
that differs. Kinds that make no difference nearly everywhere (`ALWAYS`) are trusted until such a pair is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, Final
from zlib import crc32

import msgspec

from lycosa.crawl.sketch import exact
from lycosa.crawl.traps import NEAR, OWN_WORDS
from lycosa.crawl.variants import ALWAYS, PARAMETER, SHAPES, parameters, site_of, without
from lycosa.model.commands import Enqueue
from lycosa.model.records import Failure, Page, Reason, UrlState
from lycosa.model.url import Host, Url

ENOUGH: Final = 2
"""Pairs of different texts that agree before a kind is trusted; of a parameter, also so many of its values: lists whose
``page=1`` is the same as without, and ``page=2`` is not, are common."""
MOST: Final = 1 << 16
"""Names and pages that are remembered of all sites together: some 20 MB."""
MOST_KINDS: Final = 64
"""Of a site that are learned about, if they are parameters."""
MOST_LENT: Final = 4_096
"""Second names that are remembered in case the first one fails."""

_ALIVE = frozenset({UrlState.VISITED, UrlState.PENDING, UrlState.LEASED})


class Evidence(msgspec.Struct):
    """What speaks for and against one kind of variant on one site."""

    agreeing: int = 0
    """Pairs of names with the same text, or where one redirects to the other."""
    texts: list[int] = []
    """The first `ENOUGH` different texts, or pages, that agreed."""
    values: list[str] = []
    """Of a parameter, the first `ENOUGH` values under which texts were the same."""
    against: list[str] = []
    """Two names whose texts differ."""

    def speaks_for(self, kind: str) -> bool:
        """Whether the kind may be trusted."""
        if self.against or kind in ALWAYS:
            return not self.against
        varied = len(self.values) >= ENOUGH or not kind.startswith(PARAMETER)
        return varied and len(self.texts) >= ENOUGH


class _Text(msgspec.Struct, frozen=True, gc=False):
    """What a page says: `mark` tells its words exactly, `fingerprint` nearly."""

    mark: int
    fingerprint: int

    @classmethod
    def of(cls, page: Page) -> _Text | None:
        """None for a page without text, of which nothing follows. Few words may be the same on pages that are not,
        as galleries have; so such a page is told by its bytes."""
        if not page.text or not page.fingerprint:
            return None
        digest = exact(page.digest if _has_few_words(page) else page.text)
        return cls(int(digest[:16], 16), page.fingerprint)

    def says_of(self, other: _Text) -> bool | None:
        """True if the texts are the same, False if they differ, None if they are too near to tell."""
        if self.mark == other.mark:
            return True
        return False if (self.fingerprint ^ other.fingerprint).bit_count() > NEAR else None


class _Site:
    """What is known of one site: evidence by kind, the names that entered the crawl, the texts that were read."""

    __slots__ = ("by_name", "by_variant", "evidence", "names", "texts", "trusted")

    def __init__(self, evidence: dict[str, Evidence] | None = None) -> None:
        self.evidence = {} if evidence is None else evidence
        self.trusted = ALWAYS
        self.names: dict[str, Url] = {}  # by the name without what the trusted kinds vary
        self.texts: dict[Url, _Text] = {}  # by the URL where they were read, the latest last
        self.by_name: dict[str, Url] = {}  # the first of them, named as in `names`
        self.by_variant: dict[str, Url] = {}  # the last of them, see `_found_by`
        self.judge()

    def __len__(self) -> int:
        return len(self.names) + len(self.texts)

    def name(self, url: Url) -> str:
        return without(url, self.trusted)

    def read(self, url: Url, text: _Text) -> None:
        self.texts.pop(url, None)
        self.texts[url] = text
        self.by_name.setdefault(self.name(url), url)
        for variant in _found_by(url):
            self.by_variant[variant] = url

    def others(self, url: Url) -> list[Url]:
        """Pages that were read under a name that may be another one of this."""
        found = dict.fromkeys(self.by_variant.get(variant, url) for variant in _looked_for(url))
        found[self.by_name.get(self.name(url), url)] = None
        found.pop(url, None)
        return list(found)

    def kinds_between(self, one: Url, other: Url) -> list[str]:
        """Kinds that say that these are names of one page: those trusted that are needed for it, or each that would
        do if it were trusted too."""
        trusted = self.trusted
        if self.name(one) == self.name(other):
            without_kind = ((kind, trusted - {kind}) for kind in sorted(trusted))
            needed = [kind for kind, rest in without_kind if without(one, rest) != without(other, rest)]
            return needed or [kind for kind in sorted(trusted) if _varies(kind, one) or _varies(kind, other)]
        asked = (*sorted(SHAPES), *(kind for url in (one, other) for kind, _ in parameters(url)))
        return [
            kind
            for kind in dict.fromkeys(asked)
            if kind not in trusted and without(one, trusted | {kind}) == without(other, trusted | {kind})
        ]

    def judge(self) -> None:
        """Trust the kinds for which there is evidence enough, unless pages that were read would be merged wrongly."""
        while (trusted := self._proven()) != self.trusted:
            self.trusted = trusted
            for one, other in list(self._rename()):
                for kind in self.kinds_between(one, other):
                    self.evidence.setdefault(kind, Evidence()).against = [one, other]

    def _proven(self) -> frozenset[str]:
        return frozenset(
            kind
            for kind in sorted({*ALWAYS, *self.evidence})
            if (self.evidence[kind].speaks_for(kind) if kind in self.evidence else kind in ALWAYS)
        )

    def _rename(self) -> Iterator[tuple[Url, Url]]:
        """Tell names apart by the kinds that are trusted now; the pages that were read and have one name and different
        texts by that."""
        names = self.names.values()
        self.names, self.by_name = {}, {}
        for url in names:
            self.names.setdefault(self.name(url), url)
        for url, text in self.texts.items():
            other = self.by_name.setdefault(self.name(url), url)
            if text.says_of(self.texts[other]) is False:
                yield other, url

    def retract(self, text: _Text) -> None:
        """What was learned from this text does not count any more."""
        for evidence in self.evidence.values():
            if text.mark in evidence.texts:
                evidence.texts.remove(text.mark)
        self.judge()

    def halve(self) -> None:
        """Forget the older half of the names and texts; what follows for the kinds stays."""
        self.names = dict(islice(self.names.items(), (len(self.names) + 1) // 2, None))
        kept = list(islice(self.texts.items(), (len(self.texts) + 1) // 2, None))
        self.texts, self.by_variant, self.by_name = {}, {}, {}
        for url, text in kept:
            self.read(url, text)


class Aliases:
    """What a crawl remembers to know pages by their second names. Pure: the same calls give the same answers.

    Beyond `most` names and pages the older half of the site that was met longest ago is forgotten.

    Invariants, each the name of a property test:

    * never merges what differs: of two pages that were read and say different things neither is a name of the other.
    * the crawl has it: what `first_name` gives is VISITED, PENDING or LEASED, and not the URL itself.
    * bounded: no more than `most` names and pages are remembered.
    * load restores every answer: of `load(save())`.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._sites: dict[Host, _Site] = {}  # the latest last
        self._left: dict[Host, dict[str, Evidence]] = {}  # evidence of sites whose names were forgotten
        self._kept = 0
        self._texts: dict[int, Url] = {}  # where each text was read first
        self._lent: dict[Url, Enqueue] = {}  # a second name, by the first

    # -- asked ---------------------------------------------------------------------------------------------------

    def first_name(self, url: Url, state: Callable[[Url], UrlState]) -> Url | None:
        """The name under which the crawl has the page of `url`, or will have it; None if `url` is to be its name."""
        site = self._sites.get(site_of(url))
        if site is None:
            return None
        first = site.names.get(without(url, site.trusted))
        if first is None or first == url or state(first) not in _ALIVE:
            return None
        return first

    def same_page(self, page: Page, state: Callable[[Url], UrlState]) -> Url | None:
        """The page that says what this one says, in the same order, under another name; None if this one is new.

        Few words tell little: then it must have the same bytes, and link to nothing new. Start pages, and pages that
        are fetched again, are never doubted.
        """
        text, site = _Text.of(page), self._sites.get(site_of(page.final_url))
        if text is None or page.request.via is None or (site is not None and page.final_url in site.texts):
            return None
        first = self._texts.get(text.mark)
        if first is None or first in (page.url, page.final_url):
            return None
        if _has_few_words(page) and any(state(url) is UrlState.UNSEEN for url in page.out):
            return None
        return first

    def facts(self) -> Sequence[Mapping[str, Any]]:
        """What was learned, site by site: kinds that make no difference with the pairs that agreed, kinds that do."""
        return [
            {"site": host, "no difference": same, "a difference": differ}
            for host, site in self._sites.items()
            for same, differ in [_findings(site)]
            if same or differ
        ]

    # -- told ----------------------------------------------------------------------------------------------------

    def admit(self, url: Url) -> None:
        """Note the name under which a page enters the crawl."""
        self._name(url)

    def lend(self, first: Url, second: Enqueue) -> None:
        """Note that a link to a second name counts for the first, which is not fetched yet."""
        self._lent.setdefault(first, second)
        if len(self._lent) > MOST_LENT:
            del self._lent[next(iter(self._lent))]

    def instead_of(self, failure: Failure) -> Enqueue | None:
        """The link to a second name of what brought no page under the first."""
        lent = self._lent.pop(failure.url, None)
        return None if failure.reason is Reason.ALREADY_KNOWN else lent

    def seen(self, page: Page) -> None:
        """Learn from a page that was read."""
        self._lent.pop(page.url, None)
        self._follow([page.url, *page.hops, page.final_url])
        if (text := _Text.of(page)) is not None:
            self._read(page.final_url, text)
        self._name(page.final_url)

    def failed(self, failure: Failure) -> None:
        """Learn from a redirect to a page that the crawl has, and from a page that says the same as one that it has:
        the failure's detail is that one's URL."""
        if failure.final_url is None:
            return
        if failure.reason is Reason.ALREADY_KNOWN:
            self._follow([failure.url, *failure.hops, failure.final_url])
        elif failure.reason is Reason.ALIAS:
            self._follow([failure.url, *failure.hops, failure.final_url])
            first = Url(failure.detail)
            if (text := self._site(first).texts.get(first)) is not None:
                self._read(failure.final_url, text)

    # -- kept ----------------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        """Plain values for a snapshot."""
        return {
            "sites": [
                [
                    host,
                    msgspec.to_builtins(site.evidence),
                    list(site.names.values()),
                    [[url, text.mark, text.fingerprint] for url, text in site.texts.items()],
                ]
                for host, site in self._sites.items()
            ],
            "left": msgspec.to_builtins(self._left),
            "texts": [[mark, url] for mark, url in self._texts.items()],
            "lent": [[first, msgspec.to_builtins(second)] for first, second in self._lent.items()],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Become what was saved."""
        self._sites, self._kept = {}, 0
        for host, evidence, names, texts in saved.get("sites", ()):
            site = self._sites[Host(host)] = _Site(msgspec.convert(evidence, dict[str, Evidence]))
            site.names = {site.name(Url(url)): Url(url) for url in names}
            for url, mark, fingerprint in texts:
                site.read(Url(url), _Text(mark, fingerprint))
            self._kept += len(site)
        self._left = msgspec.convert(saved.get("left", {}), dict[Host, dict[str, Evidence]])
        self._texts = {mark: Url(url) for mark, url in saved.get("texts", ())}
        self._lent = {Url(first): msgspec.convert(second, Enqueue) for first, second in saved.get("lent", ())}

    # -- inside --------------------------------------------------------------------------------------------------

    def _site(self, url: Url) -> _Site:
        """The site of a URL, from now on the latest."""
        host = site_of(url)
        site = self._sites.pop(host, None)
        if site is None:
            site = _Site(self._left.pop(host, None))
        self._sites[host] = site
        return site

    def _keep(self, site: _Site) -> None:
        """Count what a site remembers now, and forget what is too much."""
        self._kept += len(site)
        while self._kept > self._most:
            host, oldest = next(iter(self._sites.items()))
            self._kept -= len(oldest)
            oldest.halve()
            self._kept += len(oldest)
            if not len(oldest):
                del self._sites[host]
                if oldest.evidence:
                    self._left[host] = oldest.evidence
        if len(self._texts) > self._most:
            self._texts = dict(islice(self._texts.items(), len(self._texts) // 2, None))

    def _name(self, url: Url) -> None:
        site = self._site(url)
        self._kept -= len(site)
        site.names[site.name(url)] = url
        self._keep(site)

    def _read(self, url: Url, text: _Text) -> None:
        """Note what a page says, and what follows for the kinds between its name and others."""
        site = self._site(url)
        if self._is_common(url, text):
            site.retract(text)
        for other in site.others(url):
            self._compare(site, url, text, other)
        self._texts.setdefault(text.mark, url)
        self._kept -= len(site)
        site.read(url, text)
        self._keep(site)

    def _compare(self, site: _Site, url: Url, text: _Text, other: Url) -> None:
        """What two pages that were read say of the kinds between their names."""
        same = text.says_of(site.texts[other])
        if same is None or (same and self._is_common(url, text)):
            return
        for kind in site.kinds_between(url, other):
            values = {value for each in (url, other) for name, value in parameters(each) if name == kind}
            self._learn(site, kind, [] if same else [url, other], text.mark, sorted(values))
        self._judge(site)

    def _is_common(self, url: Url, text: _Text) -> bool:
        """Whether the text stands under names that have nothing in common, as errors and empty frames do: that proves
        nothing."""
        return _page_of(self._texts.get(text.mark, url)) != _page_of(url)

    def _follow(self, way: Iterable[Url]) -> None:
        """What redirects say. Of parameters nothing: a missing one leads to another page as often as to the same."""
        for one, other in pairwise(dict.fromkeys(way)):
            site = self._site(other)
            if site_of(one) != site_of(other):
                continue
            for kind in site.kinds_between(one, other):
                if kind in SHAPES:
                    self._learn(site, kind, [], crc32(_page_of(other).encode()), [])
            self._judge(site)

    def _learn(self, site: _Site, kind: str, against: list[str], text: int, values: Sequence[str]) -> None:
        if kind not in site.evidence and kind not in SHAPES and len(site.evidence) >= MOST_KINDS:
            return
        evidence = site.evidence.setdefault(kind, Evidence())
        if against:
            evidence.against = evidence.against or against
            return
        evidence.agreeing += 1
        evidence.texts = list(dict.fromkeys([*evidence.texts, text]))[:ENOUGH]
        evidence.values = list(dict.fromkeys([*evidence.values, *values]))[:ENOUGH]

    def _judge(self, site: _Site) -> None:
        self._kept -= len(site)
        site.judge()
        self._kept += len(site)


def _varies(kind: str, url: Url) -> bool:
    return without(url, {kind}) != without(url, ())


def _has_few_words(page: Page) -> bool:
    return len(page.text.split(None, OWN_WORDS)) < OWN_WORDS


def _found_by(url: Url) -> Iterator[str]:
    """Under what a page is found by its variants: its name without shapes, and that without one of its parameters."""
    yield without(url, SHAPES)
    for kind, _ in parameters(url):
        name = without(url, SHAPES | {kind})
        yield f"{name} {kind}"
        yield f"{name} *"


def _looked_for(url: Url) -> Iterator[str]:
    """Where its variants are found: those of the same parameters, of one more, of one less, and of another value."""
    name = without(url, SHAPES)
    yield name
    yield f"{name} *"
    for kind, _ in parameters(url):
        name = without(url, SHAPES | {kind})
        yield name
        yield f"{name} {kind}"


def _page_of(url: Url) -> str:
    """What no kind of variant changes of a name."""
    return without(Url(url.partition("?")[0]), SHAPES)


def _findings(site: _Site) -> tuple[Mapping[str, int], Sequence[str]]:
    told = {kind: evidence for kind, evidence in site.evidence.items() if evidence.agreeing}
    same = {kind: evidence.agreeing for kind, evidence in told.items() if kind in site.trusted}
    return same, [kind for kind, evidence in told.items() if evidence.against]

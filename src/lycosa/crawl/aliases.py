"""One page under two names: a page that the crawl has by one name is not fetched by another.

Which differences between names make none is learned site by site (`lycosa.crawl.site_names`). Where a name cannot tell,
the page does: one that says the same as another brings nothing new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, Final
from zlib import crc32

from lycosa.crawl.site_names import Evidence, SiteNames, Text, Told
from lycosa.crawl.variants import SHAPES, site_of, stem_of, without
from lycosa.model.commands import Enqueue
from lycosa.model.decoding import converted
from lycosa.model.packed import listed, packed
from lycosa.model.records import Failure, Page, Reason, UrlState
from lycosa.model.url import Host, Url

MOST: Final = 1 << 16
"""Names and pages that are remembered of all sites together: some 20 MB."""
MOST_LENT: Final = 4_096
"""Second names that are remembered in case the first one fails."""
TOLD: Final = 20
"""Sites of which is told what was learned."""

_ALIVE = frozenset({UrlState.VISITED, UrlState.PENDING, UrlState.LEASED})


class Aliases:
    """What a crawl remembers to know pages by their second names. Pure: the same calls give the same answers.

    Beyond `most` names and pages the older half of the site that was met longest ago is forgotten.

    Invariants, each the name of a property test:

    * never merges what differs: of two pages that were read and say different things neither is a name of the other.
    * the crawl has it: what `first_name` gives is VISITED, PENDING or LEASED, and not the URL itself.
    * bounded: no more than `most` names and pages are remembered.
    * load restores every answer: of `load(save())`.
    """

    def __init__(self, most: int = MOST, told: Told | None = None) -> None:
        self._most, self._told = most, told or Told()
        self._sites: dict[Host, SiteNames] = {}  # the latest last
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

    def same_page(self, page: Page) -> Url | None:
        """The page that says what this one says, in the same order, under another name; None if this one is new.

        Start pages, and pages that are fetched again, are never doubted.
        """
        text, site = self._told(page), self._sites.get(site_of(page.final_url))
        if text is None or page.request.via is None or (site is not None and page.final_url in site.texts):
            return None
        first = self._texts.get(text.mark)
        return None if first in (page.url, page.final_url) else first

    def facts(self) -> Sequence[Mapping[str, Any]]:
        """What was learned, site by site, those first of which the most pairs agreed: kinds that make no difference,
        with the pairs that agreed, and kinds that do. At most `TOLD` sites."""
        found = [(host, *site.findings()) for host, site in self._sites.items()]
        found.sort(key=lambda each: -sum(each[1].values()))
        return [
            {
                "site": host,
                **({"no difference": same} if same else {}),
                **({"a difference": differ} if differ else {}),
            }
            for host, same, differ in found[:TOLD]
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
        return None if failure.reason in (Reason.ALREADY_KNOWN, Reason.ELSEWHERE) else lent

    def seen(self, page: Page) -> None:
        """Learn from a page that was read."""
        self._lent.pop(page.url, None)
        self._follow([page.url, *page.hops, page.final_url])
        if (text := self._told(page)) is not None:
            self._read(page.final_url, text)
        self._name(page.final_url)

    def failed(self, failure: Failure) -> None:
        """Learn from a redirect to a page that the crawl has, and from a page that says the same as one that it has:
        the failure's detail is that one's URL."""
        if failure.final_url is None:
            return
        if failure.reason in (Reason.ALREADY_KNOWN, Reason.ELSEWHERE):
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
            "sites": packed(len(self._sites), ([host, *site.save()] for host, site in self._sites.items())),
            "left": packed(len(self._left), self._left.items()),
            "texts": packed(len(self._texts), self._texts.items()),
            "lent": packed(len(self._lent), self._lent.items()),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Become what was saved."""
        self._sites, self._kept = {}, 0
        for host, *site in listed(saved.get("sites", ())):
            self._sites[Host(host)] = loaded = SiteNames.load(*site)
            self._kept += len(loaded)
        left = dict(listed(saved.get("left", ())))
        self._left = converted(left, dict[Host, dict[str, Evidence]])
        self._texts = {mark: Url(url) for mark, url in listed(saved.get("texts", ()))}
        self._lent = {
            Url(first): converted(second, Enqueue) for first, second in listed(saved.get("lent", ()))
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _site(self, url: Url) -> SiteNames:
        """The site of a URL, from now on the latest."""
        host = site_of(url)
        site = self._sites.pop(host, None)
        if site is None:
            site = SiteNames(self._left.pop(host, None))
        self._sites[host] = site
        return site

    def _keep(self, site: SiteNames) -> None:
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

    def _read(self, url: Url, text: Text) -> None:
        """Note what a page says, and what follows for the kinds between its name and others."""
        site = self._site(url)
        self._kept -= len(site)
        if self._is_common(url, text):
            site.retract(text)
        compared = set[Url]()
        while others := [other for other in site.others(url) if other not in compared]:
            for other in others:  # what differs may part names, and so bring the page near to others
                site.compare(url, text, other, proves=not self._is_common(url, text))
            compared.update(others)
        self._texts.setdefault(text.mark, url)
        site.read(url, text)
        self._keep(site)

    def _is_common(self, url: Url, text: Text) -> bool:
        """Whether the text stands under names that have nothing in common, as errors and empty frames do: that proves
        nothing."""
        first = self._texts.get(text.mark, url)
        return first != url and stem_of(first) != stem_of(url)

    def _follow(self, way: Iterable[Url]) -> None:
        """What redirects say. Of parameters nothing: a missing one leads to another page as often as to the same."""
        for one, other in pairwise(dict.fromkeys(way)):
            if site_of(one) != site_of(other):
                continue
            site = self._site(other)
            self._kept -= len(site)
            for kind in site.kinds_between(one, other):
                if kind in SHAPES:
                    site.learn(kind, crc32(stem_of(other).encode()))
            site.judge()
            self._keep(site)

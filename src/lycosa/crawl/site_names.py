"""What is known of the names of one site: which differences between them make none, by the pages that were read.

Two pages that were read and whose names differ in one kind of variant (see `lycosa.crawl.variants`) are evidence: for
the kind if their texts are the same, against it if they differ. A redirect from one name to the other is evidence for
it too. A kind is trusted after `ENOUGH` pairs of different texts, and switched off for good by one pair that differs.
Kinds that make no difference nearly everywhere (`ALWAYS`) are trusted until such a pair is seen.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final
from zlib import crc32

import msgspec

from lycosa.crawl.sketch import exact
from lycosa.crawl.traps import NEAR, OWN_WORDS
from lycosa.crawl.variants import ALWAYS, PARAMETER, SHAPES, parameters, shapeless, stem_of, without
from lycosa.model.compiled import compiled
from lycosa.model.decoding import converted
from lycosa.model.records import Page
from lycosa.model.url import Url

_SKETCHING: Final = compiled("lycosa.crawl._sketching")
ENOUGH: Final = 2
"""Pairs of different texts that agree before a kind is trusted; of a parameter, also so many of its values: lists whose
``page=1`` is the same as without, and ``page=2`` is not, are common."""
MOST_KINDS: Final = 64
"""Of a site that are learned about, if they are parameters."""


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


class Text(msgspec.Struct, frozen=True, gc=False):
    """What a page says: `mark` tells its words and where its links lead exactly, `fingerprint` its words nearly."""

    mark: int
    fingerprint: int

    @classmethod
    def of(cls, page: Page) -> Text | None:
        """None for a page without text, of which nothing follows. Few words may be the same on pages that are not,
        as galleries have; so such a page is told by its bytes."""
        if not page.text or not page.fingerprint:
            return None
        few = len(page.text.split(None, OWN_WORDS)) < OWN_WORDS
        digest = exact(page.digest if few else page.text)
        return cls(int(digest[:8], 16) << 32 | _where_to(page), page.fingerprint)

    def says_of(self, other: Text) -> bool | None:
        """True if the texts are the same, False if they differ, None if they are too near to tell."""
        if self.mark == other.mark:
            return True
        return False if (self.fingerprint ^ other.fingerprint).bit_count() > NEAR else None


class Told:
    """What pages say, worked out once of each of the last `pages`: a page is the same as long as its parts are the very
    same objects, whatever visit brought it. Answers as `Text.of` does."""

    def __init__(self, pages: int = 1) -> None:
        self._most = pages
        self._known: dict[Url, tuple[Page, Text | None]] = {}

    def __call__(self, page: Page) -> Text | None:
        known = self._known.get(page.final_url)
        if known is not None and _reads_alike(known[0], page):
            return known[1]
        text = Text.of(page)
        self._known.pop(page.final_url, None)
        self._known[page.final_url] = page, text
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        return text


def _reads_alike(one: Page, other: Page) -> bool:
    same = one.text is other.text and one.links is other.links
    return same and one.digest == other.digest and one.fingerprint == other.fingerprint


class SiteNames:
    """What is known of one site: evidence by kind, the names that entered the crawl, the texts that were read."""

    __slots__ = ("by_name", "by_variant", "evidence", "names", "texts", "trusted")

    def __init__(self, evidence: dict[str, Evidence] | None = None) -> None:
        self.evidence = {} if evidence is None else evidence
        self.trusted = ALWAYS
        self.names: dict[str, Url] = {}  # by the name without what the trusted kinds vary
        self.texts: dict[Url, Text] = {}  # by the URL where they were read
        self.by_name: dict[str, Url] = {}  # the first of them, named as in `names`
        self.by_variant: dict[str, Url] = {}  # the last of them, see `_found_by`
        self.judge()

    def __len__(self) -> int:
        return len(self.names) + len(self.texts)

    def name(self, url: Url) -> str:
        return without(url, self.trusted)

    def read(self, url: Url, text: Text) -> None:
        again, self.texts[url] = url in self.texts, text
        if again:
            return
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

    def learn(self, kind: str, text: int, values: Iterable[str] = ()) -> None:
        """One more pair of names agrees, in a text or in a page to which one redirects; `values` are a parameter's."""
        if (evidence := self._evidence_of(kind)) is not None:
            evidence.agreeing += 1
            evidence.texts = list(dict.fromkeys([*evidence.texts, text]))[:ENOUGH]
            evidence.values = list(dict.fromkeys([*evidence.values, *values]))[:ENOUGH]

    def compare(self, url: Url, text: Text, other: Url, *, proves: bool) -> None:
        """What two pages that were read say of the kinds between their names; if their texts are the same, only where
        that `proves` something."""
        same = text.says_of(self.texts[other])
        if same is None or (same and not proves):
            return
        for kind in self.kinds_between(url, other):
            if same:
                pairs = (*parameters(url), *parameters(other))
                self.learn(kind, text.mark, sorted({value for name, value in pairs if name == kind}))
            elif (evidence := self._evidence_of(kind)) is not None:
                evidence.against = evidence.against or [url, other]
        self.judge()

    def _evidence_of(self, kind: str) -> Evidence | None:
        """None if there are too many kinds."""
        if kind not in self.evidence and kind not in SHAPES and len(self.evidence) >= MOST_KINDS:
            return None
        return self.evidence.setdefault(kind, Evidence())

    def findings(self) -> tuple[Mapping[str, int], Sequence[str]]:
        """Kinds that make no difference here, with the pairs that agreed, and kinds that do though some pair agreed.
        What is so everywhere is not told."""
        told = {
            kind: evidence for kind, evidence in self.evidence.items() if evidence.agreeing or kind in ALWAYS
        }
        same = {kind: told[kind].agreeing for kind in told if kind in self.trusted and kind not in ALWAYS}
        return same, [kind for kind, evidence in told.items() if evidence.against]

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

    def retract(self, text: Text) -> None:
        """What was learned from this text does not count any more."""
        for evidence in self.evidence.values():
            if text.mark in evidence.texts:
                evidence.texts.remove(text.mark)
        self.judge()

    def save(self) -> list[Any]:
        """Plain values for a snapshot."""
        marks = array("Q", [text.mark for text in self.texts.values()])
        fingerprints = array("Q", [text.fingerprint for text in self.texts.values()])
        return [
            self.evidence,
            list(self.names.values()),
            list(self.texts),
            marks.tobytes(),
            fingerprints.tobytes(),
        ]

    @classmethod
    def load(cls, evidence: Any, names: Iterable[Url], texts: Iterable[Any], *numbers: bytes) -> SiteNames:
        """What `save` told. In a snapshot of an earlier version the numbers stand beside each text."""
        site = cls(converted(evidence, dict[str, Evidence]))
        site.names = {site.name(url): url for url in names}
        if numbers:
            texts = zip(texts, *(array("Q", each) for each in numbers), strict=True)
        for url, mark, fingerprint in texts:
            site.read(Url(url), Text(mark, fingerprint))
        return site

    def halve(self) -> None:
        """Forget the older half of the names and texts; what follows for the kinds stays."""
        self.names = dict(islice(self.names.items(), (len(self.names) + 1) // 2, None))
        kept = list(islice(self.texts.items(), (len(self.texts) + 1) // 2, None))
        self.texts, self.by_variant, self.by_name = {}, {}, {}
        for url, text in kept:
            self.read(url, text)


def _varies(kind: str, url: Url) -> bool:
    return without(url, {kind}) != without(url, ())


def _found_by(url: Url) -> Iterator[str]:
    """Under what a page is found by its variants: its name without shapes, and that without one of its parameters."""
    yield shapeless(url)
    for kind, _ in parameters(url):
        name = without(url, SHAPES | {kind})
        yield f"{name} {kind}"
        yield f"{name} *"


def _looked_for(url: Url) -> Iterator[str]:
    """Where its variants are found: those of the same parameters, of one more, of one less, and of another value."""
    name = shapeless(url)
    yield name
    yield f"{name} *"
    for kind, _ in parameters(url):
        name = without(url, SHAPES | {kind})
        yield name
        yield f"{name} {kind}"


def _where_to(page: Page) -> int:
    """A hash of the paths to which a page links, itself left out. A copy links to the copies on its own host, in its
    own session; but where relative links lead elsewhere, the page is another one."""
    urls, own = page.targets, _path_of(page.final_url)

    def is_own(url: Url) -> bool:
        return _path_of(url) == own

    if _SKETCHING is not None:
        found: int | None = _SKETCHING.where_to(urls, own, is_own)
        if found is not None:
            return found
    bare = [url.partition("?")[0] if "?" in url else url for url in urls]
    targets = dict(zip([url[url.index("/", 8) + 1 :].rstrip("/") for url in bare], urls, strict=True))
    others = [path for path, url in targets.items() if not (path.lower().startswith(own) and is_own(url))]
    return crc32("\n".join(sorted(others)).encode("utf-8", "replace"))


def _path_of(url: Url) -> str:
    """What no kind of variant changes of a path."""
    return stem_of(url).partition("/")[2]

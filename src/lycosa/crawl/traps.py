"""Defences against sites that have no end: calendars, session ids, paths that grow out of themselves.

After Pant, Srinivasan and Menczer, "Crawling the Web" (2004), section 2.4, who limit the length of URLs.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from lycosa.crawl.sketch import BANDS, sketch, word_fingerprint, word_hashes
from lycosa.crawl.templates import Templates, blocks
from lycosa.model.compiled import compiled
from lycosa.model.packed import listed, packed
from lycosa.model.records import Page, Record
from lycosa.model.url import Host, Url, host_of

_SKETCHING: Final = compiled("lycosa.crawl._sketching")
_YEAR = re.compile(r"(?:1[89]|2[01])\d\d[-/]\d")
_LISTING_ORDER = re.compile(r"\?C=[NMSD](?:[;&]O=[AD])?$")
_DATE = re.compile(
    r"(?<=/)(?:1[89]|2[01])\d\d/(?:0?[1-9]|1[0-2])(?:/(?:0?[1-9]|[12]\d|3[01]))?(?=[/?]|$)"
    r"|(?<!\d)(?:1[89]|2[01])\d\d-\d\d?(?:-\d\d?)?(?!\d)"
    r"|(?<=[?&;])(?:\w{1,12}[_\-]|cal|start|end)?(?:year|yr|month|mon|week|day|date|time)=\d{1,14}(?!\d)"
    r"|(?<=[?&;])(?:y=(?:1[89]|2[01])\d\d|[md]=(?:\d\d?|(?:1[89]|2[01])\d\d[01]\d(?:[0-3]\d)?))(?!\d)",
    re.IGNORECASE,
)
# "sid" may also count stories: its value must look like chance, letters and digits or very long.
_SESSION = re.compile(
    r"(?<=[?&;])(?:(?:php|j)?sess(?:ion)?_?id|aspsessionid\w{8}|cfid|cftoken|zenid|oscsid)=[\w.!\-]{6,}&?"
    r"|(?<=[?&;])(?:sid|session|s)=(?:(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{8,15}|[0-9a-z]{16,})(?:&|$)"
    r"|(?<=[?&])[0-9a-f]{32}(?:&|$)"
    r"|(?<=/)\((?:[a-z]\()?[0-9a-z]{24}\)+/",
    re.IGNORECASE,
)
_INNER_FILE = re.compile(r"\.(?:php|html?|aspx?|jsp|cgi)/")
_PARAMETER = re.compile(r"[?&;]([^=&;]*)")

_SHORT = 4
"""Slashes of a URL whose path has two segments: too few to repeat anything in earnest."""

NEAR = 3
"""Fingerprints that differ in at most so many of 64 bits are of near-duplicates (Manku, Jain and Das Sarma,
"Detecting Near-Duplicates for Web Crawling", WWW 2007)."""
OWN_WORDS = 30
"""A page with so many words beside its host's template is judged by them alone. With fewer, as the days of an empty
calendar have, it is hardly more than its template and judged as a whole."""


class TrapLimits(Record, frozen=True, kw_only=True):
    """How much of what looks like a trap is still admitted. 0 switches a rule off."""

    length: int = 256
    """Characters of a URL; an escape such as ``%C3`` counts as one."""
    inner_files: int = 2
    """So many names of files before the end of a path (``/index.php/news.php/x``) are refused: where a server
    ignores what follows a file, relative links grow for ever."""
    repeats: int = 3
    """So many equal segments in a path, or equal arguments in a query, are refused, and so is a run of two or
    more segments that follows itself. At least 3."""
    dates: int = 366
    """Dates under which one and the same address is visited: days of a calendar, months of a news archive."""
    sessions: int = 5
    """Session ids under which one and the same address is visited."""
    orders: int = 100
    """Combinations of parameter names, in their order, under which one path is visited."""
    pages_per_host: int = 0
    refuse_listing_orders: bool = False
    """Keep out directory listings in other orders (``?C=M;O=D``): they are copies, but at most eight of each."""
    sample: int = 50
    """The last pages of a host that are looked at for near-duplicates."""
    near_duplicates: float = 0.8
    """A host is damped when more than this share of its last `sample` pages repeats others."""
    damping: float = 0.1
    """What the scores of a damped host are multiplied by."""


class _Recent:
    """Fingerprints and sketches of a host's last pages, and a bit for each that repeated another, the newest lowest.

    Fingerprints find pages of the same words in whatever order, sketches pages of the same runs of words.
    """

    __slots__ = ("bands", "marks", "repeats")

    def __init__(
        self, marks: array[int] | None = None, repeats: int = 0, bands: array[int] | None = None
    ) -> None:
        self.marks = array("Q") if marks is None else marks
        self.bands = array("I") if bands is None else bands
        self.repeats = repeats

    def add(self, mark: int, bands: tuple[int, ...], sample: int) -> None:
        near = self._repeats(mark, bands)
        self.marks.append(mark)
        self.bands.extend(bands)
        del self.marks[:-sample]
        del self.bands[: -sample * BANDS]
        self.repeats = (self.repeats << 1 | near) & ((1 << sample) - 1)

    def save(self) -> tuple[str, bytes, bytes]:
        """Plain values for a snapshot."""
        return f"{self.repeats:x}", self.marks.tobytes(), self.bands.tobytes()

    @classmethod
    def load(cls, repeats: str, marks: bytes, bands: bytes) -> _Recent:
        return cls(array("Q", marks), int(repeats, 16), array("I", bands))

    def _repeats(self, mark: int, bands: tuple[int, ...]) -> bool:
        """Whether a page is like one of these."""
        if _SKETCHING is not None:
            found: bool = _SKETCHING.repeats(mark, self.marks, NEAR, bands, self.bands)
            return found
        return any((mark ^ other).bit_count() <= NEAR for other in self.marks) or any(
            band in self.bands[place :: len(bands)] for place, band in enumerate(bands)
        )


def gist(text: str, fingerprint: int, template: bytes) -> tuple[int, tuple[int, ...]]:
    """By what a page is compared with the last ones of its host: the fingerprint and the sketch of its own words, or of
    all where hardly more than its `template` is there; `fingerprint` is that of the whole text."""
    if 1 in template and len(own := word_hashes(text, template=template)) >= OWN_WORDS:
        return word_fingerprint(own), sketch(own)
    return fingerprint, sketch(word_hashes(text))


class Gists:
    """What is worked out of texts to find near-duplicates, remembered of the last pages: the same text gives the same,
    so crawls of the same pages may share one."""

    def __init__(self, pages: int = 1) -> None:
        self.blocks = lru_cache(pages)(blocks)
        self.gist = lru_cache(pages)(gist)


class Traps:
    """What a crawl remembers to notice that a site has no end. Pure: the same calls give the same answers.

    Invariants, each the name of a property test:

    * refuses changes nothing: asking twice gives the same answer, and the same is saved.
    * the admitted stay welcome: what was admitted unrefused is not refused later by a count of variants.
    * no count exceeds its limit: of what was admitted unrefused.
    * load restores every answer: of `load(save())`.
    """

    def __init__(self, limits: TrapLimits | None = None, gists: Gists | None = None) -> None:
        self._limits, self._gists = limits or TrapLimits(), gists or Gists()
        self._caps = {
            "dates": self._limits.dates,
            "session ids": self._limits.sessions,
            "parameter orders": self._limits.orders,
        }
        # Nearly all addresses have one variant: a tuple of it takes a fifth of a set.
        self._variants: dict[str, dict[str, tuple[str, ...]]] = {kind: {} for kind in self._caps}
        self._pages: dict[Host, int] = {}
        self._recent: dict[Host, _Recent] = {}
        self._damped: set[Host] = set()
        self._templates = Templates(read=self._gists.blocks)

    def refuses(self, url: Url) -> str | None:
        """Why `url` looks like part of a trap, as a sentence; None if it may enter."""
        limits = self._limits
        if len(url) > limits.length and 0 < limits.length < len(url) - 2 * url.count("%"):
            return f"the URL has more than {limits.length} characters"
        if ("?" in url or url.count("/") > _SHORT) and (reason := _repetition(url, limits)):
            return reason
        if limits.pages_per_host and self._pages.get(host_of(url), 0) >= limits.pages_per_host:
            return f"{host_of(url)} has had its {limits.pages_per_host} pages"
        return self._variant_refusal(url) if _may_vary(url) else None

    def admit(self, url: Url) -> None:
        """Count a URL that enters the crawl."""
        if self._limits.pages_per_host:
            host = host_of(url)
            self._pages[host] = self._pages.get(host, 0) + 1
        if not _may_vary(url):
            return
        for kind, address, variant in _variants(url):
            known = self._variants[kind].get(address, ())
            if len(known) < self._caps[kind] and variant not in known:
                self._variants[kind][address] = *known, variant

    def seen(self, page: Page) -> None:
        """Note whether a page nearly repeats one of the last of its host, the template that both stand in left out.

        Pages without text do not count.
        """
        if not page.fingerprint or not self._limits.sample:
            return
        host = host_of(page.final_url)
        recent = self._recent.get(host)
        if recent is None:
            recent = self._recent[host] = _Recent()
        template = self._templates.seen(host, page.text)
        mark, bands = self._gists.gist(page.text, page.fingerprint, template)
        recent.add(mark, bands, self._limits.sample)
        self._judge(host, recent)

    def _judge(self, host: Host, recent: _Recent) -> None:
        """Whether a host is damped from now on."""
        limits, count = self._limits, len(recent.marks)
        enough = 0 < count >= limits.sample and limits.near_duplicates > 0
        if enough and recent.repeats.bit_count() / count > limits.near_duplicates:
            self._damped.add(host)
        else:
            self._damped.discard(host)

    @property
    def damps(self) -> bool:
        """Whether any host is damped. In most crawls none is."""
        return bool(self._damped)

    def damping(self, host: Host) -> float:
        """The factor for scores of links to `host`: 1, or less where its pages repeat each other."""
        return self._limits.damping if host in self._damped else 1.0

    def save(self) -> Mapping[str, Any]:
        """Plain values for a snapshot."""
        return {
            "variants": {
                kind: packed(len(known), ((address, sorted(each)) for address, each in known.items()))
                for kind, known in self._variants.items()
            },
            "pages": dict(self._pages),
            "recent": packed(
                len(self._recent), ([host, *recent.save()] for host, recent in self._recent.items())
            ),
            "templates": self._templates.save(),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Become what was saved. The limits are those given now."""
        self._variants = {
            kind: {address: tuple(known) for address, known in listed(saved["variants"].get(kind, ()))}
            for kind in self._caps
        }
        self._pages = {Host(host): count for host, count in saved["pages"].items()}
        if isinstance(saved["recent"], Mapping):  # a snapshot of an earlier version
            bands = saved.get("bands", {})  # those before have none, nor templates
            self._recent = {
                Host(host): _Recent(array("Q", marks), int(repeats, 16), array("I", bands.get(host, [])))
                for host, (repeats, *marks) in saved["recent"].items()
            }
        else:
            self._recent = {Host(host): _Recent.load(*recent) for host, *recent in listed(saved["recent"])}
        self._damped.clear()
        for host, recent in self._recent.items():
            self._judge(host, recent)
        self._templates.load(saved.get("templates", []))

    def _variant_refusal(self, url: Url) -> str | None:
        if self._limits.refuse_listing_orders and _LISTING_ORDER.search(url):
            return "it is a directory listing in another order"
        for kind, address, variant in _variants(url):
            known = self._variants[kind].get(address)
            if known is not None and 0 < self._caps[kind] <= len(known) and variant not in known:
                return f"{address} was visited under {len(known)} {kind} already"
        return None


def _may_vary(url: Url) -> bool:
    """Whether the URL can be one of many variants of a page. Most cannot, and are told apart quickly."""
    if "?" in url or ";" in url or "(" in url:
        return True
    centuries = ("1" in url or "2" in url) and ("20" in url or "19" in url or "21" in url or "18" in url)
    return centuries and _YEAR.search(url, 8) is not None


def _variants(url: Url) -> Iterator[tuple[str, str, str]]:
    """Of what the URL is a variant, and which: kind, the address without what varies, that which varies."""
    if dates := _DATE.findall(url):
        yield "dates", _DATE.sub("#", url), " ".join(dates)
    if sessions := _SESSION.findall(url):
        yield "session ids", _SESSION.sub("", url), " ".join(sessions)
    at = url.find("?")
    if at > 0:
        names = _PARAMETER.findall(url, at)
        if len(names) > 1:
            yield "parameter orders", url[:at], "&".join(names)


def _repetition(url: Url, limits: TrapLimits) -> str | None:
    path, _, query = url.partition("?")
    if limits.inner_files and len(_INNER_FILE.findall(path)) >= limits.inner_files:
        return "the path goes on after the names of files"
    limit = limits.repeats
    if not limit:
        return None
    segments = path.split("/")[3:]
    if not segments[-1]:
        segments.pop()
    if len(set(segments)) < len(segments):
        segment, times = Counter(segments).most_common(1)[0]
        if times >= limit:
            return f"the path has the segment {segment[:40]!r} {times} times"
        if _run_repeats(segments):
            return "a run of segments in the path follows itself"
    if query and query.count("&") + query.count(";") >= limit - 1:
        argument, times = Counter(re.split("[&;]", query)).most_common(1)[0]
        if argument and times >= limit:
            return f"the query has the argument {argument[:40]!r} {times} times"
    return None


def _run_repeats(segments: list[str]) -> bool:
    """Whether two or more segments stand twice in a row, as in /a/b/a/b."""
    count = len(segments)
    return any(
        segments[start : start + length] == segments[start + length : start + 2 * length]
        for length in range(2, count // 2 + 1)
        for start in range(count - 2 * length + 1)
    )

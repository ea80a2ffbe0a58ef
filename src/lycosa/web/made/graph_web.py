"""A made-up topical web for tests and experiments: any size, no storage, the same in every process.

Every page, link and answer is a function of the seed and the page's number, so a page costs time only when
it is asked for and millions of them cost no memory. The web has what topical crawlers live on and suffer
from: topical pages gather on topical hosts and link to each other more than chance would have it, anchors
are right only most of the time.
"""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_right
from functools import lru_cache
from html import escape

from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Record, Response
from lycosa.model.url import Url
from lycosa.web.recorded import modelled_latency

_TOPIC = (
    "coral",
    "reef",
    "polyp",
    "bleaching",
    "algae",
    "lagoon",
    "atoll",
    "anemone",
    "symbiont",
    "calcium",
    "sponge",
    "seagrass",
)
_OTHER = (
    "car",
    "bank",
    "song",
    "recipe",
    "phone",
    "match",
    "goal",
    "vote",
    "tax",
    "shoe",
    "film",
    "hotel",
    "train",
    "garden",
    "novel",
    "market",
    "camera",
    "guitar",
    "office",
    "castle",
    "winter",
    "mirror",
    "engine",
    "ticket",
    "coffee",
    "planet",
    "wallet",
    "carpet",
    "rocket",
    "button",
)
_DATE = Millis(1_767_225_600_000)
"""2026-01-01, when everything was fetched."""
_ROBOTS = b"User-agent: *\nDisallow: /private/\n"


class WebShape(Record, frozen=True, kw_only=True):
    """What a generated web looks like. Shares are in [0, 1]."""

    pages: int = 3000
    hosts: int = 150
    """At most `pages`."""
    topical: float = 0.06
    """Share of pages on the topic, roughly."""
    locality: float = 0.55
    """Share of a topical page's links that lead to topical pages on purpose."""
    failures: float = 0.0
    """Share of URLs that bring no page: in turn no connection, no answer in time, 404 and 503."""
    redirects: float = 0.0
    """Share of URLs that redirect to another page."""
    robots: float = 0.2
    """Share of hosts with a robots.txt that forbids ``/private/``, where some pages lie."""
    many_links: int = 0
    """Links of the one page that has many; 0: none has."""


class GraphWeb:
    """A generated web; page i is at :meth:`url` (i).

    Invariants, each the name of a property test:

    * a function: what `fetch` answers depends on shape, seed and URL alone.
    * no dangling links: every link leads to a page of the web, though it may fail or redirect.
    """

    def __init__(self, shape: WebShape | None = None, seed: int = 0) -> None:
        self.shape = shape or WebShape()
        self.seed = seed
        self._starts = _host_starts(self.shape.pages, self.shape.hosts)

    @property
    def topic_words(self) -> tuple[str, ...]:
        """The words that tell the topic."""
        return _TOPIC

    def truth(self, url: Url) -> bool:
        """Whether the page is on the topic: for a judge, never for a crawler. False for what is no page."""
        number = self._number(url)
        return number is not None and self._on_topic(number)

    def seeds(self, n: int = 3) -> list[Url]:
        """The first n topical pages that answer with at least 5 links and may be fetched; fewer if there are
        no more.
        """
        found: list[Url] = []
        for number in range(self.shape.pages):
            if len(found) == n:
                break
            good = self._on_topic(number) and not self._private(number) and self._fate(number) == "page"
            if good and len(self._targets(number)) >= 5:
                found.append(self.url(number))
        return found

    def url(self, number: int) -> Url:
        room = "private" if self._private(number) else "p"
        return Url(f"http://h{self._host(number)}.test/{room}/{number}")

    async def close(self) -> None:
        """Nothing is open."""

    def latency(self, url: Url) -> Millis:
        return modelled_latency(self.seed, url)

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        if url.endswith("/robots.txt"):
            return self._robots(url)
        number = self._number(url)
        if number is None:
            return self._response(url, 404, b"<title>Not found</title>")
        match self._fate(number):
            case "page":
                return self._response(url, 200, self._body(number))
            case "redirect":
                target = self.url(self._draw(number, "redirect").randrange(self.shape.pages))
                return self._response(url, 302, b"", ("Location", target))
            case "404":
                return self._response(url, 404, b"<title>Not found</title>")
            case "503":
                return self._response(url, 503, b"<title>Busy</title>", ("Retry-After", "1"))
            case "connect":
                return Fault(reason=Reason.CONNECT, detail="refused", elapsed=self.latency(url))
            case _:
                return Fault(reason=Reason.TIMEOUT, detail="no answer", elapsed=Millis(10_000))

    def _response(self, url: Url, status: int, body: bytes, *headers: tuple[str, str]) -> Response:
        kind = "text/plain" if url.endswith("/robots.txt") else "text/html; charset=utf-8"
        return Response(
            url=url,
            status=status,
            headers=(("Content-Type", kind), ("Content-Length", str(len(body))), *headers),
            body=body,
            fetched_at=_DATE,
            elapsed=self.latency(url),
            address=_address(url),
        )

    def _robots(self, url: Url) -> Response:
        host = url.split("/", 3)[2].removeprefix("h").removesuffix(".test")
        if host.isdigit() and int(host) < self.shape.hosts and self._has_robots(int(host)):
            return self._response(url, 200, _ROBOTS)
        return self._response(url, 404, b"")

    def _number(self, url: Url) -> int | None:
        last = url.rpartition("/")[2]
        if not last.isdigit() or int(last) >= self.shape.pages or self.url(int(last)) != url:
            return None
        return int(last)

    def _host(self, number: int) -> int:
        return bisect_right(self._starts, number) - 1

    def _has_robots(self, host: int) -> bool:
        return self._uniform(host, "robots") < self.shape.robots

    def _private(self, number: int) -> bool:
        return self._uniform(number, "private") < 0.03 and self._has_robots(self._host(number))

    @lru_cache(maxsize=4096)  # noqa: B019 - bounded, and a web lives as long as its test
    def _bias(self, host: int) -> float:
        """The share of topical pages on a host: few hosts have nearly all of them."""
        topical = min(max(self.shape.topical, 1e-6), 1 - 1e-6)
        return self._draw(host, "bias").betavariate(0.3, 0.3 * (1 / topical - 1))

    @lru_cache(maxsize=65536)  # noqa: B019 - bounded, and a web lives as long as its test
    def _on_topic(self, number: int) -> bool:
        return self._uniform(number, "topic") < self._bias(self._host(number))

    def _fate(self, number: int) -> str:
        roll = self._uniform(number, "fate")
        if roll < self.shape.failures:
            return ("connect", "timeout", "404", "503")[number % 4]
        return "redirect" if roll < self.shape.failures + self.shape.redirects else "page"

    def _targets(self, number: int) -> list[int]:
        draw = self._draw(number, "links")
        pages = self.shape.pages
        if self.shape.many_links and number == pages // 2:
            return [draw.randrange(pages) for _ in range(self.shape.many_links)]
        drawn = (self._target(number, draw) for _ in range(draw.randrange(14)))
        return [target for target in dict.fromkeys(drawn) if target != number]

    def _target(self, number: int, draw: random.Random) -> int:
        roll = draw.random()
        pages = self.shape.pages
        if roll < self.shape.locality and self._on_topic(number):
            tries = (draw.randrange(pages) for _ in range(60))
            return next((page for page in tries if self._on_topic(page)), number)
        if roll < 0.8:
            host = self._host(number)
            return draw.randrange(self._starts[host], self._starts[host + 1])
        return int(draw.random() ** 2 * pages)

    @lru_cache(maxsize=2048)  # noqa: B019 - bounded, and a web lives as long as its test
    def _body(self, number: int) -> bytes:
        draw = self._draw(number, "text")
        on_topic = self._on_topic(number)
        words = draw.choices(_TOPIC + _OTHER[:4] if on_topic else _OTHER + _TOPIC[:1], k=60)
        title = escape(" ".join(words[:4]).capitalize())
        links = "".join(
            f'<li><a href="{self.url(target)}">{self._anchor(target, draw)}</a></li>\n'
            for target in self._targets(number)
        )
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
            f"<body><h1>{title}</h1>\n<p>{' '.join(words[4:32])}.</p>\n<p>{' '.join(words[32:])}.</p>\n"
            f"<ul>\n{links}</ul>\n</body></html>\n"
        ).encode()

    def _anchor(self, target: int, draw: random.Random) -> str:
        """Six of ten anchors of topical pages say so; of the others, one in a hundred does."""
        honest = draw.random()
        return " ".join(
            draw.choices(_TOPIC if honest < (0.6 if self._on_topic(target) else 0.01) else _OTHER, k=2)
        )

    def _uniform(self, number: int, what: str) -> float:
        """One draw from [0, 1): a hash, which is far cheaper than a seeded generator."""
        digest = hashlib.blake2b(f"{self.seed}/{what}/{number}".encode(), digest_size=8).digest()
        return (int.from_bytes(digest, "big") >> 11) / 2**53

    def _draw(self, number: int, what: str) -> random.Random:
        """Seeded by a text: Random hashes it by SHA-512, so it is the same in every process."""
        return random.Random(f"{self.seed}/{what}/{number}")


def _host_starts(pages: int, hosts: int) -> list[int]:
    """Where each host's pages begin: the h-th largest has a share as 1/sqrt(h + 1), and everyone at least
    one.
    """
    hosts = max(1, min(hosts, pages))
    weights = [(host + 1) ** -0.5 for host in range(hosts)]
    spare = pages - hosts
    starts = [0]
    total = sum(weights)
    passed = 0.0
    for host, weight in enumerate(weights, 1):
        passed += weight
        starts.append(host + round(spare * passed / total))
    return starts


def _address(url: Url) -> str:
    """An address of TEST-NET-1 (RFC 5737); some hosts share one."""
    digits = "".join(filter(str.isdigit, url.split("/", 3)[2])) or "0"
    return f"192.0.2.{int(digits) % 199 + 1}"

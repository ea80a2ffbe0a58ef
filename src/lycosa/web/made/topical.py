"""A made-up topical web of up to ten million pages and more, of which nothing is stored but where hosts begin.

After the generator of the synthetic check that the strategies were first tried on: a tree of topics, hosts that are
about one of them, hub pages, hosts that do not link to their own kind, pages that drift off. Every page is a function
of seed, shape and number. Links can be followed backwards too, so ground truth, for instance start pages some links
away from the targets, is to be had without crawling.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice
from typing import Literal

from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response
from lycosa.model.url import Url
from lycosa.web.made.chance import Permutation, mix
from lycosa.web.made.ground import COPY, FATE, HOMING, HOST, SLOW, Ground, TopicalShape
from lycosa.web.made.words import Anchor, Words, html
from lycosa.web.recorded import modelled_latency

__all__ = ["TopicalShape", "TopicalWeb"]

FORMAT = 1
"""Version of what a generated web looks like. Raise it whenever the same shape and seed give another web;
`tests/golden/test_formats.py` tells when. Crawls of other versions are run again."""
REPLACED = 0.03
"""Share of the words in which a near-duplicate differs from what it copies."""
SLOWNESS = 20

_DATE = Millis(1_767_225_600_000)
"""2026-01-01, when everything was fetched."""
_ROBOTS = b"User-agent: *\nDisallow: /private/\n"

Fate = Literal["page", "redirect", "404", "503", "connect", "timeout"]


class TopicalWeb:
    """A generated web of many topics; page i is at :meth:`url` (i), topics are numbered from 0.

    What a page, its links and its in-links take to make: `benchmarks/generating.py`.

    Invariants, each the name of a property test:

    * a function: what `fetch` answers depends on shape, seed and URL alone.
    * no dangling links: every link leads to a page of the web, though it may fail or redirect, or into a calendar.
    * both ways: a is in `in_links(b)` exactly when b is in `links(a)`.
    """

    def __init__(self, shape: TopicalShape | None = None, seed: int = 0) -> None:
        """Raises `InputError` if there are fewer hosts than topics or fewer pages than hosts."""
        self.shape = shape or TopicalShape()
        self.seed = seed
        self._ground = Ground(self.shape, seed)
        self._words = Words(self.shape.parents, self.shape.leaves, seed)

    def __len__(self) -> int:
        return self.shape.pages

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return self._ground.topics

    # -- names -----------------------------------------------------------------------------------------------

    def url(self, number: int) -> Url:
        host = self._ground.host(number)
        if number == self._ground.starts[host]:
            return Url(f"http://h{host}.test/")
        room = "private" if number % 20 == 7 and self._has_robots(host) else "p"
        return Url(f"http://h{host}.test/{room}/{number}")

    def number(self, url: str) -> int | None:
        """The number of the page at a URL; None for what is no page, as the days of calendars."""
        host, path = self._split(url)
        if host is None:
            return None
        if not path:
            return self._ground.starts[host]
        number = _decimal(path.rpartition("/")[2])
        return number if 0 <= number < self.shape.pages and self.url(number) == url else None

    def _split(self, url: str) -> tuple[int | None, str]:
        """The number of the host, None if there is no such host, and the path without its slash."""
        if not url.startswith("http://h"):
            return None, ""
        name, _, path = url[8:].partition("/")
        host = _decimal(name.removesuffix(".test")) if name.endswith(".test") else -1
        return (host if 0 <= host < self.shape.hosts else None), path

    # -- truth: for the judge, never for a crawler -----------------------------------------------------------

    def topic(self, number: int) -> int | None:
        """What the page is about; None for one that is on no topic."""
        return self._ground.topic(self.original(number))

    def original(self, number: int) -> int:
        """The page whose words a page has: itself, unless it is a near-duplicate."""
        if not self._is_copy(number) or self._ground.is_home(number):
            return number
        source = self._ground.neighbour(number, COPY)
        return number if self._is_copy(source) else source

    def keywords(self, topic: int) -> tuple[str, ...]:
        """One word of the main topic and two of the topic: what a crawler is told."""
        own, shared = self._words.of_topic(topic)
        return shared[0], own[0], own[1]

    def description(self, topic: int) -> str:
        """All words of the topic and of its main topic."""
        own, shared = self._words.of_topic(topic)
        return " ".join([*own, *shared])

    def targets(self, topic: int, n: int = 20) -> list[int]:
        """Home pages of n of the topic's hosts, drawn at random, that answer; fewer if there are no more."""
        first, end = self._ground.hosts_of_topic[topic : topic + 2]
        order = Permutation(end - first, mix(self._ground.keys[HOMING], topic))
        homes = (self._ground.starts[first + order.there(place)] for place in range(end - first))
        return list(islice((home for home in homes if self.fate(home) == "page"), n))

    def on_topic(self, topic: int) -> list[int]:
        """The pages about a topic that answer, near-duplicates left out. Ascending. 5 µs for each page that is about
        anything under its main topic."""
        leaves, hosts, starts = self.shape.leaves, self._ground.hosts_of_topic, self._ground.starts
        first = topic - topic % leaves
        there = range(starts[hosts[first]], starts[hosts[first + leaves]])
        about = (page for page in there if self._ground.topic(page) == topic)
        return [page for page in about if self.fate(page) == "page" and self.original(page) == page]

    def links(self, number: int) -> list[int]:
        """The pages that a page's links name, each once, in the order they are drawn; calendars left out."""
        return self._ground.links(number) if self.fate(number) == "page" else []

    def in_links(self, number: int) -> list[int]:
        """The pages whose links name a page, ascending. Time grows with their number: 0.5 ms each."""
        return [source for source in self._ground.in_links(number) if self.fate(source) == "page"]

    def some_in_links(self, number: int, n: int, chance: random.Random) -> list[int]:
        """Up to n of the pages whose links name a page, by chance. Ascending."""
        found = self._ground.some_in_links(number, n, chance)
        return [source for source in found if self.fate(source) == "page"]

    def landing(self, number: int) -> int | None:
        """The page at which a visit ends, redirects followed; None if it fails."""
        for _ in range(6):  # one more than a visitor follows redirects
            match self.fate(number):
                case "page":
                    return number
                case "redirect":
                    number = self._redirect(number)
                case _:
                    return None
        return None

    def seeds(self, topic: int, distance: int, n: int = 10, fan: int = 20) -> list[int]:
        """Up to n pages from which some target of the topic is `distance` links away. Ascending.

        None is nearer as far as the walk back from the targets shows, which takes up to `fan` in-links of each page
        (Menczer, Pant and Srinivasan, ACM TOIT 4(4), 2004, section 2.3).
        """
        chance = self._chance("seeds", topic * 64 + distance)
        layer = self.targets(topic)
        seen = set(layer)
        for _ in range(distance):
            found: dict[int, None] = {}
            for page in layer:
                found.update(dict.fromkeys(self._ground.some_in_links(page, fan, chance)))
            layer = [page for page in found if page not in seen and self.fate(page) == "page"]
            seen.update(layer)
        return sorted(chance.sample(layer, min(n, len(layer))))

    # -- answers ---------------------------------------------------------------------------------------------

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        host, path = self._split(url)
        if host is None:
            return Fault(reason=Reason.DNS, detail="there is no such host", elapsed=Millis(20))
        if path == "robots.txt":
            body = _ROBOTS if self._has_robots(host) else b""
            return self._response(url, 200 if body else 404, body, kind="text/plain")
        if path.startswith("calendar/") and self._has_trap(host):
            return self._day(url, host, path)
        number = self.number(url)
        return self._response(url, 404, b"") if number is None else self._answer(url, number)

    async def close(self) -> None:
        """Nothing is open."""

    def latency(self, url: Url) -> Millis:
        """50 ms and an exponential draw of mean 250 ms; twenty times that on slow hosts."""
        host, _ = self._split(url)
        slow = host is not None and self._ground.draw(SLOW, host) < self.shape.slow
        return Millis(modelled_latency(self.seed, url) * (SLOWNESS if slow else 1))

    def fate(self, number: int) -> Fate:
        """What comes of asking for a page."""
        roll = self._ground.draw(FATE, number)
        if roll < self.shape.failures:
            fates: Sequence[Fate] = ("connect", "timeout", "404", "503")
            return fates[number % 4]
        return "redirect" if roll < self.shape.failures + self.shape.redirects else "page"

    def _answer(self, url: Url, number: int) -> Response | Fault:
        match self.fate(number):
            case "page":
                return self._response(url, 200, self._body(number))
            case "redirect":
                return self._response(url, 302, b"", ("Location", self.url(self._redirect(number))))
            case "404":
                return self._response(url, 404, b"")
            case "503":
                return self._response(url, 503, b"", ("Retry-After", "1"))
            case "connect":
                return Fault(reason=Reason.CONNECT, detail="refused", elapsed=self.latency(url))
            case "timeout":
                return Fault(reason=Reason.TIMEOUT, detail="no answer", elapsed=Millis(10_000))

    def _response(
        self,
        url: Url,
        status: int,
        body: bytes,
        *headers: tuple[str, str],
        kind: str = "text/html; charset=utf-8",
    ) -> Response:
        return Response(
            url=url,
            status=status,
            headers=(("Content-Type", kind), ("Content-Length", str(len(body))), *headers),
            body=body,
            fetched_at=_DATE,
            elapsed=self.latency(url),
        )

    def words(self, number: int) -> list[str]:
        """The words of a page, those of its links left out."""
        return self._text(number)[0]

    def _body(self, number: int) -> bytes:
        words, chance = self._text(number)
        anchors = self._anchors(number, self.links(number))
        if self._has_trap(host := self._ground.host(number)) and number == self._ground.starts[host]:
            anchors.append(Anchor(url=_calendar(host, 1), topic=None, internal=True))
        return html(words, [(anchor, self._said(anchor, chance)) for anchor in anchors])

    def _text(self, number: int) -> tuple[list[str], random.Random]:
        """The words of a page, and the chance by which its anchors are chosen after them."""
        original = self.original(number)
        chance = self._chance("text", original)
        words = self._words.text(self._ground.topic(original), self.shape.words, chance)
        chance = self._chance("page", number)
        if original != number:
            for word in self._words.text(None, round(REPLACED * len(words)), chance):
                words[chance.randrange(len(words))] = word
        return words, chance

    def _anchors(self, number: int, targets: Sequence[int]) -> list[Anchor]:
        """The links of a page to these pages."""
        host = self._ground.host(number)
        return [
            Anchor(url=self.url(to), topic=self.topic(to), internal=self._ground.host(to) == host)
            for to in targets
        ]

    def _said(self, anchor: Anchor, chance: random.Random) -> str:
        if anchor.topic is None or chance.random() >= self.shape.honesty:
            return " ".join(self._words.text(None, 2, chance))
        own, shared = self._words.of_topic(anchor.topic)
        return " ".join(chance.choices([*own, *shared[:10]], k=2))

    def _day(self, url: Url, host: int, path: str) -> Response:
        """A day of an endless calendar, with links to the next two and home."""
        day = _decimal(path.removeprefix("calendar/"))
        if _calendar(host, day) != url:
            return self._response(url, 404, b"")
        words = self._words.text(None, 30, self._chance(f"day/{host}", day))
        places = [_calendar(host, day + 1), _calendar(host, day + 2), self.url(self._ground.starts[host])]
        anchors = [Anchor(url=place, topic=None, internal=True) for place in places]
        said = ["next day", "the day after", "home"]
        return self._response(url, 200, html(words, list(zip(anchors, said, strict=True))))

    def _redirect(self, number: int) -> int:
        return self._ground.neighbour(number, FATE)

    def _is_copy(self, number: int) -> bool:
        return self._ground.draw(COPY, number) < self.shape.duplicates

    def _has_robots(self, host: int) -> bool:
        return self._ground.draw(HOST, host * 4 + 1) < self.shape.robots

    def _has_trap(self, host: int) -> bool:
        return self._ground.draw(HOST, host * 4 + 2) < self.shape.traps

    def _chance(self, what: str, number: int) -> random.Random:
        """Seeded by a text: Random hashes it by SHA-512, so it is the same in every process."""
        return random.Random(f"{self.seed}/{what}/{number}")


def _decimal(digits: str) -> int:
    """A number as we write it; -1 for anything else."""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else -1


def _calendar(host: int, day: int) -> Url:
    return Url(f"http://h{host}.test/calendar/{day}")

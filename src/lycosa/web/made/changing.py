"""A made-up topical web in time: its pages are born, change and die, and what a server answers depends on the clock.

Pages, topics and links are those of `topical`. What changes when is planned in `lives`, what servers tell of it in
`manners`. Nothing is remembered: any page at any time is a function of seed, shape, number and time.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import islice
from typing import Final, Literal

from msgspec.structs import replace

from lycosa.crawl.ports import Clock
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Response
from lycosa.model.url import Url
from lycosa.revisit.history import DAY
from lycosa.web.made.chance import mix, uniform
from lycosa.web.made.habits import Replay
from lycosa.web.made.lives import ChangingShape, Lives
from lycosa.web.made.manners import HOUR, LIES, Manner, answers_304, validators, variant
from lycosa.web.made.topical import TopicalWeb
from lycosa.web.made.words import html, link

__all__ = ["BEGINS", "ChangingShape", "ChangingWeb"]

FORMAT = 1
"""Version of what a changing web looks like, as `topical.FORMAT`."""
BEGINS: Final = Millis(1_767_225_600_000)
"""2026-01-01, when a changing web begins."""

Noise = Literal["none", "date", "counter", "banner"]
_NOISES: Final[tuple[Noise, ...]] = ("date", "counter", "banner")
_EVERY: Final[dict[Noise, int]] = {"date": DAY, "counter": 60_000, "banner": HOUR}
"""After so many milliseconds a page's noise is another one."""

MANNER, NOISE, CHURN, SCROLL, GONE = range(5)
"""What a draw is for: each has a key of its own."""


class ChangingWeb(TopicalWeb):
    """A generated web that changes; page i is at :meth:`url` (i), topics are numbered from 0.

    A page shows its version of the time: links to pages that were there when it last changed, the words of its last
    changes, around which stand a date, a counter or a banner. Hubs show the newest pages of their topic first. What is
    not born yet answers 404, what died 404 or 410.

    Invariants, each the name of a property test:

    * a function of time: what `fetch` answers depends on shape, seed, URL, what is asked and the clock's now alone.
    * same version, same text: between two changes only what stands around a page's text and links is another one.
    * honest 304: a server that does not lie answers 304 exactly if it has the version whose validators it is shown;
      so its answer would have the same body. A new version may have that too, if nothing of it is seen.
    """

    def __init__(
        self,
        shape: ChangingShape | None = None,
        seed: int = 0,
        *,
        clock: Clock,
        begins: Millis = BEGINS,
        recorded: Sequence[Replay] = (),
    ) -> None:
        """`recorded`: changes of real pages, as of `Lives`. Raises `InputError` for a shape that is none."""
        self.changing = (shape or ChangingShape()).checked()
        super().__init__(self.changing.pages, seed)
        self.begins = begins
        """Day 0 of all lives."""
        self.lives = Lives(self._ground, self.changing, seed, recorded)
        self._clock = clock
        self._keys = [mix(seed & (1 << 64) - 1, 3000 + what) for what in range(5)]

    # -- truth: for measures, never for a crawler ------------------------------------------------------------

    def version(self, url: str, at: Millis) -> Millis | None:
        """When the page became what it is at a time; None where there is no page then."""
        number = self.number(url)
        if number is None or not self.lives.is_there(number, self.day(at)):
            return None
        return self.instant(self.lives.version(number, self.day(at)))

    def changes(self, url: str, after: Millis, until: Millis) -> list[Millis]:
        """The times t of changes with after < t ≤ until, ascending; birth and death are none."""
        number = self.number(url)
        if number is None:
            return []
        return [self.instant(turn.at) for turn in self.lives.turns(number, self.day(after), self.day(until))]

    def born(self, url: str) -> Millis | None:
        """None for what is no page."""
        number = self.number(url)
        return None if number is None else self.instant(self.lives.born(number))

    def died(self, url: str) -> Millis | None:
        """None for a page that stays, and for what is no page."""
        number = self.number(url)
        if number is None or self.lives.is_lasting(number):
            return None
        return self.instant(self.lives.died(number))

    def relevant(self, url: str, topic: int) -> bool:
        """Whether the page is about the topic."""
        number = self.number(url)
        return number is not None and self.topic(number) == topic

    def day(self, at: Millis) -> float:
        """Days since the web began."""
        return (at - self.begins) / DAY

    def instant(self, day: float) -> Millis:
        return Millis(self.begins + round(day * DAY))

    # -- answers ---------------------------------------------------------------------------------------------

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        now, number = self._clock.now(), self.number(url)
        if number is None or self.fate(number) != "page":
            answer = await super().fetch(url, ask)
            return replace(answer, fetched_at=now) if isinstance(answer, Response) else answer
        return replace(self._at(url, number, ask, now), fetched_at=now)

    def manner(self, number: int) -> Manner:
        """How the server of a page tells of its changes."""
        host = self._ground.host(number)
        draw = uniform(self._keys[MANNER], host) / max(self.changing.liars, 1e-9)
        return LIES[int(draw * len(LIES))] if draw < 1 else "honest"

    def noise(self, number: int) -> Noise:
        """What of a page changes though the page does not."""
        draw = uniform(self._keys[NOISE], self._ground.host(number)) / max(self.changing.noise, 1e-9)
        return _NOISES[int(draw * len(_NOISES))] if draw < 1 else "none"

    def _at(self, url: Url, number: int, ask: Ask, now: Millis) -> Response:
        day = self.day(now)
        if not self.lives.is_there(number, day):
            was = day >= self.lives.died(number) and uniform(self._keys[GONE], number) < 0.5
            return self._response(url, 410 if was else 404, b"")
        manner, noise = self.manner(number), self.noise(number)
        version, shown = self.lives.version(number, day), variant(manner, now)
        stamp = now // _EVERY[noise] if noise != "none" else 0
        since = max(self.instant(version), Millis(stamp * _EVERY.get(noise, 0)))
        told = f"{self.seed}/{number}/{version!r}/{stamp}/{shown}"
        tag = blake2b(told.encode(), digest_size=8).hexdigest()
        etag, modified = validators(manner, tag, since, now)
        headers = [pair for pair in (("ETag", etag), ("Last-Modified", modified)) if pair[1]]
        if answers_304(manner, ask, etag, modified, now):
            return self._response(url, 304, b"", *headers)
        return self._response(url, 200, self._written(number, version, noise, stamp, shown), *headers)

    def _written(self, number: int, version: float, noise: Noise, stamp: int, shown: int) -> bytes:
        """A page as it is after its change at `version`."""
        words, chance = self._text(number)
        there = [page for page in self.links(number) if self.lives.is_there(page, version)]
        anchors = [(anchor, self._said(anchor, chance)) for anchor in self._anchors(number, there)]
        return html(
            self._changed(number, version, words, shown),
            anchors,
            news=self._news(number, version),
            header=_header(noise, stamp),
            footer=f"page {number}" + (f", seen {stamp} times" if noise == "counter" else ""),
        )

    def _changed(self, number: int, version: float, words: list[str], shown: int) -> list[str]:
        """The words that stay, then those that churn, then the items, the newest first. In a page's other variant they
        stand the other way round."""
        parts, topic = self.lives.mixture(number), self.topic(number)
        turns = list(islice((t for t in self.lives.turns_before(number, version) if t.item is None), 64))
        churned = next((turn.at for turn in turns if not turn.scrolls), 0.0)
        items = [turn.at for turn in turns if turn.scrolls][: parts.items]
        items += [-1.0 - place for place in range(parts.items - len(items))]
        count = len(words)
        kept = words[: count - round(count * (parts.churn + parts.scroll))]
        kept += self._drawn(CHURN, number, churned, None, round(count * parts.churn))
        for item in items:
            kept += self._drawn(SCROLL, number, item, topic, round(count * parts.scroll / parts.items))
        return kept[::-1] if shown else kept

    def _drawn(self, what: int, number: int, at: float, topic: int | None, count: int) -> list[str]:
        chance = self._chance(f"changed/{what}/{round(at * DAY)}", number)
        return self._words.text(topic, count, chance)

    def _news(self, number: int, version: float) -> list[str]:
        """What a hub lists, in HTML; nothing on other pages."""
        anchors = self._anchors(number, shown := self.lives.shown(number, version))
        pairs = zip(anchors, shown, strict=True)
        return [link(anchor, self._said(anchor, self._chance("news", page))) for anchor, page in pairs]


def _header(noise: Noise, stamp: int) -> str:
    match noise:
        case "date":
            return f"<p>today is day {stamp}</p>"
        case "banner":
            return f'<div class="banner"><p>offer number {mix(stamp, 7) % 1000}</p></div>'
        case _:
            return ""

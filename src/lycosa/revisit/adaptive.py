"""Waits that become shorter when a page changed and longer when it did not, as web crawlers have them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any

import msgspec

from lycosa.model.bounds import Share
from lycosa.model.records import Look, Millis, Sight
from lycosa.revisit.chance import chance
from lycosa.revisit.history import DAY, History, is_change
from lycosa.revisit.paced import Part, after
from lycosa.revisit.policy import NEVER, Estimates, Pages, Policy

Days = Annotated[float, msgspec.Meta(gt=0, le=36_500)]
Factor = Annotated[float, msgspec.Meta(ge=1, le=100)]


class Adaptive(Policy):
    """A wait that follows from what each look found.

    Such a policy knows of no budget: it asks for as many visits as its waits come to. So `solve` finds the factor by
    which all waits are stretched (or cut) until they fit. With `as_published` they stay as they are.
    """

    def __init__(self, *, as_published: bool = False, by_bytes: bool = False) -> None:
        self._as_published, self._by_bytes = as_published, by_bytes
        self._stretch: float | None = 1.0 if as_published else None

    @abstractmethod
    def wait(self, history: History) -> float:
        """Days from the last look to the next, as the policy asks for them."""

    def solve(self, pages: Pages, budget: float) -> None:
        if not self._as_published:
            self._stretch = float(pages.changes.sum()) / budget if len(pages) and budget > 0 else None

    def estimate(self, history: History) -> Estimates:
        """The policy holds that a page changes about once in each wait."""
        return Estimates(changes=1 / self.wait(history), worth=history.worth)

    def due(self, history: History, now: Millis) -> Millis:
        if self._stretch is None:
            return NEVER
        wait = self.wait(history) * self._stretch
        if len(history.looks) == 1 and not self._as_published:
            wait *= chance(history.url)  # as `Paced` does
        return after(history.last.at, wait)

    def save(self) -> Mapping[str, Any]:
        return {"stretch": self._stretch}

    def load(self, state: Mapping[str, Any]) -> None:
        self._stretch = state["stretch"]

    def _is_change(self, before: Look, look: Look) -> bool:
        """Whether a look counts as one that found a change."""
        return is_change(before.sight, look.sight) or (self._by_bytes and look.sight is Sight.DRESSING)


class Heritrix(Adaptive):
    """Divides the wait by a factor when a page changed, and multiplies it when it did not.

    Use it to compare with the adaptive revisiting of Heritrix.

    The wait begins with `initial` days. A look that found a change divides it by `shorten`, one that did not multiplies
    it by `lengthen`; it stays from `least` to `most`. The look that finds a page gone is one with a change, those after
    it are without. Heritrix goes by bytes (`by_bytes=true`): then dates and banners count as changes. By default it is
    the text that counts here, as for all policies. The waits are stretched to fit the budget unless
    `as_published=true`.
    """

    reference = "Sigurðsson, Incremental crawling with Heritrix, IWAW 2005"

    def __init__(
        self,
        *,
        initial: Days = 1.0,
        shorten: Factor = 1.5,
        lengthen: Factor = 1.5,
        least: Days = 1 / 24,
        most: Days = 28.0,
        as_published: bool = False,
        by_bytes: bool = False,
    ) -> None:
        super().__init__(as_published=as_published, by_bytes=by_bytes)
        self._initial, self._least, self._most = initial, least, most
        self._shorten, self._lengthen = shorten, lengthen

    def wait(self, history: History) -> float:
        wait = self._initial
        for before, look in pairwise(history.looks):
            wait = wait / self._shorten if self._is_change(before, look) else wait * self._lengthen
            wait = min(max(wait, self._least), self._most)
        return wait


class Nutch(Adaptive):
    """Shortens the wait by a fifth when a page changed, and lengthens it by two fifths when it did not.

    Use it to compare with the adaptive schedules of Nutch and, with `towards_least=true`, of StormCrawler.

    The wait begins with `initial` days. A look that found a change makes it `decrease` shorter, one that did not
    `increase` longer, one that found the page gone half as long again; it stays from `least` to `most`. With
    `towards_least` the decrease is a share of what it is above `least`. StormCrawler's own values are
    `towards_least=true,increase=.5,decrease=.5,least=0.0417,most=14,shift=0`.

    The next visit is then moved towards the time of the last change, by `shift` of the time since then. Where that is
    longer than the wait, the wait is taken: Nutch takes all of it, and visits a page that has not changed for long in
    every round. That time is what the server says (Last-Modified), else that of the look that found the change. Values
    of `increase`, `decrease` and `shift` above .5 make it unstable. The waits are stretched to fit the budget unless
    `as_published=true`; `by_bytes=true` counts dates and banners as changes.
    """

    reference = "Apache Nutch, AdaptiveFetchSchedule and nutch-default.xml; StormCrawler, AdaptiveScheduler"

    def __init__(
        self,
        *,
        initial: Days = 30.0,
        increase: Share = 0.4,
        decrease: Part = 0.2,
        shift: Part = 0.3,
        least: Days = 1 / 1440,
        most: Days = 365.0,
        towards_least: bool = False,
        as_published: bool = False,
        by_bytes: bool = False,
    ) -> None:
        super().__init__(as_published=as_published, by_bytes=by_bytes)
        self._initial, self._least, self._most = initial, least, most
        self._increase, self._decrease, self._shift = increase, decrease, shift
        self._floor = least if towards_least else 0.0

    def wait(self, history: History) -> float:
        wait, modified = self._initial, history.looks[0].modified
        for before, look in pairwise(history.looks):
            if look.sight is Sight.GONE:
                wait *= 1.5
            elif self._is_change(before, look):
                wait -= (wait - self._floor) * self._decrease
                modified = look.modified or look.at
            else:
                wait *= 1 + self._increase
            wait = min(max(wait, self._least), self._most)
        since = (history.last.at - modified) / DAY if modified is not None else 0.0
        return max(wait - self._shift * min(since, wait), self._least)

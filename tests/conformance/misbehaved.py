"""Strategies that break one rule each. In a module of their own, so that other processes can make them."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping
from typing import Any

from lycosa.crawl.strategy import View
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Failure, Page
from lycosa.strategies.order import BreadthFirst


def links(page: Page, score: float = 0.0) -> list[Command]:
    return [Enqueue(url=link.target, via=link, score=score) for link in page.links]


class GlobalChance(BreadthFirst):
    """Draws from the chance that all programs share."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return links(page, random.random())


class SetOrder(BreadthFirst):
    """Iterates over a set of texts."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return [Enqueue(url=url) for url in {link.target for link in page.links}]


class Slighted(BreadthFirst):
    """Puts the links of a marked page somewhere behind all others."""

    def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
        return [Reprioritize(url=link.target, score=-random.random()) for link in page.links]


class NotANumber(BreadthFirst):
    """Divides nothing by nothing."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return links(page, float("nan"))


class Forgetful(BreadthFirst):
    """Counts pages, scores by the count, and does not save it."""

    def __init__(self) -> None:
        self.count = 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self.count += 1
        return links(page, float(self.count))


class Unstorable(BreadthFirst):
    """Saves what is no plain value."""

    def save(self) -> Mapping[str, Any]:
        return {"made": object()}


class ClockWatcher(BreadthFirst):
    """Keeps the time of day in its state."""

    def __init__(self) -> None:
        self.at = 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self.at = time.perf_counter_ns()
        return links(page)

    def save(self) -> Mapping[str, Any]:
        return {"at": self.at}

    def load(self, state: Mapping[str, Any]) -> None:
        self.at = state["at"]


class Communal(BreadthFirst):
    """All crawls share one count."""

    count = 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        Communal.count += 1
        return links(page, float(Communal.count % 7))


class Fragile(BreadthFirst):
    """Cannot bear failures."""

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        raise RuntimeError("no page?")


class Stubborn(BreadthFirst):
    """Asks for what failed for ever."""

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        return [Enqueue(url=failure.url, refetch=True)]


class Unwary(BreadthFirst):
    """Takes for granted that there are links."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return links(page, 1 / len(page.links))


class Intruder(BreadthFirst):
    """Reaches behind the view and makes the frontier forget what was visited."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        crawl._frontier._visited.clear()  # type: ignore[attr-defined] # that is its crime
        return [*links(page), Enqueue(url=page.url, score=9.0)]


class Boundless(BreadthFirst):
    """Takes the bound off the frontier."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        crawl._frontier.capacity = None  # type: ignore[attr-defined] # that is its crime
        return links(page)


class Unmakeable(BreadthFirst):
    """Cannot be made."""

    def __init__(self) -> None:
        raise OSError("no model file")

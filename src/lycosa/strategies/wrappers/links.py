"""Wrappers that change the scores of links: merge rules, tunnelling, damping of near-duplicates."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from lycosa.crawl.strategy import Strategy, View
from lycosa.model.bounds import Share
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Page, UrlState, Visit
from lycosa.model.url import Url
from lycosa.scoring.words.fingerprints import NearIndex
from lycosa.strategies.parts.ledger import links_out
from lycosa.strategies.wrappers.wrapper import Rewriting


class Merge(Rewriting):
    """Decides what becomes of the score of a link that waits already and is found again on another page.

    When to use it: to reproduce a crawler whose rule is known, or to let evidence add up. The pseudocode of Menczer,
    Pant and Srinivasan (2004, figs. 7 and 16) says "merge" and leaves the rule open; without this wrapper the better
    score counts, and the page it came from.

    Parameters: `rule`, one of `first` (the score it was found with), `last` (that of the page that was told last),
    `max` (the better, as without the wrapper: the default) and `sum` (scores add up, over the pages that link to it).
    Of several links on one page the best counts, whatever the rule. Of the tiers that are told the smaller counts, by
    `last` the last. `lycosa why` shows the link with the best score.

    Cost: a look at the place of each link that waits already.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("best-first+merge:rule=sum").rule
    'sum'

    Invariant, the name of a property test:

    * max is the default: with `rule=max` a crawl is that of the strategy inside.
    """

    def __init__(self, inner: Strategy, *, rule: Literal["first", "last", "max", "sum"] = "max") -> None:
        super().__init__(inner)
        self.rule = rule

    def rewritten(self, commands: Iterable[Command], crawl: View) -> Iterable[Command]:
        return commands if self.rule == "max" else self._merged(list(commands), crawl)

    def _merged(self, commands: list[Command], crawl: View) -> Iterator[Command]:
        best: dict[Url, Enqueue] = {}
        for command in commands:
            if isinstance(command, Enqueue) and crawl.state(command.url) is UrlState.PENDING:
                known = best.get(command.url)
                if known is None or (command.tier, -command.score) < (known.tier, -known.score):
                    best[command.url] = command
            else:
                yield command
        if self.rule != "first":
            for command in best.values():
                yield from self._placed(command, crawl)

    def _placed(self, found: Enqueue, crawl: View) -> Iterator[Command]:
        before = crawl.waiting(found.url)
        if before is None:
            return
        if self.rule == "last":
            yield found  # if it is the better one its link is remembered
            yield Reprioritize(url=found.url, score=found.score, tier=found.tier)
        else:
            score = before.score + found.score
            yield replace(found, score=max(score, before.score), tier=min(before.tier, found.tier))
            if score < before.score:
                yield Reprioritize(url=found.url, score=score, tier=min(before.tier, found.tier))


class Trail(NamedTuple):
    """How a page was reached: irrelevant pages in a row, itself included, and how relevant the one before them was."""

    irrelevant: int
    relevance: float


class Tunnel(Rewriting):
    """Follows links of irrelevant pages too, for some steps, with a score that decays from the last relevant page.

    When to use it: where relevant pages hide behind a few pages that are not, and a strategy would not go through
    them (or would, without ever giving up: best-first). A link of the d-th irrelevant page in a row has at least the
    score `decay`^d times the relevance of the page before them; after `steps` such pages links are not followed at all.
    Links that the strategy inside leaves out are added. A start page counts as reached from a page of relevance 1.

    Parameters: `steps`, 0 to 100 (default 3), 0 follows links of relevant pages only; `decay`, 0 to 1 (default 0.5);
    `threshold`, 0 to 1 (default 0.1), from which relevance on a page is relevant. All are lycosa's choice.
    Tunnelling was studied by Bergmark, Lagoze and Sbityakov (ECDL 2002), who cut paths by distance too.

    Scores of the strategy inside should be in [0, 1], as relevance is. Cost: a few operations a link, two numbers a
    page.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("best-first+tunnel:steps=2").steps
    2

    Invariant, the name of a property test:

    * no deeper: no page is visited behind more than `steps` irrelevant pages in a row, by the links that led to it.
    """

    reference: ClassVar[str] = (
        "Bergmark, Lagoze, Sbityakov: Focused Crawls, Tunneling, and Digital Libraries. ECDL 2002"
    )

    def __init__(
        self,
        inner: Strategy,
        *,
        steps: Annotated[int, msgspec.Meta(ge=0, le=100)] = 3,
        decay: Share = 0.5,
        threshold: Share = 0.1,
    ) -> None:
        super().__init__(inner)
        self.steps, self.decay, self.threshold = steps, decay, threshold
        self._trails: dict[Url, Trail] = {}

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        trail = self._trail_of(page)
        self._trails[page.final_url] = trail
        commands = self.inner.on_page(page, crawl)
        if not trail.irrelevant:
            return commands
        if trail.irrelevant > self.steps:
            own = {link.target for link in page.links}
            return [c for c in commands if not (isinstance(c, Enqueue) and c.url in own)]
        return self._lifted(page, commands, trail.relevance * self.decay**trail.irrelevant)

    def _trail_of(self, page: Page) -> Trail:
        if page.relevance >= self.threshold:
            return Trail(0, page.relevance)
        via = page.request.via
        before = self._trails.get(via.source) if via is not None else None
        return Trail(1, 1.0) if before is None else Trail(before.irrelevant + 1, before.relevance)

    def _lifted(self, page: Page, commands: Iterable[Command], least: float) -> Iterator[Command]:
        links = links_out(page)
        for command in commands:
            if isinstance(command, Enqueue) and command.url in links:
                del links[command.url]
                command = replace(command, score=max(command.score, least))
            yield command
        for url, link in links.items():
            yield Enqueue(url=url, via=link, score=least)

    def save(self) -> Mapping[str, Any]:
        return {**super().save(), "trails": {url: list(trail) for url, trail in self._trails.items()}}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._trails = {Url(url): Trail(*trail) for url, trail in state["trails"].items()}


class DampRepeats(Rewriting):
    """Scores down the links of pages that nearly repeat an earlier page.

    When to use it: where sites hold copies of the same pages under many addresses; their links are copies too. The
    defences against traps look at single hosts; this looks at all pages of the crawl.

    A page nearly repeats another if their 64-bit fingerprints differ in at most `bits` bits (Manku, Jain and Das Sarma,
    WWW 2007, use 3). Compared are the pages that repeat none themselves: of a thousand copies only the first is kept,
    and no chain of small changes makes two different pages one. Pages without text have no fingerprint. A link counts
    as one of the page that earned it its place: found on a page that is no copy, with a better score, it is not damped
    any more.

    Parameters: `bits`, 0 to 3 (default 3); `factor`, 0 to 1 (default 0.1), what scores are multiplied by. A score
    below 0 is multiplied by 2 - `factor`, as it must not rise. Tiers stay as they are.

    Cost: some microseconds a page, four table entries and a number for each; a look at each link that is placed anew.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("best-first+damp-repeats:factor=0.2").factor
    0.2

    Invariant, the name of a property test:

    * finds all: a page is damped exactly if one that was not, before it, differs in at most `bits` bits.
    """

    reference: ClassVar[str] = "Manku, Jain, Das Sarma: Detecting Near-Duplicates for Web Crawling. WWW 2007"

    def __init__(
        self, inner: Strategy, *, bits: Annotated[int, msgspec.Meta(ge=0, le=3)] = 3, factor: Share = 0.1
    ) -> None:
        super().__init__(inner)
        self.bits, self.factor = bits, factor
        self._index = NearIndex()
        self._marks: array[int] = array("Q")  # of pages that repeat none
        self._repeats: dict[Url, None] = {}

    def met(self, visit: Visit, crawl: View) -> Iterable[Command]:
        if isinstance(visit, Page) and (mark := visit.fingerprint):
            if self._index.near(mark, self.bits):
                self._repeats[visit.final_url] = None
            else:
                self._add(mark)
        return ()

    def _add(self, mark: int) -> None:
        self._marks.append(mark)
        self._index.add("", mark)

    def rewritten(self, commands: Iterable[Command], crawl: View) -> Iterable[Command]:
        return (self._damped(command, crawl) for command in commands) if self._repeats else commands

    def _damped(self, command: Command, crawl: View) -> Command:
        match command:
            case Enqueue(via=via):
                is_repeat = via is not None and via.source in self._repeats
            case Reprioritize(url=url, score=score):
                waits = crawl.waiting(url)
                if waits is None or waits.score == score:  # only its tier changes: it was damped before
                    return command
                is_repeat = waits.via is not None and waits.via.source in self._repeats
            case _:
                return command
        if not is_repeat:
            return command
        factor = self.factor if command.score >= 0 else 2.0 - self.factor
        return replace(command, score=command.score * factor)

    def facts(self) -> Mapping[str, Any]:
        return {**self.inner.facts(), "pages that repeat others": len(self._repeats)}

    def save(self) -> Mapping[str, Any]:
        return {**super().save(), "marks": self._marks.tobytes(), "repeats": list(self._repeats)}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        marks: array[int] = array("Q")
        marks.frombytes(state["marks"])
        self._index, self._marks = NearIndex(), array("Q")
        for mark in marks:
            self._add(mark)
        self._repeats = dict.fromkeys(map(Url, state["repeats"]))

"""Importance that flows along links while a crawl goes on: what OPIC and RankMass have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Failure, Link, Page, Reason, UrlState
from lycosa.model.url import Url
from lycosa.strategies.parts.ledger import Ledger, links_out


class ImportanceFlow(Strategy):
    """Each URL holds an amount, by which it waits; once its page is in, it hands that on along its links.

    URLs that redirect to each other hold one amount. What URLs held that failed, or that the crawl has dropped or
    refused, lies aside. A subclass says what becomes of that, and what a page hands on.

    Cost: O(links · log known) each time that a page hands on; two numbers for each URL known.
    """

    saved_as: ClassVar[tuple[str, str]]
    """The names under which a state has what URLs hold, and what lies aside."""

    def __init__(self, aside: float) -> None:
        self._held = Ledger()
        self._aside = aside
        self._asked: list[Url] = []  # what entered by the last step: the gate may have refused it

    @abstractmethod
    def _greediest(self) -> Url | None:
        """The URL that is to hand on next, were its page in; None if nobody is to."""

    @abstractmethod
    def _hand_on_again(self, url: Url, changed: dict[Url, None], crawl: View) -> None:
        """Let a page that has been in for longer hand on what has reached it since."""

    # -- events ----------------------------------------------------------------------------------------------

    def _begun(self, seeds: Sequence[Url], amount: float) -> list[Url]:
        """The start pages, which share the amount."""
        self._asked = list(dict.fromkeys(seeds))
        for url in self._asked:
            self._held.add(url, amount / len(self._asked))
        return list(self._asked)

    def _arrived(self, page: Page, crawl: View) -> tuple[Url, dict[Url, Link]]:
        """The account of a page that has come in, and its links."""
        self._reclaim(crawl)
        for url in (page.final_url, *page.hops):
            self._held.merge(url, page.url)
        return self._held.account(page.url), links_out(page)

    def _failed(self, failure: Failure, crawl: View) -> dict[Url, None]:
        """The accounts that hold more now: those of known pages to which URLs turned out to lead."""
        self._reclaim(crawl)
        changed: dict[Url, None] = {}
        for url in (failure.url, *failure.hops):
            if failure.reason is Reason.ALREADY_KNOWN and failure.final_url:
                self._held.merge(url, failure.final_url)
                changed[self._held.account(failure.final_url)] = None
            else:
                self._close(self._held.account(url))
        return changed

    # -- the flow --------------------------------------------------------------------------------------------

    def _targets(self, out: Iterable[Url]) -> list[Url]:
        """The accounts to which links lead."""
        return [self._held.account(target) for target in out]

    def _share(self, amount: float, targets: Sequence[Url], changed: dict[Url, None]) -> None:
        """Hand an amount on in equal parts."""
        for target in targets:
            self._held.add(target, amount / len(targets))
            changed[target] = None

    def _catch_up(
        self, firsts: Mapping[Url, Link], changed: dict[Url, None], crawl: View, times: int
    ) -> None:
        """The greediest choice, as long as it costs no fetch: pages that are in already hand on, so many `times`."""
        while (url := self._greediest()) is not None:
            state = crawl.state(url)
            if state is UrlState.FAILED or (state is UrlState.UNSEEN and url not in firsts):
                self._close(url)
            elif state is UrlState.VISITED and times:
                times -= 1
                self._hand_on_again(url, changed, crawl)
            else:
                return

    def _placed(
        self,
        firsts: Mapping[Url, Link],
        changed: dict[Url, None],
        crawl: View,
        *,
        tier: int = 0,
        moves: bool = True,
    ) -> list[Command]:
        """Where those stand now that hold more: new ones in this tier, and those that wait, if any `moves`."""
        commands: list[Command] = []
        for url in changed:
            if url not in self._held:
                continue
            score = self._held.rank(url)
            match crawl.state(url):
                case UrlState.PENDING if moves:
                    commands.append(Reprioritize(url=url, score=score))
                case UrlState.UNSEEN if url in firsts:
                    self._asked.append(url)
                    commands.append(Enqueue(url=url, via=firsts[url], score=score, tier=tier))
                case UrlState.UNSEEN | UrlState.FAILED:
                    self._close(url)
        return commands

    def _reclaim(self, crawl: View) -> None:
        """What the gate refused, or a bounded frontier dropped at once, holds nothing."""
        for url in self._asked:
            if url in self._held and crawl.state(url) is UrlState.UNSEEN:
                self._close(url)
        self._asked = []

    def _close(self, url: Url) -> None:
        """Lay aside what an account holds."""
        self._aside += self._held.close(url)

    # -- to survive ------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        held, aside = self.saved_as
        return {held: self._held.save(), aside: self._aside, "asked": list(self._asked)}

    def load(self, state: Mapping[str, Any]) -> None:
        held, aside = self.saved_as
        self._held.load(state[held])
        self._aside = state[aside]
        self._asked = [Url(url) for url in state["asked"]]

"""Which of the URLs a strategy asks for may enter the frontier at all, and which pages bring nothing new."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from lycosa.crawl.aliases import Aliases
from lycosa.crawl.scope import Scope
from lycosa.crawl.soft_errors import SoftErrors
from lycosa.crawl.traps import Traps
from lycosa.model.commands import WISHED, Command, Enqueue, Forget, Reprioritize
from lycosa.model.records import Failure, Page, Reason, Request, UrlState
from lycosa.model.url import Url, host_of

Placing = TypeVar("Placing", Enqueue, Reprioritize)


class Gate:
    """Scope, `nofollow` and spider traps, asked of each `Enqueue` in this order; then whether the crawl has its page
    under another name.

    Invariants, each the name of a property test:

    * damped once: on a host of near-duplicates a score counts `damping` of what the strategy gave, however often the
      URL is placed anew.
    * wishes stay in front: what somebody outside the strategy put into the tier of wishes no strategy moves.
    """

    def __init__(
        self,
        scope: Scope,
        traps: Traps,
        *,
        follow_nofollow: bool = False,
        soft_errors: SoftErrors | None = None,
        aliases: Aliases | None = None,
    ) -> None:
        """Without `soft_errors` each page that came is one, without `aliases` each name is a page."""
        self.scope, self.traps, self.follow_nofollow = scope, traps, follow_nofollow
        self.soft_errors, self.aliases = soft_errors, aliases
        self._wished: dict[Url, None] = {}

    def refuses(self, command: Enqueue, depth: int) -> str | None:
        """Why the URL may not enter, as a sentence for `why`; None if it may."""
        if reason := self.scope.refuses(command.url, depth):
            return reason
        if command.via is not None and command.via.nofollow and not self.follow_nofollow:
            return "the link, or the page it stands on, says nofollow"
        return self.traps.refuses(command.url)

    def first_name(self, command: Enqueue, state: Callable[[Url], UrlState]) -> Url | None:
        """The name by which the crawl has the page already, or will have it; None if it is to be fetched by this one.

        What no link leads to (start pages, what a person or a sitemap names) is fetched by the name that was given.
        """
        if self.aliases is None or command.via is None:
            return None
        return self.aliases.first_name(command.url, state)

    def lend(self, command: Enqueue, first: Url) -> Enqueue:
        """Let a link to a second name count for the first, which waits."""
        if self.aliases is not None:
            self.aliases.lend(first, command)
        return self.damp(msgspec.structs.replace(command, url=first))

    def instead_of(self, failure: Failure) -> list[Enqueue]:
        """Links to another name of what brought no page."""
        lent = self.aliases.instead_of(failure) if self.aliases is not None else None
        return [] if lent is None else [lent]

    def admit(self, command: Enqueue) -> Enqueue:
        """Count the URL as entered."""
        self.traps.admit(command.url)
        if self.aliases is not None:
            self.aliases.admit(command.url)
        return self.damp(command)

    def wish(self, commands: Iterable[Command]) -> None:
        """Note what somebody outside the strategy wants."""
        for command in commands:
            match command:
                case Enqueue(url=url, tier=tier) if tier <= WISHED:
                    self._wished[url] = None
                case Enqueue(url=url) | Reprioritize(url=url) | Forget(url=url):
                    self._wished.pop(url, None)

    def move(self, command: Reprioritize, waiting: Callable[[Url], Request | None]) -> Reprioritize | None:
        """Damp the score of a URL that is placed anew. The one that it has already was damped before.

        None for a URL that waits in the tier of wishes.
        """
        if command.url in self._wished and (stands := waiting(command.url)) and stands.tier <= WISHED:
            return None
        damped = self.damp(command)
        if damped is not command and (stands := waiting(command.url)) and stands.score == command.score:
            return command  # only its tier changes
        return damped

    def damp(self, command: Placing) -> Placing:
        """On a host of near-duplicates scores count less."""
        damping = self.traps.damping(host_of(command.url))
        if damping != 1.0 and math.isfinite(command.score):
            factor = damping if command.score >= 0 else 2.0 - damping  # a score below 0 must not rise
            return msgspec.structs.replace(command, score=command.score * factor)
        return command

    def refuses_redirect(self, url: Url, depth: int) -> str | None:
        """Why a redirect may not be followed to this URL."""
        return self.scope.refuses(url, depth)

    def nothing_new(self, page: Page, state: Callable[[Url], UrlState]) -> tuple[Reason, str] | None:
        """Why a page that was fetched brings nothing new: a reason of `NOTHING_NEW`, and what tells it. None if it may
        bring something."""
        if self.soft_errors is not None and (found := self.soft_errors.nothing_new(page)):
            return found
        if self.aliases is not None and (first := self.aliases.same_page(page, state)):
            return Reason.ALIAS, first
        return None

    def seen(self, page: Page) -> None:
        self.traps.seen(page)
        if self.soft_errors is not None:
            self.soft_errors.seen(page)
        if self.aliases is not None:
            self.aliases.seen(page)

    def failed(self, failure: Failure) -> None:
        if self.aliases is not None:
            self.aliases.failed(failure)

    def save(self) -> Mapping[str, Any]:
        state: dict[str, Any] = {"traps": self.traps.save(), "wished": list(self._wished)}
        if self.soft_errors is not None:
            state["soft errors"] = self.soft_errors.save()
        if self.aliases is not None:
            state["aliases"] = self.aliases.save()
        return state

    def load(self, state: Mapping[str, Any]) -> None:
        self.traps.load(state["traps"])
        if self.soft_errors is not None:
            self.soft_errors.load(state.get("soft errors", {}))
        if self.aliases is not None:
            self.aliases.load(state.get("aliases", {}))
        self._wished = dict.fromkeys(map(Url, state.get("wished", ())))

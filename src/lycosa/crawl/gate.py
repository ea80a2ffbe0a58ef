"""Which of the URLs a strategy asks for may enter the frontier at all, and which pages bring nothing new."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from lycosa.crawl.aliases import Aliases
from lycosa.crawl.blockade import Blockade
from lycosa.crawl.link_rot import STEP, LinkRot
from lycosa.crawl.reach import Reach
from lycosa.crawl.scope import Scope
from lycosa.crawl.soft_errors import SoftErrors
from lycosa.crawl.translations import Translations
from lycosa.crawl.traps import Traps
from lycosa.model.commands import WISHED, Command, Enqueue, Forget, Reprioritize
from lycosa.model.records import Failure, Page, Reason, Request, UrlState, Visit
from lycosa.model.url import Url, host_of

Placing = TypeVar("Placing", Enqueue, Reprioritize)


class Gate:
    """Scope, the number of hosts, `nofollow`, copies in other languages and spider traps, asked of each `Enqueue` in
    this order; then whether the crawl has its page under another name.

    Invariants, each the name of a property test:

    * damped once: on a host of near-duplicates a score counts `damping` of what the strategy gave, however often the
      URL is placed anew.
    * a likely dead link waits behind others: its score counts what `LinkRot.factor` leaves of what the strategy gave,
      once; it stays in its tier and is not refused.
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
        link_rot: LinkRot | None = None,
        reach: Reach | None = None,
        translations: Translations | None = None,
    ) -> None:
        """Without `soft_errors` each page that came is one, without `aliases` each name is a page, without `link_rot`
        no link is doubted, and without `translations` pages are fetched in all languages."""
        self.scope, self.traps, self.follow_nofollow = scope, traps, follow_nofollow
        self.soft_errors, self.aliases, self.link_rot = soft_errors, aliases, link_rot
        self.reach = reach or Reach()
        self.translations = translations
        self.blockade = Blockade()
        self._wished: dict[Url, None] = {}

    def refuses(self, command: Enqueue, depth: int) -> str | None:
        """Why the URL may not enter, as a sentence for `why`; None if it may."""
        if reason := self.scope.refuses(command.url, depth) or self.reach.refuses(command.url):
            return reason
        if command.via is not None and command.via.nofollow and not self.follow_nofollow:
            return "the link, or the page it stands on, says nofollow"
        if reason := self._is_translation(command):
            return reason
        return self.traps.refuses(command.url)

    def _is_translation(self, command: Enqueue) -> str | None:
        """What no link leads to is fetched in any language."""
        if self.translations is None or command.via is None:
            return None
        return self.translations.refuses(command.url)

    def first_name(self, command: Enqueue, state: Callable[[Url], UrlState]) -> Url | None:
        """The name by which the crawl has the page already, or will have it; None if it is to be fetched by this one.

        What no link leads to (start pages, what a person or a sitemap names) is fetched by the name that was given.
        """
        if self.aliases is None or command.via is None:
            return None
        return self.aliases.first_name(command.url, state)

    def lend(self, command: Enqueue, first: Url, waiting: Callable[[Url], Request | None]) -> Enqueue:
        """Let a link to a second name count for the first, which waits or is on its way."""
        if self.aliases is not None:
            self.aliases.lend(first, command)
        return self.again(msgspec.structs.replace(command, url=first), waiting)

    def instead_of(self, failure: Failure) -> list[Enqueue]:
        """Links to another name of what brought no page."""
        lent = self.aliases.instead_of(failure) if self.aliases is not None else None
        return [] if lent is None else [lent]

    def admit(self, command: Enqueue) -> Enqueue:
        """Count the URL as entered."""
        self.traps.admit(command.url)
        if self.aliases is not None:
            self.aliases.admit(command.url)
        return self._placed(command, self.damp(command))

    def again(self, command: Enqueue, waiting: Callable[[Url], Request | None]) -> Enqueue:
        """Damp the score of a URL that waits, or is on its way, and may move forward by it."""
        damped = self.damp(command)
        if self.link_rot is not None and (damped is not command or self.link_rot.placed(command.url) < 1.0):
            stands = waiting(command.url)
            if stands and (damped.tier, -damped.score) < (stands.tier, -stands.score):
                self._placed(command, damped)
        return damped

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
        return self._placed(command, damped)

    @property
    def damps(self) -> bool:
        """Whether the score of any link may count less. In many crawls that of none does."""
        return self.traps.damps or (self.link_rot is not None and self.link_rot.met_dead)

    @property
    def moves_freely(self) -> bool:
        """Whether `move` leaves every command as it is: nothing is damped, and nobody wished for anything."""
        return not self._wished and not self.damps

    def damp(self, command: Placing) -> Placing:
        """On a host of near-duplicates scores count less, and so do those of links that are likely dead."""
        if not self.damps:
            return command
        damping = 1.0 if self.link_rot is None else self._left_by_rot(command)
        if self.traps.damps:
            damping *= self.traps.damping(host_of(command.url))
        if damping != 1.0 and math.isfinite(command.score):
            return msgspec.structs.replace(command, score=_scaled(command.score, damping))
        return command

    def _left_by_rot(self, command: Enqueue | Reprioritize) -> float:
        if self.link_rot is None or command.tier <= WISHED:
            return 1.0
        via = command.via if isinstance(command, Enqueue) else None
        return self.link_rot.factor(command.url, via.source if via else None)

    def _placed(self, command: Placing, damped: Placing) -> Placing:
        """Note with what a link waits from now on, so that `doubts` does not damp it twice."""
        if self.link_rot is not None:
            self.link_rot.place(command.url, self._left_by_rot(command) if damped is not command else 1.0)
        return damped

    def doubts(self, request: Request) -> float | None:
        """The score with which a link that is next should rather wait, since siblings died after it was placed; None if
        it is as good as it was.

        So of the links that wait only those are looked at whose turn has come.
        """
        rot = self.link_rot
        if rot is None or request.depth == 0 or request.tier <= WISHED:
            return None
        now, before = self._left_now(request), rot.placed(request.url)
        if now > STEP * before:
            return None
        score = _scaled(_unscaled(request.score, before), now)
        return score if score < request.score else None

    def put_behind(self, request: Request) -> None:
        """Note that the link waits with what `doubts` told."""
        if self.link_rot is not None:
            self.link_rot.place(request.url, self._left_now(request))

    def _left_now(self, request: Request) -> float:
        assert self.link_rot is not None
        return self.link_rot.factor(request.url, request.via.source if request.via else None)

    def refuses_redirect(self, url: Url, depth: int) -> str | None:
        """Why a redirect may not be followed to this URL."""
        return self.scope.refuses(url, depth) or self.reach.refuses(url)

    def nothing_new(self, page: Page) -> tuple[Reason, str] | None:
        """Why a page that was fetched brings nothing new: a reason of `NOTHING_NEW`, and what tells it. None if it may
        bring something."""
        if self.soft_errors is not None and (found := self.soft_errors.nothing_new(page)):
            return found
        if self.aliases is not None and (first := self.aliases.same_page(page)):
            return Reason.ALIAS, first
        return None

    def is_none(self, page: Page) -> str:
        """What tells that a page which the crawl had is none any more, as a sentence; empty if nothing does."""
        found = self.soft_errors.nothing_new(page) if self.soft_errors is not None else None
        return "" if found is None else f"{found[0].value}: {found[1]}"

    def seen(self, visit: Visit) -> None:
        """Take in what a visit brought: a page, or a failure that is not tried again."""
        if isinstance(visit, Page):
            self.traps.seen(visit)
            if self.soft_errors is not None:
                self.soft_errors.seen(visit)
            if self.aliases is not None:
                self.aliases.seen(visit)
            if self.translations is not None:
                self.translations.seen(visit)
        elif self.aliases is not None:
            self.aliases.failed(visit)
        if self.link_rot is not None:
            via = visit.request.via
            self.link_rot.seen(visit, via.source if via else None)

    def save(self) -> Mapping[str, Any]:
        state: dict[str, Any] = {"traps": self.traps.save(), "wished": list(self._wished)}
        if self.blockade.has_said:
            state["blockade"] = self.blockade.save()
        if self.reach.most is not None:
            state["hosts"] = self.reach.save()
        for name, part in self._optional().items():
            state[name] = part.save()
        return state

    def load(self, state: Mapping[str, Any]) -> None:
        self.traps.load(state["traps"])
        for name, part in self._optional().items():
            if name in state:  # snapshots of earlier versions have none
                part.load(state[name])
        if "translations" not in state:  # what an earlier version let in, the journal goes on with
            self.translations = None
        if "blockade" in state:
            self.blockade.load(state["blockade"])
        self._wished = dict.fromkeys(map(Url, state.get("wished", ())))
        self.reach.load(state.get("hosts", ()))

    def _optional(self) -> Mapping[str, SoftErrors | Aliases | LinkRot | Translations]:
        parts = {
            "soft errors": self.soft_errors,
            "aliases": self.aliases,
            "link rot": self.link_rot,
            "translations": self.translations,
        }
        return {name: part for name, part in parts.items() if part is not None}


def _scaled(score: float, factor: float) -> float:
    """A score that counts less; one below 0 must not rise."""
    return score * (factor if score >= 0 else 2.0 - factor)


def _unscaled(score: float, factor: float) -> float:
    """What `_scaled` was given."""
    return score / (factor if score >= 0 else 2.0 - factor)

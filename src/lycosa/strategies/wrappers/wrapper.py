"""Strategies made of another strategy and one change to it. They can be put around each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import msgspec

from lycosa.crawl.members import Member
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Grant
from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.records import Failure, Page, Request, UrlState, Visit
from lycosa.model.url import Url

FRONT = -1
"""The tier of links that were lifted to the front. Strategies use tiers from 0 on."""

_WAITS = (UrlState.UNSEEN, UrlState.PENDING)


class StrategyWrapper(Strategy):
    """Does what the strategy inside it does. A subclass overrides what it changes.

    Invariant, the name of a property test:

    * transparent: a crawl by a wrapper that changes nothing is the crawl by the strategy inside.
    """

    def __init__(self, inner: Strategy) -> None:
        self.inner = inner

    @property
    def ranks(self) -> bool:
        return self.inner.ranks

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return self.inner.on_start(seeds, crawl)

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return self.inner.on_page(page, crawl)

    def on_again(self, page: Page, before: Page, crawl: View) -> Iterable[Command]:
        return self.inner.on_again(page, before, crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        return self.inner.on_failure(failure, crawl)

    def on_idle(self, crawl: View) -> Iterable[Command]:
        return self.inner.on_idle(crawl)

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        return self.inner.on_handoff(handoff, crawl)

    def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
        return self.inner.on_mark(page, good, crawl)

    def wants_rendered(self, page: Page) -> bool | None:
        return self.inner.wants_rendered(page)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        return self.inner.explain(request, memory)

    def facts(self) -> Mapping[str, Any]:
        return self.inner.facts()

    def population(self) -> Sequence[Member]:
        return self.inner.population()

    def save(self) -> Mapping[str, Any]:
        """The inner strategy's state under its own key: a subclass adds keys beside it."""
        return {"inner": dict(self.inner.save())}

    def load(self, state: Mapping[str, Any]) -> None:
        self.inner.load(state["inner"])


class Rewriting(StrategyWrapper):
    """Base of wrappers that change what the strategy inside asks for, on whatever occasion it asks.

    A subclass overrides `rewritten`, and what else it needs of `met`, `view` and `told`.
    """

    def rewritten(self, commands: Iterable[Command], crawl: View) -> Iterable[Command]:
        """What is asked for in place of these commands."""
        return commands

    def met(self, visit: Visit, crawl: View) -> Iterable[Command]:
        """A visit came home; what is asked for by the wrapper itself, before the strategy inside thinks."""
        return ()

    def view(self, crawl: View) -> View:
        """What the strategy inside may look at."""
        return crawl

    def told(self, visit: Visit) -> Visit:
        """The visit as the strategy inside is told of it."""
        return visit

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return self.rewritten(self.inner.on_start(seeds, self.view(crawl)), crawl)

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        first, told = list(self.met(page, crawl)), self.told(page)
        assert isinstance(told, Page)
        return [*first, *self.rewritten(self.inner.on_page(told, self.view(crawl)), crawl)]

    def on_again(self, page: Page, before: Page, crawl: View) -> Iterable[Command]:
        told = self.told(page)
        assert isinstance(told, Page)
        return self.rewritten(self.inner.on_again(told, before, self.view(crawl)), crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        first, told = list(self.met(failure, crawl)), self.told(failure)
        assert isinstance(told, Failure)
        return [*first, *self.rewritten(self.inner.on_failure(told, self.view(crawl)), crawl)]

    def on_idle(self, crawl: View) -> Iterable[Command]:
        return self.rewritten(self.inner.on_idle(self.view(crawl)), crawl)

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        return self.rewritten(self.inner.on_handoff(handoff, self.view(crawl)), crawl)

    def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
        told = self.told(page)
        assert isinstance(told, Page)
        return self.rewritten(self.inner.on_mark(told, good, self.view(crawl)), crawl)


class Batches(StrategyWrapper):
    """Picks the best n, visits them all, and only then lets the strategy inside think about what they brought.

    The batch is what stood best when it was picked, whether its visits are made one by one or side by side: a link
    found on a member of the batch waits for the next, however good it is. That is why visits are held back until the
    batch is home, and then told to the strategy inside in the order in which they came. The closed set of a batch is
    thus that of the frontier (a leased URL cannot enter again), and its members are distinct. In which order the
    members are visited is the frontier's business: best first among the hosts that may be visited.

    Parameters: `inner`, any strategy that grants nothing itself; `n`, at least 1 (default 16). With n = 1 it visits
    what `inner` visits one page at a time. What comes from outside (an operator's URL, a sitemap's) may still join a
    batch.

    Invariants, each the name of a property test:

    * bounded batches: between two steps at which the strategy inside may think, at most n URLs are leased.
    * picked at once: no member of a batch was found by another member of it.
    """

    def __init__(self, inner: Strategy, *, n: Annotated[int, msgspec.Meta(ge=1)] = 16) -> None:
        if n < 1:
            raise InputError(f"a batch of {n} links: give at least 1")
        super().__init__(inner)
        self.n = n
        self._left = 0  # of what was granted, not used up by visits that are home
        self._held: list[Visit | Url] = []  # a URL: of a page, after a restart

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return [*self._granted(), *self.inner.on_start(seeds, crawl)]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return self._hold(page)

    def on_again(self, page: Page, before: Page, crawl: View) -> Iterable[Command]:
        if page.request.due is None:  # a member of the batch, that the strategy inside asked for
            self._left -= 1
        return self.inner.on_again(page, before, crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        return self._hold(failure)

    def on_idle(self, crawl: View) -> Iterable[Command]:
        batch, self._held = self._held, []
        commands = [command for visit in batch for command in self._thought(visit, crawl)]
        if not any(_is_new(command, crawl) for command in commands) and not any(
            True for _ in crawl.pending()
        ):
            commands += self.inner.on_idle(crawl)
        return [*commands, *self._granted()]

    def _hold(self, visit: Visit) -> Iterable[Command]:
        self._left -= 1
        self._held.append(visit)
        return ()

    def _thought(self, visit: Visit | Url, crawl: View) -> Iterable[Command]:
        if isinstance(visit, Failure):
            return self.inner.on_failure(visit, crawl)
        page = visit if isinstance(visit, Page) else crawl.memory.page(visit)
        return self.inner.on_page(page, crawl) if page is not None else ()

    def _granted(self) -> Iterable[Command]:
        """Up to n. A batch that found fewer links than it was granted leaves the rest, and grants add up."""
        more, self._left = self.n - self._left, self.n
        return [Grant(n=more)] if more else []

    def save(self) -> Mapping[str, Any]:
        held = [msgspec.to_builtins(v) if isinstance(v, Failure) else _url_of(v) for v in self._held]
        return {**super().save(), "left": self._left, "held": held}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._left = state["left"]
        self._held = [Url(v) if isinstance(v, str) else converted(v, Failure) for v in state["held"]]


class Explore(StrategyWrapper):
    """ε-greedy: now and then a link is visited next for no other reason than chance.

    With probability ε a page has one of its links, drawn uniformly from those that are not visited yet, lifted to the
    front, whatever its score. Thus about a share of ε of the visits explore, however many links a page has. (If each
    link were lifted with probability ε, pages of 80 links would fill the front faster than it is emptied, and a crawl
    with ε = 0.05 would do nothing else.)

    Parameters: `inner`, any strategy with tiers from 0 on; `epsilon`, 0 to 1 (default 0.05): 0 changes nothing, with 1
    each page has one of its links visited next.
    """

    def __init__(
        self, inner: Strategy, *, epsilon: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.05
    ) -> None:
        if not 0 <= epsilon <= 1:
            raise InputError(f"epsilon is {epsilon}: give a probability, from 0 to 1")
        super().__init__(inner)
        self.epsilon = epsilon

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        commands = list(self.inner.on_page(page, crawl))
        if crawl.rng.random() < self.epsilon:
            links = {c.url: c for c in commands if isinstance(c, Enqueue) and crawl.state(c.url) in _WAITS}
            if links:
                commands.append(msgspec.structs.replace(crawl.rng.choice([*links.values()]), tier=FRONT))
        return commands

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        lifted = {"lifted to the front by chance": 1.0} if request.tier == FRONT else {}
        return {**lifted, **self.inner.explain(request, memory)}


def _is_new(command: Command, crawl: View) -> bool:
    """Whether it can bring something to visit into an empty frontier."""
    return isinstance(command, Enqueue) and (command.refetch or crawl.state(command.url) is UrlState.UNSEEN)


def _url_of(visit: Page | Url) -> Url:
    return visit.url if isinstance(visit, Page) else visit

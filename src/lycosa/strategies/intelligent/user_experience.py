"""User-experience crawling: what visitors saw beside good pages is worth a visit, whether a link leads there or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from lycosa.crawl.inputs import Experience, UsageLog
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import View
from lycosa.model.bounds import Share
from lycosa.model.commands import Command
from lycosa.model.records import Millis, Page, Request
from lycosa.strategies.intelligent.intelligent import Intelligent, Often, Significance, Smoothing, Weight
from lycosa.strategies.intelligent.visitor_features import Traces
from lycosa.strategies.parts.columns import Numbers


class UserExperience(Intelligent):
    """Follows visitors who saw pages that satisfy to what else they saw, besides what intelligent crawling learns.

    When to use it: on sites of which you have the logs of a server or a proxy. People keep to a topic for a while, more
    so than links do, and get to pages that no link leads to. Without logs it is `intelligent`.

    Users are features as words are: A(u) = P(C|u) / P(C) says how much likelier a page that user u saw is to satisfy.
    The score of a candidate is `links`·S_link + `users`·S_user; S_link is the score of `intelligent`, S_user is
    Σ log max(1, A(u)) · (1 + `boost`·near(u, c)) over the users who saw the candidate, near being 1 if u saw it within
    `window` minutes of a page that satisfies. What was seen within the window of such a page becomes a candidate, even
    if no link is known to lead to it (`follow`). It stands at depth 0 then, as a start page does. Scores of users are
    made anew when all candidates are weighed again.

    Parameters: `users` and `links` (0 to 100, default 1 each, lycosa's), weights of the two scores. `boost` (0 to 100,
    default 1, lycosa's), the λ above. `window` (0 to 1,440 minutes, default 10, lycosa's). `follow` (default true).
    `relevant_from`, `t`, `smoothing`, `geometric`, `words` and `every` are those of `intelligent`, whose four parts
    weigh 1 each.

    Cost: that of `intelligent`, and O(views in the log) whenever all candidates are weighed again. State: 16 bytes
    a user and 1 bit a view; some 60 bytes a view for the log itself.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("user-experience:users=2,window=5").users
    2.0

    Invariants, each the name of a property test:

    * without traces it visits what `intelligent` visits, in the same order.
    * order of users does not matter: who is called what in the log changes no score.
    """

    reference: ClassVar[str] = (
        "Aggarwal: Collaborative Crawling: Mining User Experiences for Topical Resource Discovery. KDD 2002"
    )
    kind: ClassVar[str] = "user-experience"

    def __init__(
        self,
        log: UsageLog | None = None,
        experience: Experience | None = None,
        *,
        users: Weight = 1.0,
        links: Weight = 1.0,
        boost: Weight = 1.0,
        window: Annotated[float, msgspec.Meta(ge=0, le=1440)] = 10.0,
        follow: bool = True,
        relevant_from: Share = 0.1,
        t: Significance = 2.0,
        smoothing: Smoothing = 0.5,
        geometric: bool = True,
        words: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 200,
        every: Often = 100,
    ) -> None:
        super().__init__(
            experience,
            relevant_from=relevant_from,
            t=t,
            content=links,
            tokens=links,
            links=links,
            siblings=links,
            smoothing=smoothing,
            geometric=geometric,
            words=words,
            every=every,
        )
        self.users, self.boost, self.follow = users, boost, follow
        empty = UsageLog(urls=(), users=(), sessions=())
        self._traces = Traces(log or empty, Millis(round(window * 60_000)))

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        good = page.relevance >= self.relevant_from
        beside: dict[int, None] = {}
        if not self._known.has_page(page.url):
            for url in dict.fromkeys((page.url, page.final_url)):
                beside.update(dict.fromkeys(self._traces.count(url, good)))
        commands = list(super().on_page(page, crawl))
        return [*commands, *self._followed(list(beside))] if self.follow else commands

    def _followed(self, beside: Sequence[int]) -> list[Command]:
        """What users saw beside a page that satisfies."""
        known, met_before = self._known, len(self._known)
        met = known.meet([self._traces.urls[number] for number in beside])
        numbers = [number for number in met if known.waits(known.urls[number])]
        return self._placed(numbers, [None] * len(numbers), met_before)

    def _weighed_all(self) -> list[Command]:
        self._traces.weigh(self._known.base, self.rule.smoothing, self.boost)
        return super()._weighed_all()

    def _weigh(self, numbers: Sequence[int] | Numbers) -> Numbers:
        if not self._known.base.good:
            return np.zeros(len(numbers))
        return self._known.weigh(numbers, self._user_scores(np.asarray(numbers, dtype=np.int64)))

    def _user_scores(self, numbers: Numbers) -> Numbers:
        """w_u · S_user of each URL; 0 for those not in the log."""
        if not self._traces.urls:
            return np.zeros(len(numbers))
        urls = self._known.urls
        places = self._traces.numbers([urls[number] for number in numbers.tolist()])
        return np.where(places >= 0, self.users * self._traces.scores[places], 0.0)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        found = dict(super().explain(request, memory))
        place = self._traces.number(request.url)
        seen = self._traces.scores[place] if place is not None else 0.0
        return {**found, "log interest by users who saw it": float(self.users * seen)}

    def facts(self) -> Mapping[str, Any]:
        affinities = self._traces.affinities(self._known.base, self.rule.smoothing)
        return {
            **super().facts(),
            "visitors": f"{np.count_nonzero(affinities > 1)} of {len(affinities)} saw more satisfying pages than most",
        }

    def save(self) -> Mapping[str, Any]:
        return {**super().save(), "traces": self._traces.save()}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._traces.load(state["traces"])

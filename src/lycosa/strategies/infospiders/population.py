"""Crawling by a population of agents, each of which waits for the one URL that it chose."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from lycosa.crawl.inputs import Query
from lycosa.crawl.members import Find, Member
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.decoding import from_msgpack
from lycosa.model.records import Failure, Link, Page, Request, UrlState, Visit
from lycosa.model.url import Url
from lycosa.scoring.words.terms import cosine
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.infospiders.agent_links import Candidate, OwnLinks, packed, unpacked

FINDS = 5
"""Of the pages that an agent brought, so many are told of."""
LONGEST_TITLE = 120
MOST_GONE = 1_000
"""Dead agents that are remembered, those that died last."""
LOOK_AGAIN = 8
"""Each agent's URL is looked at once in so many steps: has a bounded frontier dropped it?"""


class Agent:
    """One crawling agent: what it looks for, where it stands, what it may choose from, what it waits for."""

    def __init__(self, number: int, parent: int | None, born: int, topic: Mapping[str, int]) -> None:
        self.number, self.parent, self.born = number, parent, born
        self.topic = dict(topic)
        """Counts of the terms it looks for; those after the topic's own were learned."""
        self.energy = 0.0
        self.links = OwnLinks()
        self.doc: Url | None = None
        """Where it stands."""
        self.out: Candidate | None = None
        """What it waits for."""
        self.asked = 0
        """The step at which it asked for that."""
        self.pages = 0
        self.found: list[Find] = []
        """The best pages that it brought, best first."""

    @property
    def keywords(self) -> list[str]:
        """The inputs of its net, in their order."""
        return list(self.topic)

    def save(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "parent": self.parent,
            "born": self.born,
            "topic": dict(self.topic),
            "energy": self.energy,
            "links": dict(self.links.save()),
            "doc": self.doc,
            "out": packed(self.out) if self.out else None,
            "asked": self.asked,
            "pages": self.pages,
            "found": [[find.url, find.title, find.relevance] for find in self.found],
        }

    def brought(self, page: Page) -> None:
        """Count a page that it waited for."""
        self.pages += 1
        find = Find(url=page.url, title=page.title[:LONGEST_TITLE], relevance=page.relevance)
        self.found = sorted([*self.found, find], key=lambda one: -one.relevance)[:FINDS]

    def as_member(self, died: int | None = None) -> Member:
        """As whoever looks on is told of it."""
        return Member(
            number=self.number,
            parent=self.parent,
            born=self.born,
            died=died,
            energy=self.energy,
            pages=self.pages,
            links=len(self.links),
            looks_for=tuple(self.topic),
            stands_at=self.doc,
            waits_for=self.out.url if self.out else None,
            found=tuple(self.found),
        )

    def load(self, state: Mapping[str, Any]) -> None:
        self.energy, self.links = state["energy"], OwnLinks.load(state["links"])
        self.doc = Url(state["doc"]) if state["doc"] is not None else None
        self.out = unpacked(state["out"]) if state["out"] else None
        self.asked, self.pages = state["asked"], state["pages"]
        found = state.get("found", ())  # snapshots of earlier versions have none
        self.found = [Find(url=url, title=title, relevance=value) for url, title, value in found]


A = TypeVar("A", bound=Agent)


class Population(Strategy, Generic[A]):
    """What all populations have in common: who waits for what, and that nobody waits in vain.

    Only what agents have chosen stands in the crawl's frontier; all else is their own. A subclass makes agents and
    says what an agent does when its page, or its failure, comes.

    Invariants, each the name of a property test:

    * one visit each: an agent waits for one URL at a time, and no two agents wait for the same.
    * nobody is stranded: while URLs are left that may be visited, every agent that has links, or can be given some,
      waits for a URL that is PENDING or LEASED within `LOOK_AGAIN` steps.
    """

    def __init__(self, query: Query) -> None:
        self._words = TopicWords.of(query)
        self._agents: dict[int, A] = {}  # by number, the oldest first
        self._waiting: dict[Url, int] = {}
        self._born = 0
        self._dead = 0
        self._gone: dict[int, Member] = {}  # those that died last, by number
        self._step = 0

    @property
    def ranks(self) -> bool:
        """What waits was chosen by an agent each, and none of them waits for another's."""
        return False

    # -- what a subclass says --------------------------------------------------------------------------------

    @abstractmethod
    def _came(self, agent: A, chosen: Candidate, page: Page, crawl: View) -> None:
        """The page came for which the agent waited."""

    @abstractmethod
    def _found(self, agent: A, page: Page, crawl: View) -> None:
        """A page came from outside, for which nobody waited; of all agents it fits this one best."""

    def _missed(self, agent: A, failure: Failure, crawl: View) -> None:
        """The URL for which the agent waited brought no page."""

    @abstractmethod
    def _next(self, agent: A, crawl: View) -> Candidate | None:
        """Take a link out of the agent's own by its way of choosing; None if it has none, or is dead now."""

    @abstractmethod
    def _room(self, agent: A) -> int:
        """How many links the agent may have."""

    @abstractmethod
    def _load_agent(self, state: Mapping[str, Any]) -> A: ...

    def _ended(self) -> Iterable[Command]:
        """What to say when all agents that can have chosen."""
        return ()

    # -- events ----------------------------------------------------------------------------------------------

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        agent, chosen = self._come_home(page, crawl)
        if agent is not None and chosen is not None:
            agent.brought(page)
            self._came(agent, chosen, page, crawl)
        elif self._agents:
            fittest = max(self._agents.values(), key=lambda each: self._similarity(each, page))
            self._found(fittest, page, crawl)
        return self._sent(crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        agent, _ = self._come_home(failure, crawl)
        if agent is not None:
            self._missed(agent, failure, crawl)
        return self._sent(crawl)

    def on_idle(self, crawl: View) -> Iterable[Command]:
        """Nothing is out: whoever still waits for what is over chooses anew."""
        for agent in self._agents.values():
            if agent.out and crawl.state(agent.out.url) in (UrlState.VISITED, UrlState.FAILED):
                self._call_back(agent)
        return self._sent(crawl, look_at_all=True)

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        """The link becomes one of those of the agent that has fewest."""
        if self._agents and crawl.state(handoff.url) is UrlState.UNSEEN:
            poorest = min(self._agents.values(), key=lambda each: len(each.links))
            poorest.links.add(Candidate(handoff.url, handoff.via, handoff.score))
            poorest.links.trim(max(1, self._room(poorest)))
        return self._sent(crawl)

    # -- who waits for what ----------------------------------------------------------------------------------

    def _come_home(self, visit: Visit, crawl: View) -> tuple[A | None, Candidate | None]:
        """The agent that waited for a visit, and its choice. Others whose URL was a hop of its redirects are freed."""
        self._step = crawl.step
        for url in (visit.final_url, *visit.hops):
            number = self._waiting.get(url) if url is not None and url != visit.url else None
            if number is not None and url is not None and crawl.state(url) is not UrlState.LEASED:
                self._call_back(self._agents[number])
        number = self._waiting.get(visit.url)
        if number is None:
            return None, None
        agent = self._agents[number]
        return agent, self._call_back(agent)

    def _similarity(self, agent: A, page: Page) -> float:
        """Cosine of its topic and the page's terms (Menczer et al. 2004, eq. 4)."""
        return cosine(agent.topic, self._words.in_page(page))

    def _call_back(self, agent: A) -> Candidate | None:
        chosen, agent.out = agent.out, None
        if chosen is not None:
            self._waiting.pop(chosen.url, None)
        return chosen

    def _sent(self, crawl: View, *, look_at_all: bool = False) -> list[Command]:
        """Let all agents that wait for nothing choose, and see to those whose URL was dropped."""
        self._step = crawl.step
        commands: list[Command] = []
        for agent in list(self._agents.values()):
            if agent.out is None:
                commands += self._choose(agent, crawl)
            elif agent.asked != crawl.step and (
                look_at_all or agent.asked == crawl.step - 1 or (agent.number + crawl.step) % LOOK_AGAIN == 0
            ):
                commands += self._ask_again(agent, crawl)
        return [*commands, *self._ended()]

    def _ask_again(self, agent: A, crawl: View) -> Iterable[Command]:
        """A bounded frontier may have dropped the agent's URL, or somebody else: ask for it again."""
        assert agent.out is not None
        if crawl.state(agent.out.url) is UrlState.UNSEEN:
            again = self._call_back(agent)
            if again is not None and crawl.admits(enqueued(again)):
                return [self._ask(agent, again, crawl)]
            return self._choose(agent, crawl)
        return ()

    def _choose(self, agent: A, crawl: View) -> list[Command]:
        """The agent's choice among what may still be visited. One that has nothing left is given half of the most."""
        for _ in range(2):
            while (candidate := self._next(agent, crawl)) is not None:
                if self._is_free(candidate, crawl):
                    return [self._ask(agent, candidate, crawl)]
            if agent.number not in self._agents or len(agent.links):
                break
            self._share_with(agent, crawl)
        return []

    def _is_free(self, candidate: Candidate, crawl: View) -> bool:
        if candidate.url in self._waiting:
            return False
        state = crawl.state(candidate.url)
        return state is UrlState.PENDING or (state is UrlState.UNSEEN and crawl.admits(enqueued(candidate)))

    def _ask(self, agent: A, candidate: Candidate, crawl: View) -> Command:
        agent.out, agent.asked = candidate, crawl.step
        self._waiting[candidate.url] = agent.number
        return enqueued(candidate)

    def _share_with(self, agent: A, crawl: View) -> None:
        """The papers leave an agent without links where it is; it would hold its part of the frontier for nothing."""
        richest = max(self._agents.values(), key=lambda each: len(each.links))
        known = {word: k for k, word in enumerate(agent.topic)}
        place = [known.get(word, -1) for word in richest.topic]  # both learned words of their own
        half = (len(richest.links) + (richest.out is not None)) // 2  # who waits for nothing keeps one
        for candidate in richest.links.give(crawl.rng, min(half, self._room(agent))):
            inputs = tuple((place[k], value) for k, value in candidate.inputs if place[k] >= 0)
            agent.links.add(candidate._replace(inputs=inputs))

    # -- life and death --------------------------------------------------------------------------------------

    def _number(self) -> int:
        self._born += 1
        return self._born

    def _die(self, agent: A) -> None:
        self._call_back(agent)
        del self._agents[agent.number]
        self._dead += 1
        self._gone[agent.number] = agent.as_member(died=self._step)
        if len(self._gone) > MOST_GONE:
            del self._gone[next(iter(self._gone))]

    # -- to be watched ---------------------------------------------------------------------------------------

    def facts(self) -> Mapping[str, Any]:
        living = self._agents.values()
        return {
            "population": f"{len(living)} agents alive, {self._born} born, {self._dead} dead",
            "energy of all": float(sum(agent.energy for agent in living)),
            "agents": [dict(portrait(agent)) for agent in living],
        }

    def population(self) -> Sequence[Member]:
        gone = sorted(self._gone.values(), key=lambda member: member.number)
        return [*(agent.as_member() for agent in self._agents.values()), *gone]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        number = self._waiting.get(request.url)
        agent = self._agents[number] if number is not None else None
        parts = {"the link as the agent judged it": request.score}
        if agent is None:
            return parts
        return {
            **parts,
            "number of the agent that waits": float(agent.number),
            "its energy": agent.energy,
            "links that it has besides": float(len(agent.links)),
        }

    def save(self) -> Mapping[str, Any]:
        agents = [agent.save() for agent in self._agents.values()]
        gone = msgspec.msgpack.encode(list(self._gone.values()))
        return {"agents": agents, "born": self._born, "dead": self._dead, "gone": gone}

    def load(self, state: Mapping[str, Any]) -> None:
        agents = map(self._load_agent, state["agents"])
        self._agents = {agent.number: agent for agent in agents}
        self._waiting = {agent.out.url: agent.number for agent in self._agents.values() if agent.out}
        self._born, self._dead = state["born"], state["dead"]
        gone = from_msgpack(state["gone"], list[Member]) if "gone" in state else []
        self._gone = {member.number: member for member in gone}


def enqueued(candidate: Candidate) -> Enqueue:
    return Enqueue(url=candidate.url, via=candidate.link, score=candidate.score)


def best_links(page: Page, scores: Iterable[float]) -> Iterator[tuple[int, Link, float]]:
    """Of the links to each URL the best that may be followed, with its place; the page's own URLs left out."""
    best: dict[Url, tuple[bool, float, int]] = {}
    own = {page.url, page.final_url}
    for place, (link, score) in enumerate(zip(page.links, scores, strict=True)):
        known = best.get(link.target)
        if known is None or (not link.nofollow, score) > known[:2]:
            best[link.target] = (not link.nofollow, score, place)
    for url, (_, score, place) in best.items():
        if url not in own:
            yield place, page.links[place], score


def new_word(terms: Mapping[str, int], topic: Mapping[str, int]) -> str | None:
    """The most frequent term of a page that is not in the topic yet; of equals the first by letters."""
    others = [(-n, term) for term, n in terms.items() if term not in topic]
    return min(others)[1] if others else None


def portrait(agent: Agent) -> Mapping[str, Any]:
    """What a person may want to know of an agent."""
    return {
        "agent": agent.number,
        "parent": agent.parent,
        "born at step": agent.born,
        "energy": round(agent.energy, 3),
        "pages": agent.pages,
        "links": len(agent.links),
        "looks for": " ".join(agent.topic),
        "stands at": agent.doc,
        "waits for": agent.out.url if agent.out else None,
    }


def starts_by_turns(seeds: Sequence[Url], agents: int) -> list[list[Candidate]]:
    """The start pages dealt out to so many agents."""
    distinct = [Candidate(url, None, 1.0) for url in dict.fromkeys(seeds)]
    return [distinct[turn::agents] for turn in range(agents)]

"""InfoSpiders as of 2004: up to eight agents that learn, divide, and share one bounded frontier between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec

from lycosa.crawl.inputs import Query
from lycosa.crawl.strategy import View
from lycosa.model.bounds import Share
from lycosa.model.commands import Command
from lycosa.model.records import Page, UrlState
from lycosa.model.url import Url
from lycosa.scoring.links.vicinity import vicinity
from lycosa.strategies.infospiders.agent_links import BetaScale, Candidate
from lycosa.strategies.infospiders.nets import Perceptron
from lycosa.strategies.infospiders.population import Agent, Population, best_links, new_word, starts_by_turns


class Spider(Agent):
    """An agent with a perceptron and a part of the frontier."""

    def __init__(
        self,
        number: int,
        parent: int | None,
        born: int,
        topic: Mapping[str, int],
        net: Perceptron,
        fsize: int,
    ) -> None:
        super().__init__(number, parent, born, topic)
        self.net, self.fsize = net, fsize
        self.doc_similarity = 0.0

    def save(self) -> dict[str, Any]:
        return {
            **super().save(),
            "net": dict(self.net.save()),
            "fsize": self.fsize,
            "doc_similarity": self.doc_similarity,
        }


class InfoSpiders(Population[Spider]):
    """Agents draw links from frontiers of their own, learn which links are good, and divide where they thrive.

    When to use it: for long crawls, where pages about the topic lie far apart and differ in their words. In the paper
    it caught up with best-first in batches after thousands of pages; in short crawls best-first is ahead, and learning
    and evolution rather hurt (Menczer et al. 2004, sec. 3.2, 5.2, 6). At most as many visits are out as there are
    agents, and it begins with one: on the live web it is slow.

    An agent draws a link λ of its frontier with probability in proportion to exp(β μ(λ)). The page's similarity e to
    its topic becomes energy, and the target for which its perceptron is trained on what it saw of the link. Links of
    the page get μ = α e + (1-α) net, where the net sees each keyword's Σ 1/dist within ρ links; the frontier is then
    trimmed to its size. The agent stands at the page, or stays, with probability 1 / (1 + exp(-δ/T)), δ being what e
    is higher than where it stood. Beyond the energy `theta` it divides, while there are fewer than `max_pop` agents:
    both begin at 0 with half of the links, drawn at random, and half of the size; the child looks for one more word,
    the most frequent of the page where its parent stands, with the mean of the weights. A failed visit brings nothing.

    β = 5 is nearly flat over thousands of links, as scores lie between 0 and 1: what is greedy in it is the trimming.
    That is why a larger `max_buffer` makes it worse, in the paper and here; `beta_scale=log` multiplies β with the
    logarithm of the number of links, which makes up for it.

    Parameters: `beta`, 0 to 1,000 (default 5). `beta_scale`, none or log (default none, as published). `alpha`, 0 to 1
    (0.5). `eta`, 0 to 10 (0.5), the learning rate. `theta`, 0 to 1,000 (2). `temperature`, T, 0.001 to 1,000 (0.1).
    `max_pop`, 1 to 256 agents (8). `max_buffer`, M, 2 to 100,000 links of all agents together (256; the paper has 256
    to 2,048). `rho`, 1 to 100 (5, lycosa's choice). `learning` and `evolution`, true: the paper's four variants come
    of switching them off; without evolution one agent crawls alone, and never expands its words. Initial weights (1,
    bias 0), the new weight, the halves at random and dist are lycosa's, where the paper is silent; so is that an agent
    without links is given half of those of the one that has most.

    Cost: O(max_buffer + links + words near them) a page. State: the links that agents hold.

    >>> from lycosa.crawl.inputs import Query
    >>> from lycosa.spec.registry import strategy
    >>> strategy("infospiders:learning=false,max_buffer=512", [Query(terms={"spider": 1})]).max_buffer
    512

    Invariants, each the name of a property test:

    * frontier shared: the sizes of the agents' frontiers sum to `max_buffer`, and none holds more than its size.
    * population bounded: never more than `max_pop` agents.
    * birth from nothing: after a division both have energy 0.
    """

    reference: ClassVar[str] = (
        "Menczer, Pant, Srinivasan: Topical Web Crawlers: Evaluating Adaptive Algorithms. ACM TOIT 4(4), 2004, fig. 10"
    )

    def __init__(
        self,
        query: Query,
        *,
        beta: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 5.0,
        beta_scale: BetaScale = "none",
        alpha: Share = 0.5,
        eta: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.5,
        theta: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 2.0,
        temperature: Annotated[float, msgspec.Meta(ge=0.001, le=1000)] = 0.1,
        max_pop: Annotated[int, msgspec.Meta(ge=1, le=256)] = 8,
        max_buffer: Annotated[int, msgspec.Meta(ge=2, le=100_000)] = 256,
        rho: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5,
        learning: bool = True,
        evolution: bool = True,
    ) -> None:
        super().__init__(query)
        self.beta: float = beta
        self.beta_scale: BetaScale = beta_scale
        self.alpha, self.eta, self.theta, self.temperature = alpha, eta, theta, temperature
        self.max_pop, self.max_buffer, self.rho = max_pop if evolution else 1, max_buffer, rho
        self.learning, self.evolution = learning, evolution

    # -- events ----------------------------------------------------------------------------------------------

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        net = Perceptron([1.0] * len(self._words.terms))
        first = Spider(self._number(), None, crawl.step, self._words.terms, net, self.max_buffer)
        self._agents[first.number] = first
        for candidate in starts_by_turns(seeds, 1)[0]:
            first.links.add(candidate)
        first.links.trim(first.fsize)
        return self._sent(crawl)

    def _came(self, agent: Spider, chosen: Candidate, page: Page, crawl: View) -> None:
        gained = self._similarity(agent, page)
        agent.energy += gained
        if self.learning and chosen.link is not None:  # of a start page the net saw nothing
            agent.net.learn(chosen.inputs, gained, self.eta)
        self._take_links(agent, page, gained, crawl)
        self._walk(agent, page, gained, crawl)
        if agent.energy > self.theta and len(self._agents) < self.max_pop and agent.fsize > 1:
            self._divide(agent, page, crawl)

    def _found(self, agent: Spider, page: Page, crawl: View) -> None:
        self._take_links(agent, page, self._similarity(agent, page), crawl)

    def _take_links(self, agent: Spider, page: Page, similarity: float, crawl: View) -> None:
        """μ(l) = α e + (1-α) nnet(in(l))."""
        near = vicinity(page, agent.keywords, self.rho, self._words.vocabulary)
        inherited = self.alpha * similarity
        far = inherited + (1 - self.alpha) * agent.net.output(())
        scores = [far] * len(page.links)
        for place, inputs in near.items():
            scores[place] = inherited + (1 - self.alpha) * agent.net.output(inputs)
        for place, link, score in best_links(page, scores):
            if link.target in agent.links or crawl.state(link.target) is UrlState.UNSEEN:
                agent.links.add(Candidate(link.target, link, score, near.get(place, ())))
        agent.links.trim(agent.fsize)

    def _next(self, agent: Spider, crawl: View) -> Candidate | None:
        return agent.links.draw(crawl.rng, self.beta, self.beta_scale)

    def _room(self, agent: Spider) -> int:
        return agent.fsize - len(agent.links)

    # -- inside ----------------------------------------------------------------------------------------------

    def _walk(self, agent: Spider, page: Page, similarity: float, crawl: View) -> None:
        """A biased random walk: move to the page, or stay (eq. 7)."""
        difference = similarity - agent.doc_similarity
        if agent.doc is None or crawl.rng.random() < acceptance(difference, self.temperature):
            agent.doc, agent.doc_similarity = page.url, similarity

    def _divide(self, parent: Spider, page: Page, crawl: View) -> None:
        assert parent.doc is not None  # it has just walked
        at = page if parent.doc == page.url else crawl.memory.page(parent.doc)
        terms = at.terms if at is not None else {}
        word = new_word(terms, parent.topic)
        topic = {**parent.topic, word: 1} if word else parent.topic
        net = parent.net.extended() if word else parent.net.copied()
        child = Spider(self._number(), parent.number, crawl.step, topic, net, parent.fsize // 2)
        parent.fsize -= child.fsize
        parent.energy = child.energy = 0.0
        child.doc = parent.doc
        child.doc_similarity = self._similarity(child, at) if at is not None else 0.0
        for candidate in parent.links.give(crawl.rng, len(parent.links) // 2):
            child.links.add(candidate)
        self._agents[child.number] = child

    def _load_agent(self, state: Mapping[str, Any]) -> Spider:
        agent = Spider(
            state["number"],
            state["parent"],
            state["born"],
            state["topic"],
            Perceptron.load(state["net"]),
            state["fsize"],
        )
        agent.load(state)
        agent.doc_similarity = state["doc_similarity"]
        return agent


def acceptance(difference: float, temperature: float) -> float:
    """1 / (1 + exp(-δ/T)) (Menczer et al. 2004, eq. 7).

    >>> [round(acceptance(delta, 0.1), 4) for delta in (-0.2, 0.0, 0.1, 0.2)]
    [0.1192, 0.5, 0.7311, 0.8808]
    """
    return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, difference / temperature))))

"""InfoSpiders with energy: agents live on what they find, multiply where it is plenty, and die where it is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec

from lycosa.crawl.inputs import PageDatabase, Query
from lycosa.crawl.strategy import View
from lycosa.model.commands import Command, Stop
from lycosa.model.records import Failure, Page, UrlState, Visit
from lycosa.model.url import Url
from lycosa.scoring.links.vicinity import vicinity
from lycosa.strategies.infospiders.agent_links import BetaScale, Candidate
from lycosa.strategies.infospiders.nets import TanhNet
from lycosa.strategies.infospiders.population import Agent, Population, best_links, new_word, starts_by_turns

MOVES, MOVES_WHEN_IDLE = 5, 200
"""Pages already known that an agent may pass in one turn. Reading one again can mean reading the archive."""

_GONE = (UrlState.VISITED, UrlState.FAILED)


class Forager(Agent):
    """An agent with a net of two layers, which lives on its energy."""

    def __init__(
        self, number: int, parent: int | None, born: int, topic: Mapping[str, int], net: TanhNet
    ) -> None:
        super().__init__(number, parent, born, topic)
        self.net = net

    def save(self) -> dict[str, Any]:
        return {**super().save(), "net": dict(self.net.save())}


class InfoSpidersEnergy(Population[Forager]):
    """Agents live on the relevance of what they fetch: they pay for each visit, multiply with plenty, die of want.

    When to use it: to let a crawl find out by itself where to search and when to stop, or to begin where earlier
    searches found something. Once the last agent has died the crawl ends, however large its budget. There are as many
    visits out as there are agents, beginning with one for each start page. The thesis it is from had one query and no
    test of significance (Küçük 2009, sec. 4.2).

    Each agent has theta/2 energy at first. A page brings it the similarity to its words and costs `cost` +
    `cost_of_time` · min(1, time taken / `timeout`); a failure only costs. With `theta` or more it divides: the
    offspring has half of the energy, the page's most frequent new word, and a net of which a share of the weights is
    mutated. At 0 or less it dies. Links are drawn with probability in proportion to exp(β λ), λ = tanh(b + Σ w
    tanh(…)) being the net's output on each keyword's Σ 1/dist within ρ links. The net learns by Q-learning: its error
    is δ = e + μ max λ' - λ, λ' over the links of the page that came. With `keep_frontier` (the thesis' improved
    version) agents choose among all links they came by, and an offspring is given half of them at random. Without it
    (its first version) they choose from the page where they stand, which may lead them over pages that are known:
    these cost `cost` and bring nothing.

    With a page database (`--database`) its best pages for the topic are start pages too, each with an agent.

    Parameters: `init_pop`, 1 to 1,000 agents for the start pages, dealt out by turns, at most one a page (default 10,
    as in the thesis). `db_seeds`, 0 to 10,000 pages of the database (50, as in the thesis). `theta`, 0.01 to 1,000
    (2). `beta`, 0 to 1,000 (3.5). `beta_scale`, none or log (none). `mu`, 0 to 1 (0.5), what the future counts.
    `eta`, 0 to 10 (0.05), the learning rate. `rho`, 1 to 100 (5). `cost`, 0 to 100, and `cost_of_time`, 0 to 100
    (0.05 each); `timeout`, 0.001 to 3,600 s (10). `mutation`, 0 to 1, the share of weights to which a draw from
    U(-.5, .5) is added (0.2). `keep_frontier`, true. `max_buffer`, 1 to 100,000 links of all agents together (2,048),
    each having as large a part. `max_pop`, 1 to 1,000 agents (256). The thesis prints neither these values nor the
    learning rule, cost and estimate: they are lycosa's, the rule recalled from Menczer and Belew 2000 and not
    checked; so are the two bounds, and that an agent without links is given half of those of the one that has most.

    Cost: O(links · keywords² + words near them + agents) a page. State: a net for each agent, the links they hold.

    >>> from lycosa.crawl.inputs import Query
    >>> from lycosa.spec.registry import strategy
    >>> strategy("infospiders-energy:theta=3,keep_frontier=false", [Query(terms={"spider": 1})]).theta
    3.0

    Invariants, each the name of a property test:

    * energy conserved at birth: parent and offspring together have what the parent had.
    * no deaths without cost.
    * extinction ends the crawl.
    * frontier bounded: the links of all agents are at most `max_buffer`, or one for each agent.
    """

    reference: ClassVar[str] = (
        "Küçük: Evolving Strategies for Web Crawler. MSc thesis, Isik University, 2009, ch. 4; Menczer, Belew: "
        "Adaptive Retrieval Agents: Internalizing Local Context and Scaling up to the Web. Machine Learning 39, 2000"
    )

    def __init__(
        self,
        query: Query,
        database: PageDatabase | None = None,
        *,
        init_pop: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 10,
        db_seeds: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 50,
        theta: Annotated[float, msgspec.Meta(ge=0.01, le=1000)] = 2.0,
        beta: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 3.5,
        beta_scale: BetaScale = "none",
        mu: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5,
        eta: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.05,
        rho: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5,
        cost: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.05,
        cost_of_time: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.05,
        timeout: Annotated[float, msgspec.Meta(ge=0.001, le=3600)] = 10.0,
        mutation: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.2,
        keep_frontier: bool = True,
        max_buffer: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 2048,
        max_pop: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 256,
    ) -> None:
        super().__init__(query)
        self.init_pop, self.db_seeds, self.max_pop = init_pop, db_seeds, max_pop
        self.theta, self.mutation, self.rho = theta, mutation, rho
        self.beta: float = beta
        self.beta_scale: BetaScale = beta_scale
        self.mu, self.eta = mu, eta
        self.cost, self.cost_of_time, self.timeout = cost, cost_of_time, timeout
        self.keep_frontier, self.max_buffer = keep_frontier, max_buffer
        self._known_pages = database.pages if database is not None else ()
        self._moves = MOVES

    # -- events ----------------------------------------------------------------------------------------------

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        given = list(dict.fromkeys(seeds))
        earlier = [page.url for page in self._known_pages if page.label][: self.db_seeds]
        further = [url for url in dict.fromkeys(earlier) if url not in given]
        shares = starts_by_turns(given, min(self.init_pop, max(1, len(given))))
        shares += starts_by_turns(further, len(further))
        for turn, share in enumerate(shares):
            if turn < self.max_pop:
                self._agents[turn + 1] = self._founder(crawl)
            for candidate in share:
                self._agents[turn % self.max_pop + 1].links.add(candidate)
        return self._sent(crawl)

    def _founder(self, crawl: View) -> Forager:
        founder = Forager(
            self._number(), None, crawl.step, self._words.terms, TanhNet(len(self._words.terms))
        )
        founder.energy = self.theta / 2
        return founder

    def _came(self, agent: Forager, chosen: Candidate, page: Page, crawl: View) -> None:
        estimate = self._similarity(agent, page)
        agent.energy += estimate - self._cost_of(page)
        self._stand_at(agent, chosen, page, estimate, crawl)
        if agent.energy >= self.theta:
            self._multiply(agent, page, crawl)
        else:
            self._die_if_spent(agent)

    def _missed(self, agent: Forager, failure: Failure, crawl: View) -> None:
        agent.energy -= self._cost_of(failure)
        self._die_if_spent(agent)

    def _found(self, agent: Forager, page: Page, crawl: View) -> None:
        if self.keep_frontier:
            self._take_links(agent, page, crawl)

    def _next(self, agent: Forager, crawl: View) -> Candidate | None:
        """Draw a link. Without a frontier of its own an agent passes over known pages, which costs it energy."""
        for _ in range(self._moves):
            candidate = agent.links.draw(crawl.rng, self.beta, self.beta_scale)
            if candidate is None or self.keep_frontier or crawl.state(candidate.url) not in _GONE:
                return candidate
            page = crawl.memory.page(candidate.url)
            if page is None:
                continue
            agent.energy -= self.cost
            self._stand_at(agent, candidate, page, 0.0, crawl)
            self._die_if_spent(agent)
            if agent.number not in self._agents:
                return None
        return None

    def on_idle(self, crawl: View) -> Iterable[Command]:
        """The last chance to find something new before the crawl ends."""
        self._moves = MOVES_WHEN_IDLE
        commands = super().on_idle(crawl)
        self._moves = MOVES
        return commands

    def _room(self, agent: Forager) -> int:
        return max(1, self.max_buffer // max(1, len(self._agents))) - len(agent.links)

    def _ended(self) -> Iterable[Command]:
        if self._born and not self._agents:
            yield Stop(reason=f"all {self._born} agents have died: what is left brings less than it costs")

    # -- a visit ---------------------------------------------------------------------------------------------

    def _cost_of(self, visit: Visit) -> float:
        return self.cost + self.cost_of_time * min(1.0, visit.elapsed / (1000 * self.timeout))

    def _stand_at(self, agent: Forager, chosen: Candidate, page: Page, estimate: float, crawl: View) -> None:
        """Go there, learn from it, and take its links. Of start pages the net saw nothing, so nothing is learned."""
        agent.doc = page.url
        hoped = self._take_links(agent, page, crawl)
        if chosen.link is not None:
            followed = float(agent.net.output([chosen.inputs])[0])
            agent.net.learn(chosen.inputs, estimate + self.mu * hoped - followed, self.eta)

    def _take_links(self, agent: Forager, page: Page, crawl: View) -> float:
        """Judge the page's links, and return max λ over them, 0 if there are none."""
        near = vicinity(page, agent.keywords, self.rho, self._words.vocabulary)
        outputs = agent.net.output([(), *near.values()])
        far, close = float(outputs[0]), dict(zip(near, outputs[1:].tolist(), strict=True))
        scores = [close.get(place, far) for place in range(len(page.links))]
        if not self.keep_frontier:
            agent.links.keep_starts()
        for place, link, score in best_links(page, scores):
            if link.target in agent.links or self._may_lead(link.target, crawl):
                agent.links.add(Candidate(link.target, link, score, near.get(place, ())))
        self._trim(agent)
        return max(scores, default=0.0)

    def _may_lead(self, url: Url, crawl: View) -> bool:
        state = crawl.state(url)
        return state is UrlState.UNSEEN or (not self.keep_frontier and state is UrlState.VISITED)

    def _trim(self, agent: Forager) -> None:
        agent.links.trim(max(1, self.max_buffer // max(1, len(self._agents))))

    # -- life and death --------------------------------------------------------------------------------------

    def _multiply(self, parent: Forager, page: Page, crawl: View) -> None:
        if len(self._agents) >= self.max_pop:
            return
        word = new_word(page.terms, parent.topic)
        topic = {**parent.topic, word: 1} if word else parent.topic
        net = parent.net.mutated(crawl.rng, self.mutation, one_more=word is not None)
        offspring = Forager(self._number(), parent.number, crawl.step, topic, net)
        offspring.energy = parent.energy / 2
        parent.energy -= offspring.energy
        offspring.doc = parent.doc
        if self.keep_frontier:
            for candidate in parent.links.give(crawl.rng, len(parent.links) // 2):
                offspring.links.add(candidate)
        else:
            for candidate in parent.links:
                if candidate.link is not None:  # both stand at the page; start pages stay with the parent
                    offspring.links.add(candidate)
        self._agents[offspring.number] = offspring
        for agent in self._agents.values():
            self._trim(agent)

    def _die_if_spent(self, agent: Forager) -> None:
        if agent.energy <= 0.0:
            self._die(agent)

    def _load_agent(self, state: Mapping[str, Any]) -> Forager:
        net = TanhNet.load(state["net"])
        agent = Forager(state["number"], state["parent"], state["born"], state["topic"], net)
        agent.load(state)
        return agent

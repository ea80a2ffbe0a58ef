"""What populations of agents promise, on webs of all kinds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import failed, made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.inputs import KnownPage, PageDatabase, Query
from lycosa.crawl.scope import Scope
from lycosa.crawl.strategy import View
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.events import Snapshot
from lycosa.model.records import Failure, Millis, Page, Reason, Request, UrlState
from lycosa.read.html import read
from lycosa.scoring.links.vicinity import occurrences, vicinity
from lycosa.scoring.words.terms import counts
from lycosa.strategies.infospiders.agent_links import Candidate, OwnLinks
from lycosa.strategies.infospiders.energy import Forager, InfoSpidersEnergy
from lycosa.strategies.infospiders.infospiders import InfoSpiders
from lycosa.strategies.infospiders.population import LOOK_AGAIN

NAMES = [f"n{i}" for i in range(24)]
FAILING, REFUSED, MOVED = "n21", "n22", "n23"
TEXTS = ("rock", "rock wall", "sand wall rope", "")
QUERY = Query(terms={"rock": 1, "climb": 1})

graphs = st.lists(
    st.lists(st.sampled_from(NAMES), max_size=8, unique=True), min_size=len(NAMES), max_size=len(NAMES)
)
starts = st.lists(st.sampled_from(NAMES[:20]), min_size=1, max_size=4, unique=True)
capacities = st.sampled_from([None, 1, 3])
seeds = st.integers(0, 5)


def answer(graph: Sequence[Sequence[str]], request: Request) -> Page | Failure:
    name = request.url.removeprefix("http://").partition(".")[0]
    if name == FAILING:
        return failed(request, Reason.STATUS, 404)
    number = NAMES.index(name)
    targets = [u(target) for target in graph[number]]
    if name == MOVED:
        return made_page(request, *targets, text="rock", final=u(NAMES[0]), hops=(request.url,))
    return made_page(request, *targets, text=TEXTS[number % len(TEXTS)])


def begun(
    spiders: InfoSpiders | InfoSpidersEnergy, names: Iterable[str], capacity: int | None = None, seed: int = 0
) -> Crawl:
    scope = Scope(exclude=[f"{u(REFUSED)}*"])
    crawl = make_crawl(spiders, frontier=MemoryFrontier(capacity=capacity), scope=scope, seed=seed, budget=60)
    crawl.start([u(name) for name in names], Millis(0))
    return crawl


def stepwise(crawl: Crawl, graph: Sequence[Sequence[str]], width: int = 1) -> Iterable[Crawl]:
    """The crawl after its start and after each visit; several may be out, and the last to go comes home first."""
    yield crawl
    out: list[Request] = []
    while not crawl.finished:
        while len(out) < width and (request := crawl.lease(Millis(0))):
            out.append(request)
        visit = answer(graph, out.pop())
        if isinstance(visit, Page) and visit.hops:
            refused = crawl.refuses_redirect(visit.request, visit.final_url)
            visit = failed(visit.request, refused) if refused else visit
        crawl.commit(visit, Millis(0))
        yield crawl


@given(graphs, starts, capacities, seeds, st.integers(1, 4))
@settings(max_examples=trials(30), deadline=None)
def test_one_visit_each_and_nobody_is_stranded(
    graph: list[list[str]], names: list[str], capacity: int | None, seed: int, width: int
) -> None:
    for make in (InfoSpiders, InfoSpidersEnergy):
        spiders = make(QUERY, theta=0.8)
        since: dict[int, int] = {}
        for crawl in stepwise(begun(spiders, names, capacity, seed), graph, width):
            out = [agent.out.url for agent in spiders._agents.values() if agent.out]
            assert len(set(out)) == len(out)
            assert spiders._waiting == {a.out.url: n for n, a in spiders._agents.items() if a.out}
            for number, agent in spiders._agents.items():
                waits = agent.out and crawl.frontier.state(agent.out.url) is not UrlState.UNSEEN
                richest = max(len(other.links) for other in spiders._agents.values())
                if waits or (agent.out is None and len(agent.links) == 0 and richest < 2):
                    since[number] = crawl.step
                assert crawl.step - since.setdefault(number, crawl.step) <= LOOK_AGAIN or capacity
        assert spiders._waiting == {} or str(crawl.ended) != "exhausted"


@given(graphs, starts, seeds, st.integers(2, 9), st.integers(2, 40))
@settings(max_examples=trials(40), deadline=None)
def test_frontier_shared_and_population_bounded(
    graph: list[list[str]], names: list[str], seed: int, max_pop: int, max_buffer: int
) -> None:
    spiders = InfoSpiders(QUERY, theta=0.5, max_pop=max_pop, max_buffer=max_buffer)
    for _ in stepwise(begun(spiders, names, seed=seed), graph):
        agents = spiders._agents.values()
        assert sum(agent.fsize for agent in agents) == max_buffer
        assert all(len(agent.links) <= agent.fsize for agent in agents)
        assert len(agents) <= max_pop


@given(graphs, starts, seeds)
@settings(max_examples=trials(30), deadline=None)
def test_birth_from_nothing(graph: list[list[str]], names: list[str], seed: int) -> None:
    spiders = InfoSpiders(QUERY, theta=0.5)
    known: set[int] = set()
    for _ in stepwise(begun(spiders, names, seed=seed), graph):
        for number in spiders._agents.keys() - known:
            child = spiders._agents[number]
            assert child.energy == 0.0
            assert child.parent is None or spiders._agents[child.parent].energy == 0.0
        known = set(spiders._agents)


class Counting(InfoSpidersEnergy):
    """Notes the energy of all around each birth."""

    def __init__(self, query: Query, **parameters: float) -> None:
        super().__init__(query, **parameters)  # type: ignore[arg-type]
        self.births: list[tuple[float, float]] = []

    def _multiply(self, parent: Forager, page: Page, crawl: View) -> None:
        before = sum(agent.energy for agent in self._agents.values())
        super()._multiply(parent, page, crawl)
        self.births.append((before, sum(agent.energy for agent in self._agents.values())))


@given(graphs, starts, seeds, st.booleans())
@settings(max_examples=trials(30), deadline=None)
def test_energy_conserved_at_birth(graph: list[list[str]], names: list[str], seed: int, keep: bool) -> None:
    spiders = Counting(QUERY, theta=1.0, keep_frontier=keep)
    for _ in stepwise(begun(spiders, names, seed=seed), graph):
        assert all(before == pytest.approx(after) for before, after in spiders.births)


@given(graphs, starts, seeds, st.booleans())
@settings(max_examples=trials(30), deadline=None)
def test_no_deaths_without_cost(graph: list[list[str]], names: list[str], seed: int, keep: bool) -> None:
    spiders = InfoSpidersEnergy(QUERY, cost=0, cost_of_time=0, keep_frontier=keep)
    for _ in stepwise(begun(spiders, names, seed=seed), graph):
        assert spiders._dead == 0
        assert len(spiders._agents) == spiders._born


@given(graphs, starts, seeds, st.sampled_from([0.3, 1.0, 5.0]), st.booleans())
@settings(max_examples=trials(30), deadline=None)
def test_extinction_ends_the_crawl(
    graph: list[list[str]], names: list[str], seed: int, cost: float, keep: bool
) -> None:
    spiders = InfoSpidersEnergy(QUERY, cost=cost, keep_frontier=keep)
    for crawl in stepwise(begun(spiders, names, seed=seed), graph):
        assert ("have died" in str(crawl.ended)) is (not spiders._agents)
        assert all(agent.energy > 0 for agent in spiders._agents.values())


@given(graphs, starts, seeds, st.integers(1, 30))
@settings(max_examples=trials(30), deadline=None)
def test_frontier_bounded(graph: list[list[str]], names: list[str], seed: int, max_buffer: int) -> None:
    spiders = InfoSpidersEnergy(QUERY, theta=0.7, init_pop=2, max_buffer=max_buffer)
    crawl = begun(spiders, names, seed=seed)
    for _ in list(stepwise(crawl, graph))[1:]:
        agents = spiders._agents.values()
        assert sum(len(agent.links) for agent in agents) <= max(max_buffer, len(agents) + len(names))


@given(graphs, starts, seeds, st.integers(1, 25), st.booleans())
@settings(max_examples=trials(40), deadline=None)
def test_saved_and_loaded_as_plain_values(
    graph: list[list[str]], names: list[str], seed: int, steps: int, energy: bool
) -> None:
    make = InfoSpidersEnergy if energy else InfoSpiders
    spiders = make(QUERY, theta=0.7)
    walk = iter(stepwise(begun(spiders, names, seed=seed), graph))
    for _ in range(steps):
        crawl = next(walk, None)
        if crawl is None:
            return
        packed = msgspec.msgpack.encode(crawl.snapshot())
        again = make(QUERY, theta=0.7)
        again.load(msgspec.msgpack.decode(packed, type=Snapshot).strategy)
        assert again.save() == spiders.save()


@given(starts, starts, st.integers(0, 4))
def test_database_seeding_deduplicated(names: list[str], known: list[str], db_seeds: int) -> None:
    pages = tuple(KnownPage(url=u(name), score=0.5, label=True) for name in [*known, *known])
    spiders = InfoSpidersEnergy(QUERY, PageDatabase(pages=pages), db_seeds=db_seeds, init_pop=10)
    begun(spiders, names)
    held = [agent.out.url for agent in spiders._agents.values() if agent.out]
    assert held == list(dict.fromkeys([*map(u, names), *[u(name) for name in [*known, *known]][:db_seeds]]))


# -- an agent's own links ------------------------------------------------------------------------------------

adds = st.lists(st.tuples(st.integers(0, 15), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])), max_size=40)


def filled(finds: Iterable[tuple[int, float]]) -> tuple[OwnLinks, dict[str, tuple[float, int]]]:
    """Links, and what a plain dict makes of the same finds: score and order of the first find."""
    links, plain = OwnLinks(), dict[str, tuple[float, int]]()
    for number, score in finds:
        url = u(f"n{number}")
        links.add(Candidate(url, None, score, ((0, score),)))
        known = plain.get(url)
        plain[url] = (max(score, known[0]), known[1]) if known else (score, len(plain))
    return links, plain


@given(adds)
def test_best_score_kept(finds: list[tuple[int, float]]) -> None:
    links, plain = filled(finds)
    assert {c.url: c.score for c in links} == {url: score for url, (score, _) in plain.items()}
    assert all(c.inputs == ((0, c.score),) for c in links)


@given(adds, st.integers(1, 20))
def test_trimmed_to_the_best(finds: list[tuple[int, float]], most: int) -> None:
    links, plain = filled(finds)
    links.trim(most)
    best = sorted(plain, key=lambda url: (-plain[url][0], plain[url][1]))[:most]
    assert {c.url for c in links} == set(best)
    assert all(url in links for url in best)


@given(adds, st.data())
def test_nothing_lost_in_giving(finds: list[tuple[int, float]], data: st.DataObject) -> None:
    links, plain = filled(finds)
    n = data.draw(st.integers(0, len(plain)))
    given_away = links.give(random.Random(1), n)
    assert len(given_away) == n
    assert sorted(c.url for c in [*given_away, *links]) == sorted(plain)
    again = OwnLinks.load(msgspec.msgpack.decode(msgspec.msgpack.encode(links.save())))
    assert list(again) == list(links)


# -- how near words stand ------------------------------------------------------------------------------------

pieces = st.lists(
    st.tuples(st.sampled_from(["rock", "Rocks,", "climbing", "shamrock", "sand"]), st.booleans()), max_size=25
)


def naive(parts: Sequence[tuple[str, bool]], keywords: Sequence[str], rho: int) -> Mapping[int, object]:
    """Walk from each link to each word, counting the links in between."""
    at_links = [place for place, (_, is_link) in enumerate(parts) if is_link]
    near: dict[int, dict[int, float]] = {}
    for number, here in enumerate(at_links):
        for there, (word, _) in enumerate(parts):
            between = [at for at in at_links if at != here and min(here, there) <= at <= max(here, there)]
            distance = 1 + len(between)
            for k, keyword in enumerate(keywords):
                if keyword in counts(word) and distance <= rho:
                    near.setdefault(number, {}).setdefault(k, 0.0)
                    near[number][k] += 1 / distance
    return {number: tuple(sorted(values.items())) for number, values in near.items()}


@given(pieces, st.integers(1, 6), st.booleans())
@settings(max_examples=trials(100), deadline=None)
def test_vicinity_is_what_one_would_count(
    parts: list[tuple[str, bool]], rho: int, in_paragraphs: bool
) -> None:
    words = [f'<a href="/{n}">{word}</a>' if is_link else word for n, (word, is_link) in enumerate(parts)]
    body = ("<p>" if in_paragraphs else " ").join(words)
    document = read(f"<p>{body}".encode(), "http://p.test/x")
    page = made_page(Request(url=u("p"), order=0))
    page = msgspec.structs.replace(
        page, text=document.text, terms=document.terms, links=document.links, places=document.places
    )
    found = vicinity(page, ["rock", "climb"], rho)
    wanted = naive(parts, ["rock", "climb"], rho)
    assert found.keys() == wanted.keys()
    for number, values in found.items():
        assert dict(values) == pytest.approx(dict(wanted[number]))  # type: ignore[call-overload]


@given(st.text(alphabet="rockİ ßéA-_岩登\n", max_size=40))
def test_occurrences_are_words_of_the_text(text: str) -> None:
    for start, end, _ in occurrences(text, ["rock", "ock"]):
        assert text[start:end].lower().rstrip("s") in ("rock", "ock", "rocks")

"""InfoSpiders, both kinds, worked by hand (ALGORITHMS §3.9, §3.10)."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from tests.worlds import by_table, drive, failed, journal, lease, made_page, make_crawl, u, visited

import lycosa
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.inputs import KnownPage, PageDatabase, Query
from lycosa.crawl.scope import Scope
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.commands import Enqueue
from lycosa.model.events import HandedOff, Operated
from lycosa.model.records import Link, Millis, Page, Reason, Request, UrlState
from lycosa.model.url import Url
from lycosa.read.html import read
from lycosa.scoring.links.vicinity import Inputs, occurrences, vicinity
from lycosa.strategies.infospiders.agent_links import Candidate, OwnLinks, packed, softmax, unpacked
from lycosa.strategies.infospiders.energy import InfoSpidersEnergy
from lycosa.strategies.infospiders.infospiders import InfoSpiders, acceptance
from lycosa.strategies.infospiders.nets import NOISE, Perceptron, TanhNet
from lycosa.strategies.infospiders.population import new_word

SAMPLE = f"recorded:{Path(__file__).parents[2] / 'examples' / 'sample-web'}"
ROCK = Query(terms={"rock": 1})
ROCK_CLIMB = Query(terms={"rock": 1, "climb": 1})


def page_of(html: str) -> Page:
    document = read(html.encode(), "http://p.test/")
    page = made_page(Request(url=Url("http://p.test/"), order=0))
    return replace(
        page, text=document.text, terms=document.terms, links=document.links, places=document.places
    )


def started(strategy: InfoSpiders | InfoSpidersEnergy, *names: str, **settings: object) -> Crawl:
    crawl = make_crawl(strategy, **settings)  # type: ignore[arg-type]
    crawl.start([u(name) for name in names], Millis(0))
    return crawl


# -- formulas ------------------------------------------------------------------------------------------------


def test_softmax() -> None:
    """KAT §3.9: β = 5 over μ = (.2, .4, .6)."""
    assert softmax([0.2, 0.4, 0.6], 5).tolist() == pytest.approx([0.0900, 0.2447, 0.6652], abs=5e-5)


def test_softmax_without_greed_is_uniform() -> None:
    assert softmax([-3.0, 0.2, 900.0], 0).tolist() == pytest.approx([1 / 3] * 3)


def test_softmax_of_large_scores_stays_finite() -> None:
    assert softmax([10_000.0, 9_999.0], 1000).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("delta", "chance"), [(-0.2, 0.1192), (0.0, 0.5), (0.1, 0.7311), (0.2, 0.8808)])
def test_acceptance(delta: float, chance: float) -> None:
    """KAT §3.9: eq. 7 with T = .1."""
    assert acceptance(delta, 0.1) == pytest.approx(chance, abs=5e-5)


def test_perceptron_step() -> None:
    """KAT §3.9: in = (1, .5), w = (1, 1), b = 0, e = .3, η = .5."""
    net, inputs = Perceptron([1.0, 1.0]), ((0, 1.0), (1, 0.5))
    output = net.output(inputs)
    assert output == pytest.approx(0.817574, abs=5e-7)
    assert (0.3 - output) * output * (1 - output) == pytest.approx(-0.077194, abs=5e-7)
    net.learn(inputs, 0.3, 0.5)
    assert net.weights == pytest.approx([0.961403, 0.980701], abs=5e-7)
    assert net.bias == pytest.approx(-0.038597, abs=5e-7)
    assert net.output(inputs) == pytest.approx(0.804263, abs=5e-7)


def test_a_new_keyword_gets_the_mean_weight() -> None:
    net = Perceptron([0.5, 1.5, 4.0], 0.25)
    assert (net.extended().weights, net.extended().bias) == ([0.5, 1.5, 4.0, 2.0], 0.25)
    assert net.weights == [0.5, 1.5, 4.0]


def test_a_hidden_unit_is_tanh() -> None:
    """KAT §3.10: tanh(1.5) = .905148; the output unit has weight 1, so it is tanh of that."""
    output = TanhNet(1).output([((0, 1.5),)])
    assert math.atanh(output[0]) == pytest.approx(0.905148, abs=5e-7)


def test_the_two_layers_learn_by_hand() -> None:
    """in = 1, all weights 1, biases 0, δ = .5, η = .1: h = tanh 1 = .761594, o = tanh h = .642015; the output's δ is
    .5 (1 - o²) = .293908; Δ out = .1 · .293908 · h = .022384; the hidden δ is .293908 · (1 - h²) = .123434."""
    net = TanhNet(1)
    net.learn(((0, 1.0),), 0.5, 0.1)
    assert net.out[0] == pytest.approx(1.022384, abs=5e-7)
    assert net.bias == pytest.approx(0.0293908, abs=5e-8)
    assert net.hidden[0, 0] == pytest.approx(1.0123434, abs=5e-8)
    assert net.hidden_bias[0] == pytest.approx(0.0123434, abs=5e-8)


def test_mutation_changes_a_share_of_the_weights() -> None:
    net = TanhNet(20)
    child = net.mutated(random.Random(1), 0.2, one_more=True)
    same = TanhNet(21)
    difference = np.abs(child.hidden - same.hidden)
    assert 0.15 < np.count_nonzero(difference) / difference.size < 0.25
    assert difference.max() <= NOISE
    unchanged = net.mutated(random.Random(1), 0.0, one_more=True)
    links: list[Inputs] = [((3, 0.7),), ()]
    assert unchanged.output(links).tolist() == net.output(links).tolist()


def test_nets_saved_and_loaded() -> None:
    deep = TanhNet(2).mutated(random.Random(5), 1.0, one_more=True)
    assert TanhNet.load(deep.save()).save() == deep.save()
    assert Perceptron.load(Perceptron([1, 2], 3).save()).save() == {"weights": [1, 2], "bias": 3}


# -- what stands near a link ---------------------------------------------------------------------------------


def test_in_of_own_anchor_and_two_links_away() -> None:
    """KAT §3.10: dist 1 and dist 3, ρ = 5: 1 + 1/3 = 1.3333."""
    page = page_of('<p><a href="/a">a rock</a> and <a href="/b">b</a> or <a href="/c">c</a> rock</p>')
    near = vicinity(page, ["rock"], 5)
    assert near[0] == ((0, pytest.approx(4 / 3)),)
    assert near[1] == ((0, pytest.approx(1 / 2 + 1 / 2)),)
    assert near[2] == ((0, pytest.approx(1 / 3 + 1)),)
    own_is_farther = page_of('<p><a href="/a">x</a> <a href="/b">y</a> <a href="/c">rocks</a></p>')
    assert vicinity(own_is_farther, ["rock"], 5)[0] == ((0, pytest.approx(1 / 3)),)


def test_in_ends_at_rho() -> None:
    page = page_of("<p>rock " + "".join(f'<a href="/{i}">x{i}y</a> ' for i in range(9)) + "</p>")
    assert vicinity(page, ["rock"], 3) == {0: ((0, 1.0),), 1: ((0, 0.5),), 2: ((0, pytest.approx(1 / 3)),)}


def test_in_of_several_keywords_and_of_words_that_only_begin_alike() -> None:
    page = page_of('<p>Climbing, climbers; rocket shamrock. <a href="/a">Rocks</a></p>')
    assert vicinity(page, ["rock", "climb"], 5) == {0: ((0, 1.0), (1, 1.0))}


def test_in_of_an_image_s_alternative_text() -> None:
    page = page_of('<p>x <a href="/a"><img alt="rock"></a> y</p>')
    assert vicinity(page, ["rock"], 5) == {0: ((0, 1.0),)}


def test_in_of_a_page_that_does_not_tell_places() -> None:
    page = replace(page_of('<p>rock <a href="/a">rock</a> <a href="/b">b</a></p>'), places=())
    assert vicinity(page, ["rock"], 5) == {0: ((0, 1.0),), 1: ((0, 0.5),)}


@pytest.mark.parametrize(
    "html",
    [
        '<p><a href="/a">rock pool</a><iframe src="/b"></iframe>',  # the frame stands nowhere in the text
        '<a href="/a"><p>rock</p><p>pool of rock</p></a>',  # a link of two blocks
        '<p><a href="/a" title="All of it">rock</a>',
    ],
)
def test_what_stands_within_a_link_counts_once(html: str) -> None:
    own = html.count("rock")
    assert dict(vicinity(page_of(html), ["rock"], 1)) == {0: ((0, float(own)),)}


def test_occurrences_keep_their_places_where_lower_case_is_longer() -> None:
    assert list(occurrences("İİ Rock", ["rock"])) == [(3, 7, 0)]


def test_in_of_words_without_spaces_between() -> None:
    assert [k for _, _, k in occurrences("登山 と 岩登り", ["登山", "岩登"])] == [0, 1]


# -- an agent's own links ------------------------------------------------------------------------------------


def own_links(n: int) -> OwnLinks:
    links = OwnLinks()
    for i in range(n):
        links.add(Candidate(u(f"n{i}"), None, i / n))
    return links


def test_a_frontier_splits_in_halves() -> None:
    """§3.9: 256 gives 128 and 128."""
    links = own_links(256)
    given = links.give(random.Random(3), 128)
    assert (len(given), len(links)) == (128, 128)
    assert {c.url for c in given} | {c.url for c in links} == {u(f"n{i}") for i in range(256)}


def test_equal_scores_go_last_in_first_out() -> None:
    links = OwnLinks()
    for name in "abcd":
        links.add(Candidate(u(name), None, 0.5))
    links.trim(2)
    assert [c.url for c in links] == [u("a"), u("b")]


def test_a_draw_follows_its_chances() -> None:
    drawn = [0, 0, 0]
    for seed in range(2000):
        links = OwnLinks()
        for place, score in enumerate((0.2, 0.4, 0.6)):
            links.add(Candidate(u(f"n{place}"), None, score))
        candidate = links.draw(random.Random(seed), 5)
        assert candidate is not None
        drawn[[u("n0"), u("n1"), u("n2")].index(candidate.url)] += 1
    assert [n / 2000 for n in drawn] == pytest.approx([0.0900, 0.2447, 0.6652], abs=0.03)


def test_beta_times_the_logarithm_of_the_links() -> None:
    """Among e² ≈ 7 links β = 5 counts as 5 ln 7."""

    class Half(random.Random):
        def random(self) -> float:
            return 0.5

    def best_of_seven(scale: str) -> Url:
        links = OwnLinks()
        for place in range(6):
            links.add(Candidate(u(f"n{place}"), None, 0.0))
        links.add(Candidate(u("best"), None, 0.3))
        candidate = links.draw(Half(), 5, scale)  # type: ignore[arg-type]
        assert candidate is not None
        return candidate.url

    # exp(1.5) = 4.48 against 6: a draw of .5 falls on the sixth; exp(1.5 ln 7) = 18.5 against 6: on the best.
    assert (best_of_seven("none"), best_of_seven("log")) == (u("n5"), u("best"))


def test_candidates_as_plain_values() -> None:
    link = Link(source=u("a"), target=u("b"), anchor="b", position=0.25, nofollow=True)
    candidate = Candidate(u("b"), link, 0.5, ((1, 0.5), (3, 1.0)))
    assert unpacked(packed(candidate)) == candidate


def test_new_word_is_the_most_frequent_unknown() -> None:
    assert new_word({"rock": 9, "wall": 3, "rope": 3, "a": 1}, {"rock": 1}) == "rope"
    assert new_word({"rock": 9}, {"rock": 1}) is None


# -- 2004 ----------------------------------------------------------------------------------------------------


def test_the_first_agent_has_it_all() -> None:
    spiders = InfoSpiders(ROCK_CLIMB, max_buffer=300)
    crawl = started(spiders, "a", "b", "a")
    (agent,) = spiders._agents.values()
    assert (agent.energy, agent.fsize, agent.doc, agent.topic) == (0.0, 300, None, {"rock": 1, "climb": 1})
    assert agent.out is not None
    assert len(agent.links) == 1
    assert len(crawl.frontier) == 1, "an agent asks for one page at a time"


def test_energy_learning_and_scores_by_hand() -> None:
    """s says `rock rock sand`: e = 2/√5. Its link to a has `rock` in its words: in = 1, net σ(1); its link to z, six
    links on, has in = 0, net σ(0). Then a comes with nothing of the topic: e = 0, and the net learns from in = 1."""
    spiders = InfoSpiders(ROCK, beta=1000, rho=5)
    crawl = started(spiders, "s")
    names = ["a", "b", "c", "d", "e", "z"]
    links = tuple(
        Link(source=u("s"), target=u(name), anchor="a rock" if name == "a" else name) for name in names
    )
    request = lease(crawl)
    crawl.commit(replace(made_page(request, text="rock rock sand"), links=links), Millis(0))
    (agent,) = spiders._agents.values()
    e = 2 / math.sqrt(5)
    assert agent.energy == pytest.approx(e)
    assert agent.net.weights == [1.0], "of a start page the net saw nothing"
    assert agent.doc == u("s")
    assert agent.out is not None
    assert agent.out.url == u("a")
    assert agent.out.score == pytest.approx(e / 2 + 1 / (1 + math.exp(-1)) / 2)
    found = {candidate.url: candidate for candidate in agent.links}
    assert found[u("z")].score == pytest.approx(e / 2 + 0.25)
    assert found[u("c")].inputs == ((0, pytest.approx(1 / 3)),)
    crawl.commit(made_page(lease(crawl), text="sand"), Millis(1))
    o = 1 / (1 + math.exp(-1))
    assert agent.net.weights == pytest.approx([1 + 0.5 * (0 - o) * o * (1 - o)])
    assert agent.energy == pytest.approx(e)


def test_division() -> None:
    """θ = .5: `rock` alone brings e = 1, so the first page makes two agents of one."""
    spiders = InfoSpiders(ROCK, theta=0.5, max_buffer=257)
    crawl = started(spiders, "s")
    targets = [u(f"n{i}") for i in range(9)]
    crawl.commit(made_page(lease(crawl), *targets, text="rock rock wall"), Millis(0))
    parent, child = spiders._agents.values()
    assert (parent.energy, child.energy) == (0.0, 0.0)
    assert (parent.fsize, child.fsize) == (129, 128)
    assert (child.parent, child.topic, child.doc) == (1, {"rock": 1, "wall": 1}, u("s"))
    assert child.net.weights == [1.0, 1.0]
    assert parent.topic == {"rock": 1}
    assert parent.out is not None
    assert child.out is not None
    assert parent.out.url != child.out.url
    assert sorted([len(parent.links), len(child.links)]) == [3, 4], "4 and 5, but each has taken one out"
    assert len(crawl.frontier) == 2


def chain(length: int) -> dict[str, list[str]]:
    return {f"n{i}": [f"n{i + 1}", f"m{i}"] for i in range(length)} | {f"m{i}": [] for i in range(length)}


@pytest.mark.parametrize("learning", [True, False])
@pytest.mark.parametrize("evolution", [True, False])
def test_four_variants(learning: bool, evolution: bool) -> None:
    graph = chain(30)
    spiders = InfoSpiders(ROCK, theta=1.5, max_buffer=4096, learning=learning, evolution=evolution)
    crawl = started(spiders, "n0")
    drive(crawl, by_table(graph, dict.fromkeys(graph, "rock wall")))
    assert len(visited(crawl)) == 60
    agents = list(spiders._agents.values())
    assert (len(agents) > 1) is evolution
    assert any(len(agent.topic) > 1 for agent in agents) is evolution
    assert (any(agent.net.bias != 0.0 for agent in agents)) is learning


def test_beyond_max_pop_nobody_is_born() -> None:
    graph = chain(100)
    spiders = InfoSpiders(ROCK, theta=0.1, max_pop=3)
    drive(started(spiders, "n0"), by_table(graph, dict.fromkeys(graph, "rock")))
    assert len(spiders._agents) == 3
    assert sum(agent.fsize for agent in spiders._agents.values()) == 256


# -- nobody is stranded --------------------------------------------------------------------------------------


def test_refused_urls_do_not_end_the_crawl() -> None:
    """Every second link is out of scope; the agent never waits for one."""
    spiders = InfoSpiders(ROCK)
    crawl = started(spiders, "n0", scope=Scope(exclude=["http://m"]))
    drive(crawl, by_table(chain(20)))
    assert visited(crawl) == [u(f"n{i}") for i in range(20)]
    assert crawl.admission.refused == 0


def test_nofollow_links_are_passed_over() -> None:
    spiders = InfoSpiders(ROCK)
    crawl = started(spiders, "a")
    crawl.commit(made_page(lease(crawl), *(u(f"n{i}") for i in range(20)), nofollow=True), Millis(0))
    assert crawl.finished


def test_failures_are_survived() -> None:
    spiders = InfoSpiders(ROCK)
    crawl = started(spiders, "a", "b", "c")
    drive(crawl, by_table({"c": "d", "d": ""}))
    assert set(visited(crawl)) == {u("c"), u("d")}
    assert spiders._agents[1].energy == 0.0


def test_a_frontier_of_one_for_many_agents() -> None:
    graph = chain(40)
    spiders = InfoSpiders(ROCK, theta=0.1, max_buffer=8192)
    crawl = started(spiders, "n0", frontier=MemoryFrontier(capacity=1))
    drive(crawl, by_table(graph, dict.fromkeys(graph, "rock")))
    assert len(visited(crawl)) == 80
    assert len(spiders._agents) == 8


def test_a_redirect_that_takes_another_agent_s_url() -> None:
    spiders = InfoSpidersEnergy(ROCK)
    crawl = started(spiders, "a", "b")
    assert [agent.out.url for agent in spiders._agents.values() if agent.out] == [u("a"), u("b")]
    request = lease(crawl)
    crawl.commit(made_page(request, u("c"), u("d"), final=u("b"), hops=(u("a"),)), Millis(0))
    waited_for = [agent.out.url for agent in spiders._agents.values() if agent.out]
    assert sorted(waited_for) == [u("c"), u("d")]


def test_what_an_operator_asked_for_goes_to_the_agent_it_fits_best() -> None:
    spiders = InfoSpidersEnergy(ROCK)
    crawl = started(spiders, "a", "b")
    spiders._agents[2].topic = {"sand": 1}
    crawl.hear(Operated(commands=(Enqueue(url=u("x"), score=9.0),), by="somebody"), Millis(0))
    request = lease(crawl)
    assert request.url == u("x")
    crawl.commit(made_page(request, u("y"), text="sand"), Millis(0))
    assert [candidate.url for candidate in spiders._agents[2].links] == [u("y")]
    assert spiders._agents[2].energy == 1.0


def test_a_peer_s_link_goes_to_whoever_has_fewest() -> None:
    spiders = InfoSpidersEnergy(ROCK, init_pop=2)
    crawl = started(spiders, "a", "b", "c")
    crawl.hear(HandedOff(command=Enqueue(url=u("x"), score=0.5), peer="peer"), Millis(0))
    assert [candidate.url for candidate in spiders._agents[2].links] == [u("x")]


def test_an_agent_without_links_is_given_half_of_the_most() -> None:
    """Of its giver's keywords those that both know keep their inputs."""
    spiders = InfoSpidersEnergy(ROCK, theta=100)
    crawl = started(spiders, "a", "b")
    giver, taker = spiders._agents[1], spiders._agents[2]
    giver.topic, taker.topic = {"rock": 1, "wall": 1}, {"rock": 1, "rope": 1, "knot": 1}
    giver.net, taker.net = TanhNet(2), TanhNet(3)
    for i in range(10):
        giver.links.add(Candidate(u(f"n{i}"), None, 0.0, ((0, 0.5), (1, 1.0))))
    lease(crawl)
    crawl.commit(failed(lease(crawl), Reason.CONNECT), Millis(0))
    assert (len(giver.links), len(taker.links)) == (5, 4)
    assert taker.out is not None
    assert taker.out.inputs == ((0, 0.5),)


# -- 2009 ----------------------------------------------------------------------------------------------------


def test_one_agent_a_start_page_with_half_of_theta() -> None:
    spiders = InfoSpidersEnergy(ROCK, init_pop=2, theta=3)
    started(spiders, "a", "b", "c")
    assert [agent.energy for agent in spiders._agents.values()] == [1.5, 1.5]
    assert [len(agent.links) for agent in spiders._agents.values()] == [1, 0], "dealt out by turns"


def test_multiplication() -> None:
    """KAT §3.10: 2.2 ≥ 2 gives 1.1 and 1.1. Here 1 + 1.2 - 0."""
    spiders = InfoSpidersEnergy(ROCK, cost=0, cost_of_time=0)
    crawl = started(spiders, "s")
    spiders._agents[1].energy = 1.2
    crawl.commit(made_page(lease(crawl), u("a"), u("b"), u("c"), u("d"), text="rock"), Millis(0))
    parent, offspring = spiders._agents.values()
    assert (parent.energy, offspring.energy) == (pytest.approx(1.1), pytest.approx(1.1))
    assert len(parent.links) + len(offspring.links) == 2, "four links, two of them chosen"
    assert (offspring.parent, offspring.doc) == (1, u("s"))


def test_below_theta_nothing_is_born() -> None:
    spiders = InfoSpidersEnergy(ROCK, cost=0.001, cost_of_time=0)
    crawl = started(spiders, "s")
    crawl.commit(made_page(lease(crawl), text="rock"), Millis(0))
    assert len(spiders._agents) == 1


def test_death_and_extinction() -> None:
    """KAT §3.10: .03 - .05 is less than 0: dead; and as it was the last, the crawl ends."""
    spiders = InfoSpidersEnergy(ROCK)
    crawl = started(spiders, "s")
    spiders._agents[1].energy = 0.03
    crawl.commit(made_page(lease(crawl), u("a"), text="sand"), Millis(0))
    assert not spiders._agents
    assert spiders.facts()["population"] == "0 agents alive, 1 born, 1 dead"
    assert crawl.finished
    assert "all 1 agents have died" in str(crawl.ended)


@pytest.mark.parametrize(("elapsed", "cost"), [(0, 0.05), (5_000, 0.075), (10_000, 0.1), (99_000, 0.1)])
def test_time_costs(elapsed: int, cost: float) -> None:
    spiders = InfoSpidersEnergy(ROCK)
    crawl = started(spiders, "s")
    page = replace(made_page(lease(crawl), u("a"), text="rock sand"), elapsed=Millis(elapsed))
    crawl.commit(page, Millis(0))
    assert spiders._agents[1].energy == pytest.approx(1 + 1 / math.sqrt(2) - cost)


def test_a_failure_only_costs() -> None:
    spiders = InfoSpidersEnergy(ROCK)
    crawl = started(spiders, "s", "t")
    crawl.commit(failed(lease(crawl), Reason.STATUS, 404), Millis(0))
    assert [agent.energy for agent in spiders._agents.values()] == [pytest.approx(0.95), 1.0]


def test_q_learning_by_hand() -> None:
    """The agent followed a link with in = 1: λ = tanh(tanh 1). Where it came e = 1, and the best link there has in = 1
    too: δ = 1 + .5 λ - λ."""
    spiders = InfoSpidersEnergy(ROCK, eta=0.1, theta=100)
    crawl = started(spiders, "s")
    link = Link(source=u("s"), target=u("a"), anchor="rock")
    crawl.commit(replace(made_page(lease(crawl), text="sand"), links=(link,)), Millis(0))
    assert spiders._agents[1].net.bias == 0.0
    links = (
        Link(source=u("a"), target=u("a"), anchor="rock"),
        Link(source=u("a"), target=u("b"), anchor="b"),
    )
    crawl.commit(replace(made_page(lease(crawl), text="rock"), links=links), Millis(0))
    followed = math.tanh(math.tanh(1))
    delta = (1 + 0.5 * followed - followed) * (1 - followed**2)
    assert spiders._agents[1].net.bias == pytest.approx(0.1 * delta)


def test_without_a_frontier_known_pages_are_passed_at_a_price() -> None:
    """a links to s only, s to a and b: from a the agent goes back over s, and maybe to and fro, for .05 a move."""
    spiders = InfoSpidersEnergy(ROCK, keep_frontier=False, beta=1000, theta=100)
    crawl = started(spiders, "s")
    links = (
        Link(source=u("s"), target=u("a"), anchor="rock"),
        Link(source=u("s"), target=u("x")),
        Link(source=u("s"), target=u("y")),
        Link(source=u("s"), target=u("b"), anchor="b"),
    )
    crawl.commit(replace(made_page(lease(crawl), text="rock sand"), links=links), Millis(0))
    agent = spiders._agents[1]
    before = agent.energy
    assert agent.out is not None
    assert agent.out.url == u("a")
    crawl.commit(made_page(lease(crawl), u("s"), text="sand"), Millis(0))
    moves = (before - 0.05 - agent.energy) / 0.05
    assert moves == pytest.approx(205), "to and fro: 5 in its turn, and 200 before the crawl gives up"
    assert crawl.finished


def test_with_a_frontier_links_of_earlier_pages_remain() -> None:
    for keep, left in ((True, {u("a"), u("b")}), (False, {u("b")})):
        spiders = InfoSpidersEnergy(ROCK, keep_frontier=keep, theta=100)
        crawl = started(spiders, "s")
        crawl.commit(made_page(lease(crawl), u("a"), u("b"), u("c")), Millis(0))
        chosen = lease(crawl)
        crawl.commit(made_page(chosen, u("b"), u("d")), Millis(0))
        agent = spiders._agents[1]
        others = {candidate.url for candidate in agent.links} | {agent.out.url if agent.out else u("")}
        assert u("d") in others
        assert (others & {u("a"), u("c")} != set()) is keep, left


def test_pages_of_a_database_are_start_pages_too() -> None:
    known = [("b", True), ("a", True), ("no", False), ("c", True), ("b", True), ("d", True)]
    pages = tuple(
        KnownPage(url=u(name), score=1 - i / 10, label=label) for i, (name, label) in enumerate(known)
    )
    spiders = InfoSpidersEnergy(ROCK, PageDatabase(pages=pages), db_seeds=4)
    started(spiders, "a", "x")
    waited_for = [agent.out.url for agent in spiders._agents.values() if agent.out]
    assert waited_for == [u("a"), u("x"), u("b"), u("c")], "no label no, d is beyond four, a is given already"


def test_facts_and_state() -> None:
    graph = chain(20)
    spiders = InfoSpidersEnergy(ROCK, theta=1.5)
    crawl = started(spiders, "n0", budget=15)
    drive(crawl, by_table(graph, dict.fromkeys(graph, "rock")))
    facts = spiders.facts()
    assert len(facts["agents"]) == len(spiders._agents) > 1
    assert {each["parent"] for each in facts["agents"]} > {None}
    again = InfoSpidersEnergy(ROCK, theta=1.5)
    again.load(spiders.save())
    assert again.facts() == facts
    assert again.save() == spiders.save()
    request = Request(url=next(iter(spiders._waiting)), order=0, score=0.5)
    explained = spiders.explain(request, crawl.store.memory)
    assert explained["number of the agent that waits"] == spiders._waiting[request.url]
    assert crawl.frontier.state(request.url) is UrlState.PENDING
    assert all(len(entry.commands) <= 20 for entry in journal(crawl))


def test_who_looks_on_is_told_of_the_dead_too_and_what_each_found(tmp_path: Path) -> None:
    where = tmp_path / "spiders"
    energy = "infospiders-energy:theta=0.5,cost=0.007,cost_of_time=0"
    start = "http://schools.wiki.example/wp/Biosphere.html"
    with lycosa.crawl(
        "dinosaur fossil", [start], web=SAMPLE, strategy=energy, pages=250, out=where
    ) as folder:
        members = folder.population()
        alive = [member for member in members if member.died is None]
        dead = [member for member in members if member.died is not None]
        assert [*members] == [*alive, *dead]
        assert alive
        assert dead
        counted = folder.status().facts["population"]
        assert counted == f"{len(alive)} agents alive, {len(members)} born, {len(dead)} dead"
        by_number = {member.number: member for member in members}
        assert sorted(by_number) == [*range(1, len(members) + 1)]
        for member in members:
            parent = by_number.get(member.parent or 0)
            assert parent is None or parent.born < member.born <= (parent.died or member.born)
            assert (member.energy <= 0) == (member.died is not None)
        rows = {row.url: row for row in folder.rows(text=False)}
        assert sum(member.pages for member in members) == len(rows)
        for member in members:
            assert [find.relevance for find in member.found] == sorted(
                (rows[find.url].relevance for find in member.found), reverse=True
            )
            assert len(member.found) == min(5, member.pages)
            assert all(find.title == rows[find.url].title[:120] for find in member.found)

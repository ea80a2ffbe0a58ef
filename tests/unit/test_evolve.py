"""Evolution of ranking functions: the algorithm, its simulated crawls, and the command."""

from __future__ import annotations

import asyncio
import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from tests.worlds import html, made_page, make_crawl, response, u

from lycosa.archive.warc import WarcArchive
from lycosa.cli.evolve import command
from lycosa.crawl.inputs import Ranking
from lycosa.lab.evolution.chc import Chc, Individual, Population
from lycosa.lab.evolution.evolve import Rehearsal, Settings, advance, begin, fitness_of, generated_rehearsals
from lycosa.lab.kit import conformance
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Page, Request
from lycosa.model.url import Url
from lycosa.scoring.links.ranking import FEATURES, RankingFunction, best_first_ranking
from lycosa.scoring.topics.keywords import KeywordTopic
from lycosa.spec.registry import strategy
from lycosa.strategies.parts.in_links import InLinks
from lycosa.web.made.graph_web import GraphWeb, WebShape

# -- the algorithm -------------------------------------------------------------------------------------------


def ones(bits: int) -> float:
    return float(bits.bit_count())


def test_half_of_what_differs_is_exchanged_and_kin_do_not_mate() -> None:
    """Parents 0 and 2^16 - 1 differ in 16 bits: children have 8 ones each, and are each other's complement."""
    chc = Chc(bits=16, size=2)
    far = Population(
        individuals=(Individual(bits="ffff", fitness=16), Individual(bits="0", fitness=0)), threshold=7
    )
    one, other = chc._children(far, random.Random(1))
    assert one.bit_count() == other.bit_count() == 8
    assert one ^ other == 0xFFFF
    assert list(chc._children(msgspec.structs.replace(far, threshold=8.0), random.Random(1))) == []


def test_the_threshold_falls_where_nothing_is_new_and_a_restart_keeps_the_best() -> None:
    chc = Chc(bits=20, size=4)
    same = tuple(Individual(bits="fffff", fitness=20) for _ in range(4))
    once = chc.next(Population(individuals=same, threshold=1), ones)
    assert (once.threshold, once.restarts) == (0, 0)
    restarted = chc.next(chc.next(once, ones), ones)
    assert restarted.restarts == 1
    assert restarted.threshold <= 0.35 * 0.65 * 20
    assert restarted.best.fitness == 20
    first = chc.next(once, ones)
    assert sorted(individual.fitness for individual in first.individuals) == [
        13,
        13,
        13,
        20,
    ]  # 7 of 20 bits flipped


def test_it_finds_the_optimum_of_a_simple_problem() -> None:
    chc = Chc(bits=40, size=30, seed=1)
    population = chc.first(ones)
    for _ in range(120):
        population = chc.next(population, ones)
    assert population.best.fitness == 40


# -- simulated crawls ----------------------------------------------------------------------------------------


def test_a_simulated_crawl_is_that_of_the_strategy() -> None:
    """The same pages in the same order as a whole crawl by `evolved` on the same web."""
    web = GraphWeb(WebShape(pages=300, hosts=12, robots=0.0), seed=4)
    (rehearsal,) = _rehearsals(web)
    for seed in range(4):
        function = RankingFunction.of_bits(random.Random(seed).getrandbits(400))
        given = (*conformance.kit_inputs()[:1], Ranking(content=function.content()))
        trial = conformance.Trial(partial(strategy, "evolved", given), budget=120, web=web)
        crawl = make_crawl(trial.make(), topic=KeywordTopic(" ".join(web.topic_words)), budget=120)
        crawl.start(web.seeds(3), Millis(0))
        trial.run(crawl)
        brought = [e.event.url for e in crawl.store.entries() if isinstance(e.event, Page)]
        assert [web.url(number) for number in rehearsal.crawl(function, 120)] == brought


def _rehearsals(web: GraphWeb) -> list[Rehearsal]:
    from lycosa.lab.evolution.evolve import _visited

    urls = [web.url(number) for number in range(web.shape.pages)]
    pages = asyncio.run(_visited(web, urls))
    return [Rehearsal(pages, " ".join(web.topic_words), web.seeds(3), filter(web.truth, urls))]


def page(name: str, links: list[tuple[str, str]], text: str) -> Page:
    return made_page(Request(url=u(name), order=0), *((u(to), anchor) for to, anchor in links), text=text)


def anchors_tell(seed: int, size: int = 80) -> Rehearsal:
    """A made-up database in which nothing but anchors tells which pages are on the topic: texts are drawn at random."""
    rng = random.Random(seed)
    names = [f"p{i}/x" for i in range(size)]
    labelled = set(rng.sample(names[1:], size // 5))

    def links() -> list[tuple[str, str]]:
        return [(name, "apple" if name in labelled else "pear") for name in rng.sample(names, 8)]

    pages = {
        u(name): page(name, links(), rng.choice(["apple", "apple pear", "pear plum", "plum"]))
        for name in names
    }
    return Rehearsal(pages, "apple", [u(names[0])], [u(name) for name in labelled])


def test_where_only_anchors_tell_their_weight_dominates() -> None:
    """In what the evolved function gives to the links of a crawled web, anchors make the greatest difference."""
    training, testing = [anchors_tell(seed) for seed in (1, 2)], [anchors_tell(seed) for seed in (3, 4)]
    settings = Settings(web="made up", pages=16, population=24, seed=2)
    evolution = begin(settings, training)
    for _ in range(25):
        evolution = advance(evolution, training)
    function = RankingFunction.of_bits(evolution.population.best.number)
    spread = dict(zip(FEATURES, _parts(function, testing[0]).std(axis=0).tolist(), strict=True))
    assert max(spread, key=lambda name: spread[name]) == "anchor"
    assert function.terms[FEATURES.index("anchor")].weight > 0
    assert fitness_of(function, training, 16) > fitness_of(best_first_ranking(), training, 16)
    assert fitness_of(function, testing, 16) >= fitness_of(best_first_ranking(), testing, 16)
    assert list(evolution.history) == sorted(evolution.history)


def _parts(function: RankingFunction, rehearsal: Rehearsal) -> Any:
    """What each feature adds to each URL's score when a crawl has seen a quarter of the pages."""
    in_links = InLinks(function.community)
    for number in range(30):
        texts, targets = rehearsal.texts[number], rehearsal.targets[number]
        in_links.linked(number, rehearsal.relevance[number], number % 4, targets, texts)
        in_links.led(number, rehearsal.relevance[(number + 1) % 30])
    met = np.unique(np.concatenate(rehearsal.targets[:30]))
    return function.parts(in_links.features(met))


def test_fitness_by_hand() -> None:
    """s links to a, b, c, of which b is labelled; in link order it is found third: 0, 0 and 1 after 1, 2, 4 pages."""
    pages = {
        u(n): page(n, [(t, "") for t in to], "") for n, to in {"s": "abc", "a": "", "b": "", "c": ""}.items()
    }
    rehearsal = Rehearsal(pages, "apple", [u("s")], [u("b"), Url("http://not.recorded/")])
    assert rehearsal.fitness(best_first_ranking(), 4) == pytest.approx(1 / 3)


def test_generated_webs_differ_and_are_the_same_each_time() -> None:
    first, again = (asyncio.run(generated_rehearsals(2, pages=120)) for _ in range(2))
    assert first[0].labelled == again[0].labelled != first[1].labelled
    assert all(rehearsal.seeds for rehearsal in first)


# -- the command ---------------------------------------------------------------------------------------------


@pytest.fixture
def recorded(tmp_path: Path) -> list[str]:
    """A web of a few pages, and two topics on it."""
    archive = WarcArchive.open(tmp_path / "web")
    for name, links, text in (
        ("s", "ab", "apple"),
        ("a", "cd", "plum"),
        ("b", "e", "apple"),
        ("c", "", "apple"),
        ("d", "", "plum"),
        ("e", "", "apple"),
    ):
        archive.write(response(u(name), html(text, map(u, links))))
    archive.close()
    topic = {"keywords": ["apple"], "seeds": {"1": [u("s")]}, "targets": [u("e"), u("c")]}
    other = {"keywords": ["plum"], "seeds": [u("s")], "relevant": [u("d")]}
    (tmp_path / "topics.jsonl").write_text(f"{json.dumps(topic)}\n\n{json.dumps(other)}\n")
    return [
        str(tmp_path / "web"),
        "--topics",
        str(tmp_path / "topics.jsonl"),
        "--pages",
        "4",
        "--population",
        "4",
    ]


def evolve(*arguments: str) -> Any:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def test_stopped_and_resumed_it_ends_as_if_it_had_never_stopped(recorded: list[str], tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("whole.json", "parts.json")]
    assert evolve(*recorded, "--generations", "3", "-o", files[0]).return_value == 0
    for generations in ("1", "3"):
        done = evolve(*recorded, "--generations", generations, "-o", files[1])
        assert done.return_value == 0, done.exception
    whole, parts = (json.loads(Path(file).read_text()) for file in files)
    assert parts["features"] == whole["features"]
    assert parts["evolved"]["fitness"] == whole["evolved"]["fitness"]
    assert parts["evolved"]["generations"] == 3
    assert "generation 3: best" in done.output
    assert "generation 0" not in done.output
    assert RankingFunction.of_content(parts)


def test_other_settings_do_not_go_on_where_others_began(recorded: list[str], tmp_path: Path) -> None:
    file = str(tmp_path / "ranking.json")
    evolve(*recorded, "--generations", "0", "-o", file)
    done = evolve(*recorded, "--seed", "9", "-o", file)
    assert isinstance(done.exception, InputError)
    assert "other settings" in str(done.exception)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("{", "line 1"),
        ('{"keywords": ["a"], "seeds": [], "targets": ["http://a/"]}', "line 1: give `seeds`"),
        ('{"keywords": ["a"], "seeds": ["http://a/"], "targets": ["http://a/"]}', "1 topics"),
        ("", "0 topics"),
    ],
)
def test_a_bad_topics_file_is_told(recorded: list[str], tmp_path: Path, lines: str, said: str) -> None:
    Path(recorded[2]).write_text(lines)
    done = evolve(*recorded, "-o", str(tmp_path / "ranking.json"))
    assert isinstance(done.exception, InputError)
    assert said in str(done.exception)


def test_a_recorded_web_needs_topics_and_a_generated_one_has_them(tmp_path: Path) -> None:
    for arguments in (["web"], ["generated", "--topics", "x"]):
        assert isinstance(evolve(*arguments, "-o", str(tmp_path / "r.json")).exception, InputError)

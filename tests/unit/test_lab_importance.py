"""The measures of page importance: known answers, worked by hand."""

from __future__ import annotations

import sys
from math import log, sqrt

import numpy as np
import pytest
from msgspec.structs import replace
from tests.worlds import made_page, u

from lycosa.lab.measures.importance import MEASURES, Classifier, Reference, bm25, importance, joint, ranks
from lycosa.lab.measures.popularity import authorities, in_degrees, pagerank
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.model.url import Url
from lycosa.scoring.words.terms import counts


def pages(*texts: str) -> list[Page]:
    return [made_page(Request(url=u(f"p{n}"), order=n), text=text) for n, text in enumerate(texts)]


def scores(name: str, texts: list[str], **reference: object) -> list[float]:
    return importance(name, Reference(**reference)).score(pages(*texts)).tolist()  # type: ignore[arg-type]


def test_keywords_any_all_and_how_often() -> None:
    texts = ["wolf wolf spider", "wolf", "crab"]
    query = counts("wolf spiders")
    assert scores("keywords-any", texts, query=query) == [1, 1, 0]
    assert scores("keywords-all", texts, query=query) == [1, 0, 0]
    assert scores("keywords-frequency", texts, query=query) == [3, 1, 0]


def test_similarity_to_the_description_or_else_to_the_query() -> None:
    """q = rock climb, p = rock rock music: 2 / (√2 √5)."""
    texts = ["rock rock music", "climb rock climb gear"]
    assert scores("similarity", texts, query=counts("rock climb")) == pytest.approx(
        [0.632456, 0.866025], abs=1e-6
    )
    assert scores("similarity", texts, query=counts("x"), description=counts("music")) == pytest.approx(
        [1 / sqrt(5), 0]
    )


def test_similarity_to_the_start_pages_as_one_document() -> None:
    """wolf 2, spider 1 together; a page "wolf" has 2 / √5."""
    seeds = (counts("wolf"), counts("wolf spider"))
    assert joint(seeds) == {"wolf": 2, "spider": 1}
    assert scores("seed-similarity", ["wolf", "crab"], seeds=seeds) == pytest.approx([2 / sqrt(5), 0])


def test_bm25_by_hand() -> None:
    """Three texts of mean length 2; "wolf" in two of them: ln(1 + 1.5 / 2.5) = ln 1.6.

    First: f = 1, length 2: 1 · 2.2 / (1 + 1.2). Second: f = 2, length 3: 2 · 2.2 / (2 + 1.2 (.25 + .75 · 1.5)).
    """
    got = bm25({"wolf": 1}, [{"wolf": 1, "den": 1}, {"wolf": 2, "den": 1}, {"crab": 1}])
    assert got.tolist() == pytest.approx([log(1.6), log(1.6) * 4.4 / (2 + 1.2 * 1.375), 0])
    assert bm25({"wolf": 2}, [{"wolf": 1}]).tolist() == pytest.approx([2 * log(1 + 0.5 / 1.5)])
    assert bm25({"wolf": 1}, [{}]).tolist() == [0]


def test_ranks_of_distinct_pages() -> None:
    """Copies count once; equal scores share the best place; a page without any word has none."""
    assert ranks(np.array([3.0, 3.0, 2.0, 0.0]), ["a", "a", "b", "c"]).tolist() == [1, 1, 2, np.inf]
    assert ranks(np.array([2.0, 2.0, 1.0]), ["a", "b", "c"]).tolist() == [1, 1, 3]


def test_retrieval_rank_and_percentile() -> None:
    texts = ["wolf wolf", "wolf den", "crab", "wolf wolf"]
    made = pages(*texts)
    made = [replace(page, digest=text) for page, text in zip(made, texts, strict=True)]
    reference = Reference(query=counts("wolf"))
    assert importance("retrieval-rank", reference).score(made).tolist() == [1, 1 / 2, 0, 1]
    assert importance("retrieval-percentile", reference).score(made).tolist() == pytest.approx(
        [1, 2 / 3, 0, 1]
    )


def test_a_classifier_learns_from_examples_and_tells_how_well() -> None:
    wolf = tuple(
        counts(f"wolf spider web {word}") for word in ["north", "south", "east", "west", "up", "down"]
    )
    crab = tuple(
        counts(f"crab shell sea {word}") for word in ["north", "south", "east", "west", "up", "down"]
    )
    measure = importance("classifier", Reference(positives=wolf, negatives=crab))
    assert isinstance(measure, Classifier)
    assert measure.held_out == 1
    good, bad, unknown = measure.score(pages("a spider web", "shell of a crab", "north"))
    assert 0 <= bad < 0.2 < 0.8 < good <= 1
    assert bad < unknown < good
    assert importance("classifier", Reference(seeds=wolf[:1], negatives=crab)).held_out is None  # type: ignore[attr-defined]


def linked() -> list[Page]:
    """a and b link to c, c links to a; d is a copy of the way to c: it was redirected there."""

    def page(name: str, order: int, *targets: str, final: str = "") -> Page:
        request = Request(url=u(name), order=order)
        return made_page(request, *map(u, targets), final=u(final) if final else None)

    return [page("a", 0, "c", "out"), page("b", 1, "old", "b"), page("old", 2, "a", final="c")]


def test_popularity_counts_links_over_redirects_and_not_to_oneself() -> None:
    assert importance("in-degree", Reference()).score(linked()).tolist() == [1, 0, 2]
    again = [*linked(), linked()[0]]
    assert importance("in-degree", Reference()).score(again).tolist() == [1, 0, 2, 1]


def graph(*links: list[int]) -> LinkGraph:
    names = [Url(f"http://{n}.test/") for n in range(len(links))]
    return LinkGraph.of((names[n], [names[to] for to in targets]) for n, targets in enumerate(links))


def test_pagerank_of_a_chain() -> None:
    """0 -> 1, and 1 leads nowhere: with d = ½, x₀ = ¼ + ¼ x₁ and x₁ = ¼ + ½ x₀ + ¼ x₁, so x₀ = 2/5."""
    assert pagerank(graph([1], []), 0.5).tolist() == pytest.approx([0.4, 0.6])
    assert pagerank(graph([1], [2], [0])).tolist() == pytest.approx([1 / 3] * 3)


def test_authorities_of_two_hubs() -> None:
    """Hubs 0 and 1, pages 2 and 3: 0 links to both, 1 to 3 only. AᵀA = [[1, 1], [1, 2]]: the golden section."""
    a = authorities(graph([2, 3], [3], [], []))
    golden = (1 + sqrt(5)) / 2
    assert a.tolist() == pytest.approx([0, 0, 1 / sqrt(1 + golden**2), golden / sqrt(1 + golden**2)])
    assert authorities(graph([], [])).tolist() == [0, 0]
    assert in_degrees(graph([2, 3], [3], [], [])).tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("name", MEASURES)
def test_each_measure_says_what_it_lacks_and_takes_an_empty_pool(name: str) -> None:
    everything = Reference(
        query={"a": 1},
        description={"a": 1},
        seeds=({"a": 1},),
        positives=({"a": 1}, {"b": 1}),
        negatives=({"c": 1},),
    )
    measure = importance(name, everything)
    assert measure.name == name
    assert measure.score([]).tolist() == []
    assert measure.score(pages("", "word")).shape == (2,)
    if name not in ("in-degree", "pagerank", "authority"):
        with pytest.raises(InputError, match=f"'{name}' needs the topic's"):
            importance(name, Reference())


def test_an_unknown_measure_and_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="did you mean 'pagerank'"):
        importance("page-rank", Reference())
    for module in [name for name in sys.modules if name.startswith("sklearn")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(InputError, match=r"pip install 'lycosa\[learn\]'"):
        importance("classifier", Reference(seeds=({"a": 1},), negatives=({"b": 1},)))

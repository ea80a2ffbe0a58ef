"""The crawled graph, and the rhythm of what is computed on it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import made_page

from lycosa.model.records import Page, Request
from lycosa.model.url import Url
from lycosa.strategies.parts.crawled import CrawledGraph
from lycosa.strategies.parts.rhythm import Rhythm

NAMES = [Url(f"http://{name}.test/") for name in "abcdef"]
tellings = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=6)),
    max_size=8,
    unique_by=lambda told: told[0],
)


def page(asked: Url, final: Url, targets: list[Url]) -> Page:
    return made_page(Request(url=asked, order=1), *targets, final=final)


def test_links_are_numbered_as_they_are_met() -> None:
    a, b, c, *_ = NAMES
    graph = CrawledGraph()
    graph.add(page(a, a, [b, c, b, a]))
    graph.add(page(c, c, [a]))
    assert [*graph.urls] == [a, b, c]
    assert graph.targets(0) == [1, 2]
    assert graph.targets(1) == []
    assert graph.matrix().toarray().tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    assert list(graph.pages) == [0, 2]


def test_links_as_told_before_a_redirect_was_known_lead_to_where_it_ends() -> None:
    a, b, c, *_ = NAMES
    graph = CrawledGraph()
    graph.add(page(a, a, [b, c]))  # b will redirect to c
    graph.add(page(b, c, [a]))
    assert graph.number(b) == graph.number(c) == 2
    assert graph.targets(0) == [2]
    assert graph.matrix().toarray().tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]


@given(tellings)
def test_one_node_a_page(told: list[tuple[Url, Url, list[Url]]]) -> None:
    graph = CrawledGraph()
    for asked, final, targets in told:
        number = graph.add(page(asked, final, targets))
        assert graph.number(asked) == graph.number(final) == number
        assert graph.is_page(number)


@given(tellings)
def test_links_as_told(told: list[tuple[Url, Url, list[Url]]]) -> None:
    """By whatever names a page is told again, and whatever redirects are learned of later, but for its own."""
    moved = {asked for asked, final, _ in told if asked != final}
    graph, first = CrawledGraph(), dict[Url, list[Url]]()
    for asked, final, targets in told:
        if final not in moved:
            graph.add(page(asked, final, targets))
            first.setdefault(final, targets)
    for final, targets in first.items():
        node = graph.number(final)
        expected = dict.fromkeys(number for number in map(graph.number, targets) if number != node)
        assert node is not None
        assert graph.targets(node) == graph.linked(node).tolist() == list(expected)


@given(tellings)
def test_the_matrix_has_the_links_and_a_loaded_graph_has_the_same(
    told: list[tuple[Url, Url, list[Url]]],
) -> None:
    graph = CrawledGraph()
    for asked, final, targets in told:
        graph.add(page(asked, final, targets))
    matrix = graph.matrix().toarray()
    for number in range(len(graph)):
        assert [float(n in graph.targets(number)) for n in range(len(graph))] == matrix[number].tolist()
        assert graph.linked(number).tolist() == graph.targets(number)
    again = CrawledGraph()
    again.load(graph.save())
    assert ([*again.urls], again.pages) == ([*graph.urls], graph.pages)
    assert (again.matrix().toarray() == matrix).all()
    assert all(again.number(url) == graph.number(url) for url in NAMES)


@given(st.integers(1, 300), st.floats(1.05, 2.0), st.integers(1, 5000))
def test_linear_work(every: int, growth: float, n: int) -> None:
    rhythm = Rhythm(every, growth)
    sizes = [size for size in range(1, n + 1) if rhythm.due(size)]
    turning = every / (growth - 1)  # from this size on the factor rules
    assert sum(sizes) <= n * (1 + turning / every + growth / (growth - 1))


def test_a_loaded_rhythm_goes_on() -> None:
    rhythm = Rhythm(10)
    assert rhythm.due(10)
    again = Rhythm(10)
    again.load(rhythm.save())
    assert not again.due(19)
    assert again.due(20)

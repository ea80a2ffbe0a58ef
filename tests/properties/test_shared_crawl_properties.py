"""Whole crawls that several nodes share, by every partition, against the same crawl by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sharers import NamedClasses, nodes
from tests.trials import trials
from tests.unit.test_company import Nodes, url
from tests.worlds import made_page

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.partition import Partition
from lycosa.model.nodes import Members, Node
from lycosa.model.records import Failure, Page, Request
from lycosa.model.url import Url
from lycosa.sharing.by_topic import ByTopic
from lycosa.sharing.registry import BUILT_IN, needs_classes, partition

CLASSES = NamedClasses("sport", "biz", "arts", "kids")
VARIANTS = ("content:fetch=url", "topic:transfer=urls")
ALL = (*BUILT_IN, *VARIANTS)
WITH_OWNERS = tuple(name for name in ALL if not needs_classes(name))
PAGES = [f"h{host}/{page}" for host in range(4) for page in range(3)]
Web = Mapping[str, Sequence[str]]

webs = st.dictionaries(
    st.sampled_from(PAGES), st.lists(st.sampled_from(PAGES), max_size=4), min_size=1, max_size=len(PAGES)
)
said = st.lists(
    st.sampled_from(["sport", "biz", "arts", "kids sport", "menu", ""]),
    min_size=len(PAGES),
    max_size=len(PAGES),
)


class Sharing(Nodes):
    """Nodes on a web whose pages have texts, stepped and served in any order."""

    def __init__(
        self, web: Web, texts: Sequence[str], members: Members, shared: Partition, seed: int
    ) -> None:
        self.texts = {url(name): text for name, text in zip(PAGES, texts, strict=True)}
        self.chance = Random(seed)
        super().__init__(web, members.names, shared)

    def visit(self, crawl: Crawl, request: Request) -> Page | Failure:
        found = super().visit(crawl, request)
        if isinstance(found, Failure):
            return found
        return made_page(request, *self.web[request.url], text=self.texts[request.url])

    def begin(self, seeds: Sequence[str]) -> None:
        """Start pages go to all if they have owners, else to the first."""
        for number, crawl in enumerate(self.crawls.values()):
            given = seeds if self.partition.routes or not number else ()
            crawl.start(list(map(url, given)), self.now)

    def restless(self, turns: int) -> None:
        """Some visits and deliveries, in any order, some parcels twice."""
        names = list(self.crawls)
        for _ in range(turns):
            one, other = self.chance.choice(names), self.chance.choice(names)
            if self.chance.random() < 0.5:
                self.step(one)
            elif one != other:
                self.deliver(one, other, twice=self.chance.random() < 0.3)

    def joined_by(self, name: Node) -> None:
        self.members = Members(epoch=self.members.epoch + 1, names=(*self.members.names, name))
        self.crawls[name] = self.made(name)
        self.crawls[name].start([], self.now)
        for crawl in list(self.crawls.values())[:-1]:
            crawl.join(self.members, (), (), self.now)
        self.delivered()

    def left_by(self, name: Node) -> None:
        """It hands over all that it has, and is gone."""
        self.members = Members(
            epoch=self.members.epoch + 1, names=tuple(each for each in self.members.names if each != name)
        )
        for crawl in self.crawls.values():
            crawl.join(self.members, (), (), self.now)
        self.delivered()
        del self.crawls[name]

    def delivered(self) -> None:
        """Everybody is told all that waits, before anything more is fetched."""
        names = list(self.crawls)
        while sum(self.deliver(one, other) for one in names for other in names if one != other):
            pass

    def pages(self, name: Node) -> list[Page]:
        """Those that a node owns, each time that it came by one."""
        entries = self.crawls[name].store.entries()
        return [entry.event for entry in entries if isinstance(entry.event, Page) and not entry.event.owner]


def shared(name: str, count: int) -> Partition:
    return partition(name, nodes(count), CLASSES if needs_classes(name) else None)


def run(name: str, count: int, web: Web, texts: Sequence[str], seed: int, *, twice: bool = False) -> Sharing:
    crawl = Sharing(web, texts, nodes(count), shared(name, count), seed)
    crawl.begin(sorted(web)[:2])
    crawl.restless(20)
    crawl.run(twice=twice)
    return crawl


def alone(web: Web, texts: Sequence[str]) -> Sharing:
    crawl = Sharing(web, texts, nodes(1), shared("host", 1), 0)
    crawl.begin(sorted(web)[:2])
    crawl.run()
    return crawl


@pytest.mark.parametrize("name", WITH_OWNERS)
@settings(max_examples=trials(25), deadline=None)
@given(web=webs, texts=said, count=st.integers(2, 4), seed=st.integers(0, 999), twice=st.booleans())
def test_each_url_is_fetched_by_one_node(
    name: str, web: Web, texts: list[str], count: int, seed: int, twice: bool
) -> None:
    crawl = run(name, count, web, texts, seed, twice=twice)
    fetched = Counter(at for _, at in crawl.fetched)
    assert set(fetched) == {at for _, at in alone(web, texts).fetched}
    assert set(fetched.values()) <= {1}


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=trials(25), deadline=None)
@given(web=webs, texts=said, count=st.integers(2, 4), seed=st.integers(0, 999), twice=st.booleans())
def test_the_union_is_what_one_crawl_brings(
    name: str, web: Web, texts: list[str], count: int, seed: int, twice: bool
) -> None:
    one, crawl = alone(web, texts), run(name, count, web, texts, seed, twice=twice)
    assert {at for _, at in crawl.fetched} == {at for _, at in one.fetched}
    wanted = {page.text for page in one.pages(Node("n0"))}
    kept = {node: crawl.pages(node) for node in crawl.crawls}
    assert {page.text for own in kept.values() for page in own} == wanted
    for node, own in kept.items():
        at = Counter(page.url for page in own)
        assert set(at.values()) <= {1}, f"{node} took in a page twice"


@pytest.mark.parametrize("name", ["content", "content:fetch=url"])
@settings(max_examples=trials(25), deadline=None)
@given(web=webs, texts=said, count=st.integers(2, 4), seed=st.integers(0, 999))
def test_each_content_is_owned_by_one_node(
    name: str, web: Web, texts: list[str], count: int, seed: int
) -> None:
    crawl = run(name, count, web, texts, seed)
    owners: dict[str, set[Node]] = {}
    for node in crawl.crawls:
        for page in crawl.pages(node):
            assert crawl.partition.of_page(page, node) == node
            owners.setdefault(page.text, set()).add(node)
    assert all(len(at) == 1 for at in owners.values())


@settings(max_examples=trials(25), deadline=None)
@given(web=webs, texts=said, count=st.integers(2, 4), seed=st.integers(0, 999))
def test_each_page_ends_at_the_node_of_its_class(web: Web, texts: list[str], count: int, seed: int) -> None:
    crawl = run("topic", count, web, texts, seed)
    topic = shared("topic", count)
    assert isinstance(topic, ByTopic)
    for node in crawl.crawls:
        for page in crawl.pages(node):
            of = CLASSES.of(page)
            assert of is None or topic.owners[of] == node


@pytest.mark.parametrize("name", WITH_OWNERS)
@settings(max_examples=trials(25), deadline=None)
@given(web=webs, texts=said, count=st.integers(1, 3), seed=st.integers(0, 999))
def test_who_joins_is_handed_its_part_and_nothing_is_fetched_again(
    name: str, web: Web, texts: list[str], count: int, seed: int
) -> None:
    crawl = Sharing(web, texts, nodes(count), shared(name, count), seed)
    crawl.begin(sorted(web)[:2])
    crawl.restless(12)
    crawl.joined_by(Node("late"))
    crawl.restless(12)
    crawl.run()
    fetched = Counter(at for _, at in crawl.fetched)
    assert set(fetched) == {at for _, at in alone(web, texts).fetched}
    assert set(fetched.values()) <= {1}


@pytest.mark.parametrize("name", WITH_OWNERS)
@settings(max_examples=trials(25), deadline=None)
@given(web=webs, texts=said, count=st.integers(2, 4), seed=st.integers(0, 999), leaves=st.integers(0, 3))
def test_who_leaves_hands_over_what_it_has_and_nothing_is_fetched_again(
    name: str, web: Web, texts: list[str], count: int, seed: int, leaves: int
) -> None:
    crawl = Sharing(web, texts, nodes(count), shared(name, count), seed)
    crawl.begin(sorted(web)[:2])
    crawl.restless(12)
    crawl.left_by(Node(f"n{leaves % count}"))
    crawl.restless(12)
    crawl.run()
    fetched = Counter(at for _, at in crawl.fetched)
    assert set(fetched) == {at for _, at in alone(web, texts).fetched}
    assert set(fetched.values()) <= {1}


def test_a_web_is_closed_and_reached() -> None:
    """The properties above are not about nothing."""
    web = {
        name: [PAGES[(place * 5 + step) % len(PAGES)] for step in (1, 2)] for place, name in enumerate(PAGES)
    }
    crawl = run("host", 4, web, ["sport"] * len(PAGES), 3)
    assert {at for _, at in crawl.fetched} == {Url(url(name)) for name in PAGES}
    assert len({node for node, _ in crawl.fetched}) > 1

"""Several crawls that share one web: what they send one another, and that nothing is lost or taken in twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from lycosa.crawl.company import Company
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.housing import Housing, Neighbourhood
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.telling import Telling
from lycosa.crawl.traps import Traps
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.endings import Ending, EndKind
from lycosa.model.events import Blocked, Parcel, Received
from lycosa.model.nodes import Handling, Members, Node, Origin
from lycosa.model.records import Failure, Link, Millis, Page, Reason, Request, UrlState
from lycosa.model.url import Host, Url, host_of
from lycosa.sharing.back_links import BackLinkExchange
from lycosa.strategies.order import BreadthFirst


class Everything:
    """A topic to which all pages belong."""

    def relevance(self, page: Page) -> float:
        return 1.0


class ByRule:
    """A partition as two functions say."""

    name, digest = "rule", ""

    def __init__(
        self,
        url: Callable[[str], str] | None = None,
        page: Callable[[str], str] | None = None,
        handling: Handling = Handling.WHOLE,
        housing: Callable[[], Housing] | None = None,
    ) -> None:
        self._housing = housing
        self._url, self._page, self.handling = url, page, handling
        self.routes = url is not None

    def of_url(self, url: Url) -> Node:
        return Node(self._url(url)) if self._url else Node("a")

    def of_page(self, page: Page, here: Node) -> Node:
        return Node(self._page(page.url)) if self._page else here

    def territory(self, url: Url) -> str:
        return host_of(url)

    def housing(self) -> Housing | None:
        return self._housing() if self._housing else None

    def among(self, members: Members) -> ByRule:
        return self


WEB: Mapping[str, Sequence[str]] = {}


class Nodes:
    """A few crawls on one web of `page: links`, stepped in turn; parcels are delivered when asked."""

    def __init__(self, web: Mapping[str, Sequence[str]], names: str, partition: ByRule) -> None:
        self.web = {url(name): [url(link) for link in links] for name, links in web.items()}
        self.members = Members(epoch=1, names=tuple(map(Node, names)))
        self.partition = partition
        self.fetched: list[tuple[str, Url]] = []
        self.now = Millis(0)
        self.crawls = {name: self.made(name) for name in self.members.names}

    def made(self, name: Node, life: str = "1", store: MemoryStore | None = None) -> Crawl:
        return Crawl(
            BreadthFirst(),
            MemoryFrontier(),
            Everything(),
            store or MemoryStore(),
            gate=Gate(Scope(), Traps()),
            pace=Pace(PaceRules(delay=Millis(0), slowness=0.0)),
            budget=100,
            company=Company(name, self.members, self.partition, life=life, tellings=self.tellings()),
        )

    def tellings(self) -> Mapping[str, Telling]:
        return {}

    def start(self, *seeds: str) -> None:
        for crawl in self.crawls.values():
            crawl.start([url(seed) for seed in seeds], self.now)

    def step(self, name: str) -> bool:
        crawl = self.crawls[Node(name)]
        self.now = Millis(self.now + 1)
        request = crawl.lease(self.now)
        if request is None:
            return False
        self.fetched.append((name, request.url))
        crawl.commit(self.visit(crawl, request), self.now)
        return True

    def visit(self, crawl: Crawl, request: Request) -> Page | Failure:
        if request.url not in self.web:
            return Failure(request=request, reason=Reason.STATUS, status=404)
        return page_at(request, self.web[request.url])

    def deliver(self, name: str, to: str, *, twice: bool = False) -> int:
        """Hand over all that waits, and tell the sender."""
        sender, receiver = self.crawls[Node(name)].company, self.crawls[Node(to)]
        assert sender is not None
        assert receiver.company is not None
        parcels = sender.outbox.waiting(Node(to), durable=10**9, most=10**9)
        for parcel in [*parcels, *parcels] if twice else parcels:
            origin = Origin(node=sender.here, life=sender.life, number=parcel.number)
            receiver.receive(parcel, origin, self.now)
        sender.outbox.taken(Node(to), receiver.company.taken(sender.here, sender.life))
        return len(parcels)

    def run(self, *, twice: bool = False) -> None:
        """Until all are quiet and everything is taken in."""
        moving = True
        while moving:
            moving = sum(self.step(name) for name in self.crawls) > 0
            for name in self.crawls:
                for to in self.crawls:
                    moving = bool(name != to and self.deliver(name, to, twice=twice)) or moving
        assert all(crawl.quiet and not crawl.finished for crawl in self.crawls.values())

    def kept(self, name: str) -> set[Url]:
        """The pages that a node owns."""
        entries = self.crawls[Node(name)].store.entries()
        return {e.event.url for e in entries if isinstance(e.event, Page) and not e.event.owner}


def url(name: str) -> Url:
    return Url(f"http://{name}" if "/" in name else f"http://{name}/")


def page_at(request: Request, targets: Sequence[Url]) -> Page:
    links = tuple(Link(source=request.url, target=target) for target in targets)
    return Page(
        request=request,
        final_url=request.url,
        status=200,
        fetched_at=Millis(0),
        media_type="text/html",
        digest=f"sha1:{request.url}",
        title="",
        text="",
        links=links,
    )


FIRST_LETTER = ByRule(url=lambda url: url[7])
BY_TOPIC = ByRule(page=lambda url: "a" if url[7] == "s" else "b")
CROSSED = {"a1": ["b1", "a2"], "b1": ["a2", "a3", "b2"], "a2": ["b2"], "a3": [], "b2": ["a1"]}


class TestLinksThatBelongToOthers:
    def test_each_link_has_one_owner_and_is_fetched_there_alone(self) -> None:
        nodes = Nodes(CROSSED, "ab", FIRST_LETTER)
        nodes.start("a1")
        nodes.run()
        assert sorted(nodes.fetched) == [(name[0], url(name)) for name in sorted(CROSSED)]

    def test_are_elsewhere_from_then_on_and_sent_once(self) -> None:
        nodes = Nodes({"a1": ["b1"], "a2": ["b1"]}, "ab", FIRST_LETTER)
        nodes.start("a1", "a2")
        assert nodes.step("a")
        assert nodes.crawls[Node("a")].frontier.state(url("b1")) is UrlState.ELSEWHERE
        assert nodes.step("a")
        assert nodes.deliver("a", "b") == 1

    def test_keep_their_depth(self) -> None:
        nodes = Nodes(CROSSED, "ab", FIRST_LETTER)
        nodes.start("a1")
        nodes.run()
        assert nodes.crawls[Node("b")].frontier.depth(url("b1")) == 1
        assert nodes.crawls[Node("a")].frontier.depth(url("a3")) == 2


class TestTopics:
    def test_the_known_answer_of_two_nodes(self) -> None:
        """[S3 §4] S1 links to B1, B1 and S1 link to S2: 4 downloads for 3 pages."""
        nodes = Nodes({"s1": ["b1", "s2"], "b1": ["s2"], "s2": []}, "ab", BY_TOPIC)
        nodes.crawls[Node("a")].start([url("s1")], nodes.now)
        nodes.crawls[Node("b")].start([], nodes.now)
        nodes.run()
        assert sorted(nodes.fetched) == [
            ("a", url("b1")),
            ("a", url("s1")),
            ("a", url("s2")),
            ("b", url("s2")),
        ]
        assert nodes.kept("a") == {url("s1"), url("s2")}
        assert nodes.kept("b") == {url("b1")}
        sport = nodes.crawls[Node("a")].company
        assert sport is not None
        assert (sport.exported, sport.imported, sport.copies) == (1, 0, 1)

    def test_without_transfer_a_page_stays_and_its_links_go(self) -> None:
        rule = ByRule(page=lambda url: "a" if url[7] == "s" else "b", handling=Handling.LINKS)
        nodes = Nodes({"s1": ["b1"], "b1": ["b2"], "b2": []}, "ab", rule)
        nodes.crawls[Node("a")].start([url("s1")], nodes.now)
        nodes.crawls[Node("b")].start([], nodes.now)
        nodes.run()
        assert sorted(nodes.fetched) == [("a", url("b1")), ("a", url("s1")), ("b", url("b2"))]
        assert nodes.kept("a") == {url("s1"), url("b1")}


class TestParcels:
    def test_taken_in_once(self) -> None:
        nodes = Nodes(CROSSED, "ab", FIRST_LETTER)
        nodes.start("a1")
        nodes.run(twice=True)
        assert len(nodes.fetched) == len(CROSSED)

    def test_no_gaps(self) -> None:
        nodes = Nodes(CROSSED, "ab", FIRST_LETTER)
        nodes.start("a1")
        ahead = Parcel(to=Node("b"), number=2)
        origin = Origin(node=Node("a"), life="1", number=2)
        assert not nodes.crawls[Node("b")].receive(ahead, origin, nodes.now)

    def test_a_replay_takes_in_and_sends_the_same(self) -> None:
        nodes = Nodes(CROSSED, "ab", FIRST_LETTER)
        nodes.start("a1")
        nodes.run()
        for name in nodes.members.names:
            done = nodes.crawls[name]
            again = nodes.made(name)
            again.replay(done.store.entries())
            assert again.snapshot() == done.snapshot()


class TestRedirects:
    def test_to_what_another_sees_to_go_to_that_one(self) -> None:
        nodes = Nodes({"a1": []}, "ab", FIRST_LETTER)
        nodes.start("a1")
        crawl = nodes.crawls[Node("a")]
        request = crawl.lease(nodes.now)
        assert request is not None
        assert crawl.refuses_redirect(request, url("b1")) is Reason.ELSEWHERE
        crawl.commit(
            Failure(request=request, reason=Reason.ELSEWHERE, final_url=url("b1"), hops=(url("a1"),)),
            nodes.now,
        )
        assert crawl.frontier.state(url("b1")) is UrlState.ELSEWHERE
        assert nodes.deliver("a", "b") == 1
        assert nodes.crawls[Node("b")].frontier.state(url("b1")) is UrlState.PENDING


class TestMembers:
    def test_who_joins_gets_what_waits_and_what_is_known(self) -> None:
        web = {"b1/": ["b1/x", "b1/y"], "b1/x": ["b1/y"], "b1/y": []}
        nodes = Nodes(web, "a", ByRule(url=lambda url: "a"))
        nodes.start("b1/")
        assert nodes.step("a")
        nodes.partition = FIRST_LETTER
        nodes.members = Members(epoch=2, names=(Node("a"), Node("b")))
        nodes.crawls[Node("b")] = nodes.made(Node("b"))
        nodes.crawls[Node("b")].start([], nodes.now)
        first = nodes.crawls[Node("a")]
        assert first.company is not None
        first.company.partition = FIRST_LETTER
        first.join(nodes.members, (), (), nodes.now)
        nodes.run()
        assert sorted(nodes.fetched) == [("a", url("b1/")), ("b", url("b1/x")), ("b", url("b1/y"))]

    def test_what_was_sent_to_who_is_lost_is_sent_again(self) -> None:
        nodes = Nodes(CROSSED, "ab", FIRST_LETTER)
        nodes.start("a1")
        assert nodes.step("a")
        first = nodes.crawls[Node("a")]
        assert first.company is not None
        links = [
            link for parcel in first.company.outbox.waiting(Node("b"), 10**9, 10**9) for link in parcel.links
        ]
        del nodes.crawls[Node("b")]
        first.company.partition = ByRule(url=lambda url: "a")
        alone = Members(epoch=2, names=(Node("a"),))
        first.join(alone, (Node("b"),), [replace(link, depth=1) for link in links], nodes.now)
        nodes.run()
        assert {fetched for _, fetched in nodes.fetched} == set(map(url, CROSSED))

    def test_a_page_that_was_sent_to_who_is_lost_comes_back_and_its_links_are_followed(self) -> None:
        nodes = Nodes({"b1": ["b2"], "b2": []}, "ab", BY_TOPIC)
        first, names = nodes.crawls[Node("a")], ("b1", "b2")
        first.start([url("b1")], nodes.now)
        assert nodes.step("a")
        assert (nodes.kept("a"), len(first.frontier)) == (set(), 0)
        for number, name in enumerate(names, start=1):
            page = first.store.memory.page(url(name))
            assert page is not None
            origin = Origin(node=Node("a"), life="1", number=number)
            for _ in range(2):  # once
                first.receive(Parcel(to=Node("a"), number=number, page=page), origin, nodes.now)
            nodes.step("a")
        assert nodes.kept("a") == {*map(url, names)}
        assert nodes.fetched == [("a", url(name)) for name in names]
        assert first.company is not None
        assert (first.pages, first.company.imported) == (2, 0)
        again = nodes.made(Node("a"))
        again.replay(first.store.entries())
        assert again.snapshot() == first.snapshot()


class TestBlockedHosts:
    def hear(self, nodes: Nodes, host: str, *, off: bool = False) -> None:
        for crawl in nodes.crawls.values():
            crawl.hear(Blocked(hosts=(Host(host),), off=off), nodes.now)

    def test_links_to_one_wait_at_its_owner(self) -> None:
        nodes = Nodes(CROSSED, "ab", FIRST_LETTER)
        nodes.start("a1")
        self.hear(nodes, "b1")
        nodes.run()
        assert {fetched for _, fetched in nodes.fetched} == {url("a1"), url("a2"), url("b2")}
        aside = [crawl.gate.blockade.aside(Host("b1")) for crawl in nodes.crawls.values()]
        assert aside == [0, 1]
        self.hear(nodes, "b1", off=True)
        nodes.run()
        assert sorted(nodes.fetched) == [(name[0], url(name)) for name in sorted(CROSSED)]
        for name in nodes.members.names:
            again = nodes.made(name)
            again.replay(nodes.crawls[name].store.entries())
            assert again.snapshot() == nodes.crawls[name].snapshot()

    def test_what_is_set_aside_goes_to_who_joins_and_sees_to_it(self) -> None:
        web = {"b1/": ["b2/x", "b2/y"], "b2/x": [], "b2/y": []}
        nodes = Nodes(web, "a", ByRule(url=lambda url: "a"))
        nodes.start("b1/")
        self.hear(nodes, "b2")
        nodes.run()
        first = nodes.crawls[Node("a")]
        assert first.gate.blockade.aside(Host("b2")) == 2
        nodes.partition = FIRST_LETTER
        nodes.members = Members(epoch=2, names=(Node("a"), Node("b")))
        second = nodes.crawls[Node("b")] = nodes.made(Node("b"))
        second.start([], nodes.now)
        second.hear(Blocked(hosts=(Host("b2"),)), nodes.now)
        assert first.company is not None
        first.company.partition = FIRST_LETTER
        first.join(nodes.members, (), (), nodes.now)
        nodes.run()
        assert (first.gate.blockade.aside(Host("b2")), second.gate.blockade.aside(Host("b2"))) == (0, 2)
        assert second.gate.blockade.waiting(url("b2/x")) is not None
        self.hear(nodes, "b2", off=True)
        nodes.run()
        assert sorted(nodes.fetched) == [("a", url("b1/")), ("b", url("b2/x")), ("b", url("b2/y"))]


class OneMoves:
    """The host b1 belongs to node a, and says so to all."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def belongs(self, territory: str, page: Page, around: Neighbourhood) -> Node:
        return Node("a") if territory == "b1" else around.here

    def seen(
        self, territory: str, page: Page, node: Node, around: Neighbourhood
    ) -> Mapping[Node, Mapping[str, Any]]:
        told = {"moves": territory}
        return (
            {}
            if node == around.here
            else {name: told for name in around.members.names if name != around.here}
        )

    def heard(self, peer: Node, told: Mapping[str, Any]) -> None:
        self.told.append(f"{peer}: {told['moves']}")

    def save(self) -> Mapping[str, Any]:
        return {"told": list(self.told)}

    def load(self, saved: Mapping[str, Any]) -> None:
        self.told = list(saved["told"])


class TestTerritories:
    WEB: ClassVar[Mapping[str, Sequence[str]]] = {
        "a1/": ["b1/x", "b2/"],
        "b1/x": ["b1/y", "b2/"],
        "b1/y": ["a1/", "b1/x"],
        "b2/": ["b1/y", "c1/"],
        "c1/": ["b1/y", "b1/z"],
        "b1/z": [],
    }

    def moved(self) -> Nodes:
        rule = ByRule(url=lambda url: url[7], housing=OneMoves)
        nodes = Nodes(self.WEB, "abc", rule)
        nodes.start("a1/")
        nodes.run()
        return nodes

    def company(self, name: str) -> Company:
        company = self.moved().crawls[Node(name)].company
        assert company is not None
        return company

    def test_move_to_where_they_belong_and_nothing_is_fetched_twice(self) -> None:
        nodes = self.moved()
        assert sorted(fetched for _, fetched in nodes.fetched) == sorted(map(url, self.WEB))
        assert [name for name, fetched in nodes.fetched if host_of(fetched) == "b1"] == ["b", "a", "a"]

    def test_the_page_that_decided_goes_along(self) -> None:
        nodes = self.moved()
        first, second = (nodes.crawls[Node(name)] for name in "ab")
        page = first.store.memory.page(url("b1/x"))
        assert page is not None
        assert page.origin == Origin(
            node=Node("b"), life="1", number=page.origin.number if page.origin else 0
        )
        left = second.store.memory.page(url("b1/x"))
        assert left is not None
        assert left.owner == "a"

    def test_its_links_are_as_deep_as_where_it_was_fetched(self) -> None:
        leased = [
            entry.event.request
            for entry in self.moved().crawls[Node("a")].store.entries()
            if isinstance(entry.event, Page) and entry.event.url == url("b1/y")
        ]
        assert [request.depth for request in leased] == [2]

    def test_who_finds_more_of_one_that_moved_is_told_where_it_lives(self) -> None:
        assert self.company("c").lives("b1") == "a"

    def test_what_a_rule_tells_is_heard_by_all_others(self) -> None:
        for name in "ac":
            rule = self.company(name).housing
            assert isinstance(rule, OneMoves)
            assert rule.told == ["b: b1"]

    def test_a_replay_moves_the_same(self) -> None:
        nodes = self.moved()
        for name in nodes.members.names:
            again = nodes.made(name)
            again.replay(nodes.crawls[name].store.entries())
            assert again.snapshot() == nodes.crawls[name].snapshot()


class TellingNodes(Nodes):
    """Nodes that tell one another of back-links after each page."""

    def tellings(self) -> Mapping[str, Telling]:
        return {BackLinkExchange.NAME: BackLinkExchange(1)}


class TestBackLinks:
    def test_are_told_to_the_owner(self) -> None:
        nodes = TellingNodes({"a1": ["b1"], "a2": ["b1", "a1"], "b1": []}, "ab", FIRST_LETTER)
        nodes.start("a1", "a2")
        nodes.run()
        owner = nodes.crawls[Node("b")].company
        assert owner is not None
        exchange = owner.tellings[BackLinkExchange.NAME]
        assert isinstance(exchange, BackLinkExchange)
        assert exchange.inward.of(url("b1")) == (2, 1.5)


class TestTheEnd:
    def test_comes_by_being_dismissed(self) -> None:
        nodes = Nodes(CROSSED, "ab", FIRST_LETTER)
        nodes.start("a1")
        nodes.run()
        ending = Ending(EndKind.EXHAUSTED)
        for crawl in nodes.crawls.values():
            crawl.dismiss(ending, nodes.now)
            assert crawl.finished
            assert crawl.ended == ending

    def test_a_parcel_wakes_a_quiet_node(self) -> None:
        nodes = Nodes(CROSSED, "ab", FIRST_LETTER)
        nodes.start("a1")
        assert nodes.crawls[Node("b")].quiet
        assert nodes.step("a")
        nodes.deliver("a", "b")
        assert not nodes.crawls[Node("b")].quiet
        assert any(isinstance(e.event, Received) for e in nodes.crawls[Node("b")].store.entries())

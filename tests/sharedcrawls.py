"""Crawls that several nodes share, each with a folder of its own: a recorded web, in virtual time, in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from lycosa import __version__
from lycosa.compose import parts
from lycosa.compose.outside import Outside
from lycosa.compose.topic import TopicSource, save_topic, topic_source
from lycosa.crawl.company import Company
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.partition import Partition
from lycosa.crawl.requests import Requests
from lycosa.crawls.keeper import Keeper
from lycosa.crawls.mail import Mail
from lycosa.crawls.opened import Opened
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import Simulation
from lycosa.drive.visit import Visitor
from lycosa.model.endings import Ending, EndKind
from lycosa.model.nodes import Members, Node, Share
from lycosa.model.records import Page
from lycosa.sharing.by_topic import ByTopic
from lycosa.sources.reading import Reading
from lycosa.spec import derived
from lycosa.spec.files import save
from lycosa.spec.registry import inputs_asked, strategy
from lycosa.spec.tree import CrawlSpec, TopicSpec
from lycosa.store.paths import SharedPaths
from lycosa.web.http.dns_file import DnsFile

MOST = 1_000
"""Links in a batch."""
START = "http://schools.wiki.example/wp/Biosphere.html"
SAMPLE = Path(__file__).parents[1] / "examples" / "sample-web"


def sample() -> CrawlSpec:
    """A crawl of the bundled web."""
    return CrawlSpec(topic=TopicSpec(keywords=("dinosaur fossil",)), seeds=(START,), web=f"recorded:{SAMPLE}")


class ByTitle:
    """Three classes of pages, told apart by the lengths of their titles."""

    names = ("a", "b", "c")
    digest = "by title"

    def of_title(self, title: str) -> int:
        return len(title) % 3

    def of(self, page: Page) -> int:
        return self.of_title(page.title)

    def posterior(self, page: Page) -> Sequence[float]:
        return [float(place == self.of(page)) for place in range(3)]


class ByClass(ByTopic):
    """The first class to the first node, and so on."""

    @property
    def owners(self) -> tuple[Node, ...]:  # type: ignore[override]
        return self.members.names


def by_title(transfer: Literal["pages", "urls"]) -> Callable[[Members], Partition]:
    return lambda members: ByClass(members, ByTitle(), transfer=transfer)


class SharingNode:
    """One node of a shared crawl, whose folder it writes."""

    def __init__(
        self,
        name: Node,
        spec: CrawlSpec,
        paths: SharedPaths,
        source: TopicSource,
        partition: Partition,
        members: Members,
    ) -> None:
        place = paths.node(name)
        place.folder.mkdir(parents=True)
        save_topic(source, place)
        save(spec, place.specification)
        self.name, self.dns = name, DnsFile.open(place.dns)
        self.outside = Outside(spec, self.dns.history)
        self.opened = Opened.open(spec, place.folder, self.dns)
        self.opened.journal.note("life", f"life-of-{name}")
        self.opened.journal.note("share", msgspec.json.encode(Share(node=name, members=members)).decode())
        self.crawl = Crawl(
            strategy(spec.strategy, source.inputs()),
            self.opened.frontier,
            source.model(),
            self.opened.store,
            gate=parts.gate_of(spec),
            pace=parts.pace_of(spec),
            order=parts.order_of(spec),
            seed=spec.seed,
            budget=parts.budget_of(spec),
            requests=Requests(spec.requests),
            stopping=parts.stopping_of(spec, source.held_out),
            company=Company(name, members, partition, life=f"life-of-{name}"),
        )
        self.keeper = Keeper(self.crawl, self.opened, self.dns)
        self.keeper.begin()
        visitor = Visitor(
            self.outside.web,
            self.outside.robots(self.opened.archive),
            self.opened.archive,
            self.crawl.refuses_redirect,
            self.outside.clock,
            self.outside.reader,
        )
        clock, web = self.outside.clock, self.outside.web
        assert isinstance(clock, VirtualClock)
        self.simulation = Simulation(
            self.crawl,
            visitor,
            web.latency,
            clock,
            watch=lambda visit: self.keeper.visited(),  # type: ignore[attr-defined]
        )
        journal, archive = self.opened.journal, self.opened.archive
        self.mail = Mail(self.crawl, journal, archive, self.outside.reader, clock, self.simulation.lease)

    async def close(self, ending: Ending) -> None:
        self.crawl.dismiss(ending, self.outside.clock.now())
        self.keeper.keep()
        self.keeper.leave_word(ending)
        assert self.opened.close() == []
        await self.outside.close()


def shared_crawl(
    path: Path,
    spec: CrawlSpec,
    partition: Callable[[Members], Partition],
    names: str = "n0 n1 n2",
    pages: int = 30,
) -> Path:
    """Let nodes share a crawl until they have so many pages together, and leave its folder."""
    members = Members(epoch=1, names=tuple(map(Node, names.split())))
    asyncio.run(_crawl(SharedPaths(path), spec, partition(members), members, pages))
    return path


async def _crawl(
    paths: SharedPaths, spec: CrawlSpec, partition: Partition, members: Members, pages: int
) -> None:
    paths.folder.mkdir(parents=True)
    spec = replace(spec, lycosa=__version__, pages=pages)
    spec = replace(spec, cluster=replace(spec.cluster, nodes=len(members.names), partition=partition.name))
    save(spec, paths.specification)
    paths.members.write_bytes(msgspec.json.encode(members))
    async with Outside(spec) as outside:
        seeds = derived.seeds_of(spec)
        reading = Reading(spec.topic, outside.web, outside.robots(), outside.clock, seeds=seeds)
        source = await topic_source(reading, inputs_asked(spec.strategy))
    nodes = {name: SharingNode(name, spec, paths, source, partition, members) for name in members.names}
    for node in nodes.values():
        node.crawl.start(
            seeds if partition.routes or node.name == members.names[0] else [], node.outside.clock.now()
        )
        node.simulation.lease()
    while sum(node.crawl.pages for node in nodes.values()) < pages:
        times = {name: at for name, node in nodes.items() if (at := node.simulation.next_at()) is not None}
        if times:
            await nodes[min(times, key=lambda name: (times[name], name))].simulation.advance()
        if not await _deliver(nodes) and not times:
            break
    while await _deliver(nodes):
        pass
    for node in nodes.values():
        await node.simulation.lose()
        await node.close(Ending(EndKind.BUDGET, "pages"))


async def _deliver(nodes: dict[Node, SharingNode]) -> int:
    """Hand over all that waits, at the receiver's time."""
    delivered = 0
    for node in nodes.values():
        node.opened.store.flush()
        for to in node.mail.receivers:
            while (batch := node.mail.batch(to, MOST)) is not None:
                nodes[to].simulation.pass_to(node.outside.clock.now())
                node.mail.connect(to, await nodes[to].mail.take(batch))
                delivered += 1
    return delivered

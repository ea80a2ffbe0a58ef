"""The post of sessions that share a crawl: folders on disk, batches as bytes, pages read again where they arrive."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
from tests.unit.test_spec_is_read import SAMPLE

import lycosa
from lycosa.crawls.mail import Batch, Mail, Sealed, seal
from lycosa.crawls.session import Session, begin, resume
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import InputError
from lycosa.model.nodes import Members, Node, Share
from lycosa.model.records import UrlState
from lycosa.model.url import Url
from lycosa.spec.tree import ClusterSpec, CrawlSpec, TopicSpec
from lycosa.store.database import open_reader

SEED = "http://schools.wiki.example/wp/Biosphere.html"
NODES = tuple(map(Node, ("n0", "n1", "n2")))
MEMBERS = Members(epoch=1, names=NODES)


def spec(partition: str) -> CrawlSpec:
    return CrawlSpec(
        topic=TopicSpec(keywords=("ecology",)),
        seeds=(SEED,),
        strategy="breadth-first",
        web=f"recorded:{SAMPLE}",
        pages=1_000,
        cluster=ClusterSpec(nodes=3, partition=partition),
    )


def post_of(session: Session) -> Mail:
    assert session.mail is not None
    return session.mail


async def exchange(sessions: dict[Node, Session]) -> bool:
    """Hand over a batch from each to each; whether there was any."""
    moved = False
    for sender in sessions.values():
        mail = post_of(sender)
        for to, receiver in sessions.items():
            batch = mail.batch(to, 1_000) if to != mail.company.here else None
            if batch is not None:
                mail.connect(to, await post_of(receiver).take(batch))
                moved = True
    return moved


async def all_quiet(sessions: dict[Node, Session]) -> None:
    """Exchange until nobody has anything left to do or to hand over."""
    still = 0
    while still < 3:
        await asyncio.sleep(0.01)
        moved = await exchange(sessions)
        quiet = all(session.crawl.quiet and not post_of(session).receivers for session in sessions.values())
        still = still + 1 if quiet and not moved else 0


async def shared(
    folder: Path, partition: str, then: Callable[[dict[Node, Session]], Awaitable[None]]
) -> None:
    """Crawl with three nodes until all are quiet and everything is taken in."""
    sessions = {
        name: await begin(spec(partition), folder / name, Share(node=name, members=MEMBERS)) for name in NODES
    }
    runs = [asyncio.create_task(session.run(lambda visit: None)) for session in sessions.values()]
    await all_quiet(sessions)
    await then(sessions)
    for session in sessions.values():
        session.dismiss(Ending(EndKind.EXHAUSTED))
    await asyncio.gather(*runs)


async def nothing(sessions: dict[Node, Session]) -> None:
    """Only the crawl."""


def urls(folder: Path, which: str, column: str = "url") -> list[str]:
    """The pages of a folder, each as often as it is there."""
    connection = open_reader(folder / "journal.db")
    rows = connection.execute(f"SELECT {column} FROM steps WHERE kind = 'page' AND {which}").fetchall()
    connection.close()
    return sorted(url for (url,) in rows)


def of_all(folder: Path, which: str) -> list[str]:
    return sorted(url for name in NODES for url in urls(folder / name, which))


def fetched(folder: Path) -> list[str]:
    """What the nodes asked for, each as often as it was."""
    return of_all(folder, "origin IS NULL")


def owned(folder: Path) -> list[str]:
    return of_all(folder, "owner IS NULL")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What one crawl brings."""
    folder = tmp_path_factory.mktemp("alone")

    async def crawl() -> None:
        session = await begin(spec("host"), folder / "crawl")
        await session.run(lambda visit: None)

    asyncio.run(crawl())
    return urls(folder / "crawl", "owner IS NULL")


@pytest.mark.parametrize("partition", ["url", "content", "host"])
def test_nodes_bring_what_one_crawl_brings_and_nothing_twice(
    partition: str, tmp_path: Path, alone: list[str]
) -> None:
    asyncio.run(shared(tmp_path, partition, nothing))
    assert fetched(tmp_path) == alone
    if partition != "content":
        assert owned(tmp_path) == alone
    else:
        assert set(owned(tmp_path)) <= set(alone)


def test_everything_again_goes_to_who_lost_its_folder(tmp_path: Path, alone: list[str]) -> None:
    asyncio.run(shared(tmp_path, "url", nothing))
    shutil.rmtree(tmp_path / "n1")

    async def again() -> None:
        sessions = {name: await resume(tmp_path / name) for name in ("n0", "n2")}
        sessions["n1"] = await begin(spec("url"), tmp_path / "n1", Share(node=Node("n1"), members=MEMBERS))
        runs = [asyncio.create_task(session.run(lambda visit: None)) for session in sessions.values()]
        named = {Node(name): session for name, session in sessions.items()}
        for name, session in named.items():
            for other, peer in named.items():
                if other != name:
                    mail = post_of(session)
                    mail.connect(other, post_of(peer).taken(name, mail.company.life))
        await all_quiet(named)
        for session in named.values():
            session.dismiss(Ending(EndKind.EXHAUSTED))
        await asyncio.gather(*runs)

    asyncio.run(again())
    assert sorted(set(fetched(tmp_path))) == alone


def told_of(mail: Mail, known: list[Url], life: str = "a") -> bytes:
    """What n0 sends that had fetched these, and hands over where they lie."""
    return seal(
        Batch(
            node=Node("n0"),
            life=life,
            lycosa=lycosa.__version__,
            digest=mail.company.partition.digest,
            parcels=(Sealed(number=1, known=tuple(known)),),
        )
    )


THERE = [Url(f"http://schools.wiki.example/wp/{name}.html") for name in ("Water", "Earth", "Human", "Plant")]


def test_what_only_a_lost_folder_had_is_fetched_again(tmp_path: Path) -> None:
    """A node hands over what it had fetched, and comes back without its folder."""

    async def crawl() -> None:
        alone = Members(epoch=1, names=(Node("n1"),))
        session = await begin(spec("url"), tmp_path / "n1", Share(node=Node("n1"), members=alone))
        mail, frontier = post_of(session), session.crawl.frontier
        assert await mail.take(told_of(mail, THERE)) == 1
        mail.met(Node("n0"), "a")
        assert [frontier.state(url) for url in THERE] == [UrlState.VISITED] * 4
        mail.met(Node("n0"), "b")
        assert [frontier.state(url) for url in THERE] == [UrlState.PENDING] * 4
        steps = session.crawl.step
        mail.met(Node("n0"), "b")
        assert session.crawl.step == session._opened.journal.durable_step == steps
        await mail.take(told_of(mail, THERE, "b"))  # it fetched them again meanwhile
        assert [frontier.state(url) for url in THERE] == [UrlState.VISITED] * 4
        await session._close(Ending(EndKind.INTERRUPTED))

    asyncio.run(crawl())


def test_what_only_a_node_had_that_is_lost_for_good_goes_to_who_sees_to_it_now(tmp_path: Path) -> None:
    async def crawl() -> None:
        pair = Members(epoch=1, names=(Node("n0"), Node("n1")))
        session = await begin(spec("url"), tmp_path / "n1", Share(node=Node("n1"), members=pair))
        mail, frontier = post_of(session), session.crawl.frontier
        await mail.take(told_of(mail, THERE))
        session.join(Members(epoch=2, names=(Node("n1"), Node("n2"))), [Node("n0")])
        owners = [mail.company.owner(url) for url in THERE]
        assert set(owners) == {Node("n1"), Node("n2")}
        ours = {url for url, owner in zip(THERE, owners, strict=True) if owner == Node("n1")}
        assert {url for url in THERE if frontier.state(url) is UrlState.PENDING} == ours
        parcels = mail.company.outbox.waiting(Node("n2"), session.crawl.step, 99)
        assert {link.url for parcel in parcels for link in parcel.links} >= {*THERE} - ours
        await session._close(Ending(EndKind.INTERRUPTED))

    asyncio.run(crawl())


def test_pages_that_were_sent_to_a_node_that_is_lost_for_good_come_back_once(tmp_path: Path) -> None:
    left = Members(epoch=2, names=(Node("n0"), Node("n2")))

    def digests(name: Node, which: str) -> set[str]:
        return set(urls(tmp_path / name, which, "digest"))

    async def lose(sessions: dict[Node, Session]) -> None:
        for name in left.names:
            session, mail = sessions[name], post_of(sessions[name])
            assert digests(name, "owner = 'n1'")
            pages = session.crawl.pages
            session.join(left, [Node("n1")])
            steps = session.crawl.step
            mail.take_back([Node("n1")])
            assert (session.crawl.pages, session.crawl.step) == (pages, steps)
            assert digests(name, "owner = 'n1'") <= digests(name, "owner IS NULL")
            back = urls(tmp_path / name, f"origin LIKE '{name}/%'")
            assert len(back) == len(set(back)) == mail.taken(name, mail.company.life)

    asyncio.run(shared(tmp_path, "content:fetch=url", lose))


def test_nothing_before_it_is_durable(tmp_path: Path) -> None:
    async def crawl() -> None:
        session = await begin(spec("url"), tmp_path / "n0", Share(node=Node("n0"), members=MEMBERS))
        mail = post_of(session)
        while not mail.company.outbox.receivers:
            request = session.crawl.lease(session.clock.now())
            assert request is not None
            visitor = session.outside
            from lycosa.drive.visit import Visitor

            visit = Visitor(
                visitor.web, None, session._opened.archive, session.crawl.refuses_redirect, session.clock
            )
            outcome = await visit(request)
            session.crawl.commit(outcome, session.clock.now())  # type: ignore[arg-type]
        to = mail.company.outbox.receivers[0]
        if session._opened.journal.durable_step < session.crawl.step:
            assert mail.batch(to, 1_000) is None
        session._opened.store.flush()
        assert mail.batch(to, 1_000) is not None
        await session._close(Ending(EndKind.INTERRUPTED))

    asyncio.run(crawl())


def test_acknowledged_after_a_flush_and_others_are_refused_in_one_line(tmp_path: Path) -> None:
    async def look(sessions: dict[Node, Session]) -> None:
        mail = post_of(sessions[Node("n0")])
        journal = sessions[Node("n0")]._opened.journal
        batch = Batch(
            node=Node("n9"), life="1", lycosa="0.0", digest=mail.company.partition.digest, parcels=()
        )
        with pytest.raises(InputError, match=r"node n9 runs lycosa 0\.0"):
            await mail.take(seal(batch))
        other = msgspec.structs.replace(batch, lycosa=lycosa.__version__, digest="other")
        with pytest.raises(InputError, match="the same partition"):
            await mail.take(seal(other))
        with pytest.raises(InputError, match="cannot be read"):
            await mail.take(b"garbage")
        good = msgspec.structs.replace(
            batch, lycosa=lycosa.__version__, parcels=(Sealed(number=1), Sealed(number=2), Sealed(number=4))
        )
        assert await mail.take(seal(good)) == 2
        assert journal.durable_step == journal.last_step

    asyncio.run(shared(tmp_path, "url", look))

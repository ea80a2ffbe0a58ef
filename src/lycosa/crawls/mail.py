"""What a session sends to the other nodes of a shared crawl, and takes in from them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
import zstandard

from lycosa import __version__
from lycosa.crawl.company import Company
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.ports import Archive, Clock
from lycosa.drive.reading import Reader, Unread
from lycosa.model.commands import Enqueue
from lycosa.model.decoding import msgpack_reader
from lycosa.model.digests import payload_digest
from lycosa.model.errors import FolderError, InputError
from lycosa.model.events import Operated, Parcel
from lycosa.model.nodes import Housed, Node, Origin
from lycosa.model.records import Millis, Page, Record, Request, Response, UrlState
from lycosa.model.url import Url
from lycosa.store.journal import Journal

READ_AHEAD = 256
"""Parcels that are read from the journal at once, where a node is sent again what it has not."""


class SealedPage(Record, frozen=True, kw_only=True):
    """A page as it travels: what the server answered. It is read again where it arrives."""

    request: Request
    response: Response
    elapsed: Millis
    hops: tuple[Url, ...] = ()


class Sealed(Record, frozen=True, kw_only=True):
    """A parcel as it travels."""

    number: int
    links: tuple[Enqueue, ...] = ()
    depth: int | None = None
    known: tuple[Url, ...] = ()
    housed: tuple[Housed, ...] = ()
    told: Mapping[str, Any] = {}
    page: SealedPage | None = None
    lost: bool = False
    """There was a page, but it cannot be read from the archive any more."""


class Batch(Record, frozen=True, kw_only=True):
    """The next parcels of one node for another."""

    node: Node
    life: str
    lycosa: str
    digest: str
    """Of the partition: both must have the same."""
    parcels: tuple[Sealed, ...]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgpack_reader(Batch)
_squeeze = zstandard.ZstdCompressor(level=1).compress
"""A link takes some 500 bytes, most of them the words around it; squeezed with others some 115, for 2 µs."""
_widen = zstandard.ZstdDecompressor().decompress


def seal(batch: Batch) -> bytes:
    """A batch as bytes."""
    return _squeeze(_encode(batch))


def unseal(sealed: bytes) -> Batch:
    """The batch again. Raises `ZstdError` or `MsgspecError`."""
    return _decode(_widen(sealed))


class Mail:
    """The post of one session. All calls are made in its event loop.

    Invariants, each the name of a test:

    * nothing before it is durable: a parcel leaves only after its step is in the journal on disk.
    * acknowledged after a flush: what `take` says was taken in survives the end of this process.
    * everything again: to who took in nothing of this life, all parcels are sent from the first one on, from the
      journal.
    * what only a lost folder had is fetched again: once its node is met with another one, by who was told of the pages
      and sees to them.
    """

    def __init__(
        self,
        crawl: Crawl,
        journal: Journal,
        archive: Archive,
        reader: Reader,
        clock: Clock,
        taken_in: Callable[[], None],
    ) -> None:
        if crawl.company is None:
            raise InputError("this crawl is not shared: it has no post")
        self.company: Company = crawl.company
        self._crawl, self._journal, self._archive = crawl, journal, archive
        self._reader, self._clock, self._taken_in = reader, clock, taken_in
        self._turn = asyncio.Lock()  # batches are taken in one after the other
        self._acknowledged: dict[Node, int] = {}
        self._read: dict[Node, tuple[int, int]] = {}  # up to which number and step the journal was read again

    # -- sending ---------------------------------------------------------------------------------------------

    def connect(self, to: Node, taken: int) -> None:
        """A node says how many parcels of this life it took in: what comes after is sent, again if need be."""
        self._acknowledged[to] = taken
        self._read.pop(to, None)
        self.company.outbox.taken(to, taken)

    def unsent(self, to: Node) -> int:
        """How many parcels for a node are not known to be taken in."""
        return self.company.sent.get(to, 0) - self._acknowledged.get(to, 0)

    def links_waiting(self, to: Node) -> int:
        """How many links of these wait in memory, a page counted as one."""
        return self.company.outbox.links(to)

    def urgent(self, to: Node) -> bool:
        """Whether what waits for a node should leave at once."""
        return self.company.outbox.urgent(to)

    @property
    def receivers(self) -> list[Node]:
        """The nodes for which there is something."""
        return [node for node in self.company.members.names if self.unsent(node) > 0]

    def batch(self, to: Node, most: int) -> bytes | None:
        """The next parcels for a node, sealed, with some `most` links; None: there is nothing that may leave yet.

        The same again until it is acknowledged (`connect`).
        """
        parcels = self._next(to, most)
        if not parcels:
            return None
        company = self.company
        return seal(
            Batch(
                node=company.here,
                life=company.life,
                lycosa=__version__,
                digest=company.partition.digest,
                parcels=tuple(self._sealed(parcel) for parcel in parcels),
            )
        )

    def _next(self, to: Node, most: int) -> list[Parcel]:
        company, acknowledged = self.company, self._acknowledged.get(to, 0)
        if self.unsent(to) <= 0:
            return []
        if company.outbox.first(to) == acknowledged + 1:
            self._read.pop(to, None)
            return company.outbox.waiting(to, self._journal.durable_step, most)
        return [parcel for _, parcel in self._again(to, acknowledged)]

    def _again(self, to: Node, after: int) -> list[tuple[int, Parcel]]:
        """From the journal, where memory has not what comes next: after a new start, or for who lost its folder."""
        number, step = self._read.get(to, (0, 0))
        since = step - 1 if number == after else 0
        found = list(islice(self._journal.parcels(to, after, max(0, since)), READ_AHEAD))
        if found:
            self._read[to] = found[-1][1].number, found[-1][0]
        return found

    def _sealed(self, parcel: Parcel) -> Sealed:
        page, lost = self._sealed_page(parcel.page), False
        if parcel.page is not None and page is None:
            lost = True
        return Sealed(
            number=parcel.number,
            links=parcel.links,
            depth=parcel.depth,
            known=parcel.known,
            housed=parcel.housed,
            told=parcel.told,
            page=page,
            lost=lost,
        )

    def _sealed_page(self, page: Page | None) -> SealedPage | None:
        if page is None or page.record is None:
            return None
        try:
            response = self._archive.read(page.record)
        except FolderError:
            return None
        return SealedPage(request=page.request, response=response, elapsed=page.elapsed, hops=page.hops)

    def links_sent_to(self, lost: Iterable[Node]) -> Iterator[Enqueue]:
        """The links that went to these nodes, from the first on, with their depths: for others to fetch."""
        self._journal.flush()
        for node in lost:
            for _, parcel in self._journal.parcels(node):
                for link in parcel.links:
                    depth = parcel.depth if link.depth is None else link.depth
                    yield msgspec.structs.replace(link, depth=depth)

    # -- who lost what it had --------------------------------------------------------------------------------

    def met(self, node: Node, life: str) -> None:
        """A node is there, with the folder of this life. If it had another one before, that is lost, and with it the
        pages of which it only told when it handed over where they lie: those that are ours are fetched again, here.
        Raises `FolderError` if that cannot be kept."""
        lives = [key for key in self.company.received if key.startswith(f"{node}/")]
        if not lives or f"{node}/{life}" in lives:
            return
        ours = self.company.is_ours
        again = tuple(link for link in self.known_only_to([node], but=life) if ours(link.url))
        if again:
            self._crawl.hear(Operated(commands=again, by=f"{node} lost its folder"), self._clock.now())
            self._journal.flush()
            self._taken_in()

    def known_only_to(self, lost: Iterable[Node], *, but: str = "") -> Iterator[Enqueue]:
        """What is taken for fetched because these nodes said so, and is not here: for who sees to it to fetch again.
        `but` is a life whose folder is there."""
        self._journal.flush()
        state, memory = self._crawl.frontier.state, self._crawl.store.memory
        for url in dict.fromkeys(url for node in lost for url in self._journal.known_from(node, but=but)):
            if state(url) is UrlState.VISITED and memory.page(url) is None:
                yield Enqueue(url=url, refetch=True)

    def take_back(self, lost: Sequence[Node]) -> None:
        """Pages that went whole to these nodes, which are lost for good, are ours again: as parcels of our own. Begun
        anew after a crash, it goes on where it was."""
        self._journal.flush()
        company, memory = self.company, self._crawl.store.memory
        parcels = (parcel for node in lost for _, parcel in self._journal.parcels(node))
        for url in dict.fromkeys(parcel.page.url for parcel in parcels if parcel.page is not None):
            page = memory.page(url)
            if page is not None and page.owner in lost:
                number = company.taken(company.here, company.life) + 1
                origin = Origin(node=company.here, life=company.life, number=number)
                parcel = Parcel(to=company.here, number=number, page=page)
                self._crawl.receive(parcel, origin, self._clock.now())
        self._journal.flush()

    # -- taking in -------------------------------------------------------------------------------------------

    def taken(self, node: Node, life: str) -> int:
        """How many parcels of a life of a node are taken in, and on disk."""
        return self.company.taken(node, life)

    async def take(self, sealed: bytes) -> int:
        """Take in a batch; what was taken in before is passed over. Returns how many parcels of its sender's life are
        taken in now, and on disk. Raises `InputError` for a batch of another version, or by another partition."""
        batch = self._opened(sealed)
        async with self._turn:
            self.met(batch.node, batch.life)
            for parcel in batch.parcels:
                origin = Origin(node=batch.node, life=batch.life, number=parcel.number)
                if self.company.awaits(origin):
                    await self._take(parcel, origin)
            self._journal.flush()
        self._taken_in()
        return self.company.taken(batch.node, batch.life)

    def _opened(self, sealed: bytes) -> Batch:
        try:
            batch = unseal(sealed)
        except (msgspec.MsgspecError, zstandard.ZstdError) as error:
            raise InputError(
                f"a parcel cannot be read ({error}); do all nodes run the same lycosa?"
            ) from None
        own = self.company.partition.digest
        if batch.lycosa != __version__:
            raise InputError(
                f"node {batch.node} runs lycosa {batch.lycosa}, this one {__version__}; give all nodes the same"
            )
        if batch.digest != own:
            raise InputError(
                f"node {batch.node} shares the crawl by {batch.digest}, this one by {own}; "
                "give all nodes the same partition and classes"
            )
        return batch

    async def _take(self, sealed: Sealed, origin: Origin) -> None:
        parcel = Parcel(
            to=self.company.here,
            number=sealed.number,
            links=sealed.links,
            depth=sealed.depth,
            known=sealed.known,
            housed=sealed.housed,
            told=sealed.told,
        )
        page, copy = None, None
        if sealed.page is not None:
            response = sealed.page.response
            exchange = self._crawl.exchange
            assert exchange is not None
            digest, url = payload_digest(response.body), sealed.page.request.url
            copy = exchange.copy_of(url, digest, response.fetched_at)
            page = await self._read_page(sealed.page) if copy is None else None
        # Between the question and this nothing was awaited but the reading: whoever came meanwhile is seen again there.
        self._crawl.receive(msgspec.structs.replace(parcel, page=page), origin, self._clock.now(), copy)

    async def _read_page(self, sealed: SealedPage) -> Page | None:
        """The page as it is read here, its record written first."""
        record = self._archive.write(sealed.response)
        page = await self._reader.read(sealed.request, sealed.response, record)
        if isinstance(page, Unread):
            return None
        return msgspec.structs.replace(page, elapsed=sealed.elapsed, hops=sealed.hops)

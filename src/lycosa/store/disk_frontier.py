"""The frontier on disk: as large as a crawl may get, in memory that grows with hosts, not with URLs."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, TypeGuard, cast

import msgspec
from msgspec.structs import replace
from rocksdict import WriteBatch

from lycosa.frontier.memory import tie_break
from lycosa.frontier.protocol import Key, Lane, Rest, Tie
from lycosa.frontier.turns import Turns
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize
from lycosa.model.compiled import compiled
from lycosa.model.errors import InputError, LycosaError
from lycosa.model.events import Snapshot
from lycosa.model.records import HeldBack, Link, Millis, Request, UrlState
from lycosa.model.url import Host, Url, host_of
from lycosa.store.bound import Bound
from lycosa.store.checkpoint import (
    FORMAT,
    Totals,
    read_totals,
    read_turns,
    write_outcomes,
    write_totals,
    write_turns,
)
from lycosa.store.frontier_rows import (
    LATER,
    MISSING,
    PENDING,
    RANK,
    Held,
    PendingPlace,
    again_queue,
    depth_by,
    depth_in,
    due_in,
    host_again,
    is_of_new,
    is_pending,
    key_in,
    key_of,
    moved,
    outcome_in,
    pack_link,
    pack_place,
    queue_in,
    rank,
    sort_key,
    state_by,
    unpack_place,
    url_row,
    waits_again,
)
from lycosa.store.pieces import Pieces
from lycosa.store.place_log import PlaceLog
from lycosa.store.queues import HostQueue, HostQueues
from lycosa.store.rocks import DamagedStore, after, open_rocks

_QUEUES: Final = compiled("lycosa.frontier._queues")
if _QUEUES is not None:
    for _records in (PendingPlace, HostQueue, Link, Enqueue, Reprioritize, Rest, Request):
        _QUEUES.know(_records)
REMEMBERED = 100_000
"""Outcomes of visits that are kept in memory, some 20 MB. Full, the memory is emptied."""
AT_ONCE = 512
"""Commands whose URLs are looked up together."""
ROWS = 10_000
"""Rows of the store that are kept once read, some 3 MB. Full, the memory is emptied."""
_TIES: Final = {"fifo": 1, "lifo": -1}
"""What the order of arrival is multiplied with to break ties; where chance does it, each is hashed."""
SWEEP_BEYOND = 1_000
"""Entries out of date that a bounded frontier puts up with, beyond one for each pending URL."""


class DiskFrontier:
    """A keyed priority queue of URLs over per-host queues, on RocksDB. Keeps the promises of `Frontier`.

    All that changed since the last checkpoint is held in memory, over a store that `checkpoint` changes in one atomic
    batch together with the crawl's snapshot. So after a crash the folder holds frontier and snapshot of one same step,
    and the journal's tail is replayed from there. Of the rest memory holds each host's count and where its best eight
    places are.

    Gives the answers that `MemoryFrontier` gives, whatever the times of its checkpoints. Some 1 KB of memory a
    host, 700 bytes a change since the checkpoint, 250 a pending URL if there is a `capacity`. Costs O(log n) a change.

    Parameters: `capacity`, `tie` and `seed` as in `MemoryFrontier`; `changes`, after how many of them a checkpoint is
    due (`overfull`); `read_only`, to look at the last checkpoint while another process crawls.
    """

    def __init__(
        self,
        path: Path,
        *,
        capacity: int | None = None,
        tie: Tie = "fifo",
        seed: int = 0,
        changes: int = 20_000,
        read_only: bool = False,
    ) -> None:
        self.path, self.capacity, self.tie, self.seed = path, capacity, tie, seed
        self._due_after = changes
        self._read_only = read_only
        self._db = open_rocks(path, read_only=read_only)
        self._changed: dict[Url, Held] = {}
        # Read ahead; as true as the store, until the next checkpoint.
        self._rows: dict[Url, bytes | None] = {}
        try:
            self._log = PlaceLog(path, read_only=read_only)
        except LycosaError:
            self._db.close()
            raise
        self._queues = HostQueues(self._db, self._log, self._changed)
        # Keys as bytes sort like keys; turns only compare them.
        self._turns = Turns(cast("Any", self._queues.heads), cast("Any", self._queues.before))
        self._again: Turns | None = None  # made for the first revisit that is due
        self._rested: dict[Host, None] = {}  # whose turns changed since the checkpoint
        self._addresses: dict[str, None] = {}  # likewise
        # Outcomes of late, as in `_changed`: pages link to visited ones most.
        self._settled: dict[Url, int] = {}
        self._leased: dict[Url, Request] = {}
        self._places_out: dict[Url, PendingPlace] = {}
        self._desk = (  # for the compiled twin, in its order: none of them is ever replaced
            self._queues,
            self._changed,
            self._settled,
            self._leased,
            self._places_out,
            self._rested,
            self._addresses,
        )
        self._pending = 0
        self._revisits = 0
        self._order = 0
        self._quota: int | None = None
        # Where the last of the links stood that come together, a page's mostly, as deep as it stays till one leaves.
        self._source: Url | None = None
        self._source_depth = 0
        self._pieces = Pieces(path / "memory")
        self._kept: Snapshot | None = None  # its long parts are in `_pieces`
        try:
            self._restore()
        except LycosaError:
            self._let_go()
            raise
        except (msgspec.MsgspecError, ValueError, LookupError) as error:
            self._let_go()
            raise DamagedStore(path, f"{type(error).__name__}: {error}") from error
        self._bound = Bound(self._queues.places(None)) if capacity is not None else None

    # -- commands ------------------------------------------------------------------------------

    def apply(self, commands: Iterable[Command]) -> int:
        coming, self._source = iter(commands), None
        while some := list(islice(coming, AT_ONCE)):
            self._look_up(some)
            at = self._obey_plain(some, 0)
            while at < len(some):
                self._obey(some[at])
                at = self._obey_plain(some, at + 1)
        return self._trim()

    def _obey_plain(self, commands: list[Command], at: int) -> int:
        """Enqueue and move URLs in one go as far as that is plain; answers the place of the first command that is
        left. What is left is obeyed one by one, with the same outcome."""
        ties = _TIES.get(self.tie)
        if _QUEUES is None or ties is None or self._bound is not None:
            return at
        left: int = _QUEUES.obey(self, commands, at, ties, PendingPlace, Enqueue, Reprioritize, HostQueue)
        return left

    def _obey(self, command: Command) -> None:
        match command:
            case Reprioritize():
                self._move(command)
            case Enqueue(not_before=None):
                self._enqueue(command)
            case Enqueue():
                self._schedule(command)
            case Forget(url=url):
                if self._drop(url) is None:
                    self._unschedule(url)
            case Grant(n=n):
                self._quota = (self._quota or 0) + n

    def _look_up(self, commands: list[Command]) -> None:
        self._read_rows(commands)
        moved = [c.url for c in commands if type(c) is Reprioritize]
        self._queues.read_ahead(moved, self._rows)

    def read_ahead(self, urls: Iterable[Url]) -> None:
        self._read_rows(list(urls))

    def _read_rows(self, wanted: list[Command] | list[Url]) -> None:
        """Read together what the store says of URLs, or of those of commands, that memory knows nothing of."""
        if len(self._rows) >= ROWS:
            self._rows = {}
        known = self._rows
        unread, rows = self._unread(wanted)
        if unread:
            known.update(zip(unread, self._db.get_all(rows), strict=True))

    def _unread(self, wanted: list[Command] | list[Url]) -> tuple[list[Url], list[bytes]]:
        changed, settled, known = self._changed, self._settled, self._rows
        if _QUEUES is not None:
            found: tuple[list[Url], list[bytes]] = _QUEUES.unread(
                wanted, (Enqueue, Reprioritize), changed, settled, known
            )
            return found
        urls: list[Url] = [each if isinstance(each, str) else each.url for each in wanted if _names_url(each)]
        unread = [url for url in urls if url not in changed and url not in settled and url not in known]
        return unread, [*map(url_row, unread)]

    def _row(self, url: Url) -> bytes | None:
        """What the store says of a URL, which may be out of date if it is among the changed."""
        rows = self._rows
        if url in rows:
            return rows[url]
        row = self._db.get(url_row(url))
        if len(rows) < ROWS:  # who asks for its state often enqueues it next
            rows[url] = row
        return row

    def _move(self, command: Reprioritize) -> None:
        held = self._changed.get(command.url)
        place = held if type(held) is PendingPlace and held.again is None else self._pull(command.url)
        if place is not None:
            self._place(place, moved(place.key, command.tier, -command.score))

    def _enqueue(self, command: Enqueue) -> None:
        url = command.url
        held = self._changed.get(url, MISSING)
        if held is MISSING:
            if url in self._settled and not command.refetch:
                return
            row = self._row(url)
            if row is None:
                held = None
            elif is_pending(row):
                if not self._improves(command, key_in(row)):
                    return
                held = self._held(url, row)
            else:
                held = outcome_in(row)
        if held is None:
            if url not in self._leased:
                self._begin(command, None)
        elif isinstance(held, PendingPlace) and held.again is None:
            self._advance(command, held)
        elif url not in self._leased:
            self._begin_again(command, held.was if isinstance(held, PendingPlace) else held)

    def _begin_again(self, command: Enqueue, outcome: int | None) -> None:
        """Let a URL wait that was settled once, if it may."""
        if outcome is None or state_by(outcome) is UrlState.ELSEWHERE:
            self._begin(command, None)
        elif command.refetch:
            self._unschedule(command.url)
            self._begin(command, outcome)

    def _begin(self, command: Enqueue, was: int | None) -> None:
        url, depth = command.url, self._depth_by(command) if was is None else depth_by(was)
        if url == self._source:
            self._source = None
        self._order = order = self._order + 1
        key = (command.tier, -command.score, tie_break(order, self.tie, self.seed))
        place = sort_key(key, order, unique=self.tie != "random")
        via = pack_link(command.via, url)
        self._enter(PendingPlace(url, host_of(url), place, order, depth, 1, via, (), was))

    def _improves(self, command: Enqueue, key: bytes) -> bool:
        """A known place is better off by this; told without reading all of it."""
        return rank(command.tier, -command.score) < key[RANK]

    def _advance(self, command: Enqueue, place: PendingPlace) -> None:
        if self._improves(command, place.key):
            if command.via is not None:
                place = self._queues.whole(place)
                place.via, place.pointer = pack_link(command.via, place.url), b""
            self._place(place, moved(place.key, command.tier, -command.score))

    def _depth_by(self, command: Enqueue) -> int:
        if command.depth is not None:
            return command.depth
        if command.via is None:
            return 0
        source = command.via.source
        if source != self._source:
            found = self.depth(source)
            if found is None:
                return 1
            self._source, self._source_depth = source, found
        return self._source_depth + 1

    def _enter(self, place: PendingPlace) -> None:
        self._pending += 1
        self._settled.pop(place.url, None)
        self._changed[place.url] = place
        if self._queues.add(place.host, place.key, place.url):
            self._turns.offer(place.host)
        if self._bound is not None:
            self._bound.add(place.key, place.url)

    def _place(self, place: PendingPlace, key: bytes) -> None:
        before, place.key = place.key, key
        if self._queues.place(place.host, key, place.url, before):
            self._turns.offer(place.host)
        if self._bound is not None:
            self._bound.add(key, place.url)

    def _drop(self, url: Url) -> PendingPlace | None:
        """Take a pending URL out: it is what it was then. None if it is not pending."""
        place = self._pull(url)
        if place is not None:
            self._changed[url] = self._queues.whole(place).was
            self._pending -= 1
            self._queues.remove(place.host)
            self._source = None
        return place

    def _trim(self) -> int:
        if self._bound is None or self.capacity is None:
            return 0
        trimmed = 0
        while self._pending > self.capacity:
            key, url = self._bound.pop()
            if self._key_now(url) == key:
                self._drop(url)
                trimmed += 1
        if len(self._bound) > 2 * self._pending + SWEEP_BEYOND:
            self._bound.sweep(lambda key, url: self._key_now(url) == key)
        return trimmed

    # -- revisits ------------------------------------------------------------------------------

    def _schedule(self, command: Enqueue) -> None:
        url, due = command.url, command.not_before
        if not command.refetch or due is None or url in self._leased:
            return
        held = self._changed.get(url, MISSING)
        if held is MISSING:
            row = self._row(url)
            if is_pending(row):
                return
            held = outcome_in(row)
        if isinstance(held, PendingPlace):
            if held.again is None:
                return
            held = held.was
        if held is None or state_by(held) is UrlState.ELSEWHERE:
            return
        self._unschedule(url)
        self._order += 1
        again = (command.tier, -command.score, int(due))
        via = pack_link(command.via, url)
        self._enter_again(
            PendingPlace(
                url, host_of(url), b"", self._order, held >> 1, 1, via, was=held, again=again, later=True
            )
        )

    def _unschedule(self, url: Url) -> None:
        """Drop the revisit of a URL, if one waits: it is what it was."""
        if (place := self._pull_revisit(url)) is not None:
            self._leave_again(place)
            self._changed[url] = place.was

    def _enter_again(self, place: PendingPlace) -> None:
        """Let a revisit wait for its time, or for its turn."""
        self._revisits += 1
        self._changed[place.url] = place
        place.key, queue = place.again_key(), place.queue
        better = self._queues.add(queue, place.key, place.url)
        if not place.later and (better or self._again is None):
            self._turns_again().offer(place.host)

    def _leave_again(self, place: PendingPlace) -> None:
        self._revisits -= 1
        self._queues.remove(place.queue)

    def _turns_again(self) -> Turns:
        if self._again is None:
            queues = self._queues

            def head(host: Host) -> Any:
                return queues.head(again_queue(host))

            def before(host: Host, key: Any, most: int) -> Any:
                return queues.before(again_queue(host), key, most)

            self._again = self._turns.beside(head, before)
        return self._again

    def _pass_to(self, now: Millis) -> None:
        """Move in what is due by now."""
        while (due := self._next_due()) is not None and due <= now:
            place = self._first(LATER)
            self._leave_again(place)
            place.later, place.pointer = False, b""
            self._enter_again(place)
        self._turns.pass_to(now)

    def _next_due(self) -> Millis | None:
        key = self._queues.head(LATER) if self._revisits else None
        return None if key is None else Millis(int(key_of(key)[1]))

    def _first(self, queue: Host) -> PendingPlace:
        """What stands at the head of a queue that has one; what the store has of it is no longer true."""
        place = self._queues.first(queue)
        if place.url not in self._changed:
            self._queues.bury(queue, place.key)
        return place

    # -- what is known of a URL ----------------------------------------------------------------

    def _held(self, url: Url, row: bytes | None) -> Held:
        """What the store knows of a URL; one that waits is taken into memory, to be placed anew or to leave."""
        if row is None or not (is_pending(row) or waits_again(row)):
            return outcome_in(row)
        key, queue = key_in(row), queue_in(row, url)
        place = self._queues.unread(url, key) if row[0] == PENDING else self._queues.stored(queue, key)
        self._changed[url] = place
        self._queues.bury(queue, key)
        return place

    def _pull(self, url: Url) -> PendingPlace | None:
        """A pending URL's place, to be placed anew or to leave; None if it is not pending."""
        held = self._changed.get(url, MISSING)
        if held is MISSING:
            row = self._row(url)
            held = self._held(url, row) if is_pending(row) else None
        return held if type(held) is PendingPlace and held.again is None else None

    def _pull_revisit(self, url: Url) -> PendingPlace | None:
        """Likewise, of a URL that waits to be visited again."""
        held = self._changed.get(url, MISSING)
        if held is MISSING:
            row = self._row(url)
            held = self._held(url, row) if waits_again(row) else None
        return held if type(held) is PendingPlace and held.again is not None else None

    def _key_now(self, url: Url) -> bytes | None:
        held = self._changed.get(url, MISSING)
        if held is MISSING:
            row = self._row(url)
            return key_in(row) if is_pending(row) else None
        return held.key if isinstance(held, PendingPlace) and held.again is None else None

    # -- leases --------------------------------------------------------------------------------

    def lease(
        self, now: Millis, within: int | None = None, *, beyond: bool = True, lane: Lane = "new"
    ) -> Request | HeldBack | None:
        if self._revisits:
            self._pass_to(now)
        if lane == "again":
            host = None if self._again is None else self._again.best(now)
            return None if host is None else self._hand_out(self._first(again_queue(host)), host)
        if self._quota == 0:
            return None
        host = self._turns.best(now)
        if host is None:
            return None
        place = self._queues.first(host)
        rank = 0
        if within is not None:
            rank, first = self._turns.better(cast("Any", place.key), within)
            if rank >= within and not beyond and place.depth:
                return HeldBack(url=place.url, better=rank, host=first)
        request = self._hand_out(place, host, is_stored=place.url not in self._changed)
        return replace(request, rank=rank) if rank else request

    def claim(self, url: Url) -> Request:
        place = self._pull(url) or self._pull_revisit(url)
        if place is None:
            raise KeyError(url)
        return self._hand_out(place, place.host)

    def _hand_out(self, place: PendingPlace, host: Host, *, is_stored: bool = False) -> Request:
        if _QUEUES is not None and self._again is None and self._quota is None:
            made: Request | None = _QUEUES.hand_out(self, place, is_stored, Request, Link)
            if made is not None:
                return made
        url = place.url
        self._changed[url] = None
        self._settled.pop(url, None)
        self._leased[url] = request = self._queues.whole(place).request()
        self._places_out[url] = place
        if place.again is not None:
            self._leave_again(place)
        else:
            self._pending -= 1
            self._queues.take(host, place.key, is_stored=is_stored)
            if self._quota is not None:
                self._quota -= 1
        self._turns.lease(host)
        if self._again is not None:
            self._again.lease(host)
        self._rested[host] = None
        return request

    def _all_turns(self) -> tuple[Turns, ...]:
        return (self._turns,) if self._again is None else (self._turns, self._again)

    def settle(self, request: Request, state: UrlState, rest: Rest, also: Iterable[Url] = ()) -> None:
        self._take_back(request.url, rest)
        failed = state is not UrlState.VISITED
        if len(self._settled) >= REMEMBERED:
            self._settled.clear()
        self._changed[request.url] = self._settled[request.url] = request.depth << 1 | failed
        for url in also:
            if (place := self._drop(url)) is not None:
                self._changed[url] = place.depth << 1 | failed
            elif self.state(url) is UrlState.UNSEEN:
                self._changed[url] = request.depth << 1 | failed

    def put_back(self, request: Request, rest: Rest) -> None:
        place = self._take_back(request.url, rest)
        place.attempt = request.attempt + 1
        place.send(())
        self._return(place)

    def defer(self, url: Url, way: tuple[Url, ...], rest: Rest) -> None:
        place = self._take_back(url, rest)
        place.send(way)
        self._return(place)

    def give_back(self) -> None:
        for url in list(self._leased):
            del self._leased[url]
            place = self._places_out.pop(url)
            self._return(place)
            for turns in self._all_turns():
                turns.release(place.host)
            self._rested[place.host] = None

    def _take_back(self, url: Url, rest: Rest) -> PendingPlace:
        if _QUEUES is not None and self._again is None:
            found: PendingPlace | None = _QUEUES.take_back(self, url, rest)
            if found is not None:
                return found
        del self._leased[url]
        place = self._places_out.pop(url)
        host = place.host
        if before := self._turns.address(host):
            self._addresses[before] = None
        if rest.address:
            self._addresses[rest.address] = None
        self._turns.settle(host, rest)
        if self._again is not None:
            self._again.settle(host, rest)
        self._rested[host] = None
        return place

    def _return(self, place: PendingPlace) -> None:
        if place.again is not None:
            place.later, place.pointer = False, b""
            self._enter_again(place)
            return
        if self._quota is not None:
            self._quota += 1
        self._enter(place)

    def hand_over(self, url: Url, state: UrlState, depth: int = 0) -> None:
        match self.state(url):
            case UrlState.PENDING:
                place = self._drop(url)
                assert place is not None
                if place.was is not None:  # it was visited here before
                    return
                depth = place.depth
            case UrlState.UNSEEN | UrlState.ELSEWHERE:
                pass
            case _:
                return
        self._settled.pop(url, None)
        self._changed[url] = (
            ~depth if state is UrlState.ELSEWHERE else depth << 1 | (state is UrlState.FAILED)
        )

    def known(self, host: Host | None = None) -> Iterator[Url]:
        done = (UrlState.VISITED, UrlState.FAILED, UrlState.LEASED)
        late = dict.fromkeys(url for url in (*self._changed, *self._leased) if host in (None, host_of(url)))
        for url in chain(late, self._stored_of(host, late)):
            if self.state(url) in done:
                yield url

    def _stored_of(self, host: Host | None, late: Collection[Url]) -> Iterator[Url]:
        for scheme in ("http", "https"):
            prefix = url_row(Url(f"{scheme}://" if host is None else f"{scheme}://{host}/"))
            for key, _ in self._db.scan(prefix, after(prefix)):
                if (url := Url(key[1:].decode())) not in late:
                    yield url

    # -- questions -----------------------------------------------------------------------------

    def resting(self, now: Millis) -> dict[Host, Millis]:
        """The hosts that rest now, and until when."""
        return self._turns.resting(now)

    def wakes_at(self) -> Millis | None:
        times = (self._next_due(), self._turns.wakes_at())
        return min((at for at in times if at is not None), default=None)

    def due(self, url: Url) -> Millis | None:
        held = self._changed.get(url, MISSING)
        if held is MISSING:
            row = self._row(url)
            return due_in(row, url) if waits_again(row) else None
        again = held.again if isinstance(held, PendingPlace) else None
        return None if again is None else Millis(again[2])

    @property
    def revisits(self) -> int:
        return self._revisits

    def due_by(self, now: Millis) -> tuple[int, Millis | None]:
        """How many revisits are due by now, and when the next one will be. Looks at each one that became due since the
        last lease."""
        ahead, first = self._queues.parted(LATER, sort_key((0, now + 1.0, 0), 0, unique=True))
        later = self._queues.count(LATER) - ahead
        return self._revisits - later, None if first is None else Millis(int(key_of(first)[1]))

    def is_open(self, host: Host, now: Millis) -> bool:
        return self._turns.is_open(host, now)

    def states(self, urls: Sequence[Url]) -> list[UrlState]:
        found: list[UrlState] = []
        for first in range(0, len(urls), ROWS):
            some = urls[first : first + ROWS]
            self.read_ahead(some)
            found += map(self.state, some)
        return found

    def state(self, url: Url) -> UrlState:
        held = self._changed.get(url, MISSING)
        if held is MISSING:
            held = self._settled.get(url, MISSING)
        if held is MISSING:
            row = self._row(url)
            if is_pending(row):
                return UrlState.PENDING
            held = outcome_in(row)
        if held is None:
            return UrlState.LEASED if url in self._leased else UrlState.UNSEEN
        if isinstance(held, PendingPlace):
            if held.again is None or held.was is None:
                return UrlState.PENDING
            held = held.was
        return state_by(held)

    def depth(self, url: Url) -> int | None:
        held = self._changed.get(url, MISSING)
        if held is MISSING:
            row = self._row(url)
            if row is not None:
                return depth_in(row)
        elif held is not None:
            return held.depth if isinstance(held, PendingPlace) else depth_by(held)
        return self._leased[url].depth if url in self._leased else None

    def waiting(self, url: Url) -> Request | None:
        place = self._peek(url)
        return None if place is None else self._queues.whole(place).request()

    def _peek(self, url: Url) -> PendingPlace | None:
        """A pending URL's place, read where it is and left there."""
        held = self._changed.get(url, MISSING)
        if held is MISSING:
            row = self._row(url)
            return self._queues.stored(queue_in(row, url), key_in(row)) if is_pending(row) else None
        return held if type(held) is PendingPlace and held.again is None else None

    def pending(self, host: Host | None = None) -> Iterator[Request]:
        """By host and key. Reads from disk as it goes; no checkpoint may be made meanwhile."""
        return (self._queues.whole(place).request() for place in self._queues.places(host))

    def keys(self) -> dict[Url, Key]:
        return {place.url: key_of(place.key) for place in self._queues.places(None)}

    def standing(self, url: Url) -> tuple[Request, int] | None:
        """A pending request and its place among all, 1 for the best; None if it is not pending. O(pending)."""
        place = self._peek(url)
        if place is None:
            return None
        return self._queues.whole(place).request(), 1 + self._queues.better(place.key)

    def front(self, most: int) -> list[tuple[int, float]]:
        """Tier and score of the best pending URL of each host, the best `most` of them, best first."""
        places = (key_of(cast("bytes", key)) for key in self._turns.front(most))
        return [(tier, 0.0 - score) for tier, score, _ in places]

    def best(self, most: int) -> list[Request]:
        """The best pending requests, best first. Looks at all hosts, and at `most` places of the best of them."""
        hosts = self._turns.foremost(most)
        found = heapq.merge(
            *(self._queues.foremost(host, most) for host in hosts), key=lambda place: place.key
        )
        return [self._queues.whole(place).request() for place in islice(found, most)]

    def hosts(self) -> Iterator[tuple[Host, int]]:
        """Hosts that have pending URLs, and how many."""
        return self._queues.hosts()

    @property
    def leased(self) -> Mapping[Url, Request]:
        return self._leased

    @property
    def quota(self) -> int | None:
        return self._quota

    def __len__(self) -> int:
        return self._pending

    # -- checkpoints ---------------------------------------------------------------------------

    @property
    def overfull(self) -> bool:
        """So much changed since the last checkpoint that the next one is due."""
        return len(self._changed) >= self._due_after

    def checkpoint(self, snapshot: Snapshot) -> None:
        """Make all that changed, and the snapshot, durable in one atomic batch.

        Raises FolderError if the disk is full; then nothing changed on disk, and it can be tried again.
        """
        self.checkpoint_with(self.shortened(snapshot))

    def shortened(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with references in place of its long parts, which are on disk now. Raises as `checkpoint`."""
        return self._pieces.write(snapshot)

    def checkpoint_with(self, kept: Snapshot) -> None:
        """Make a checkpoint with a snapshot that was `shortened` just now. Raises as `checkpoint`."""
        batch = WriteBatch(raw_mode=True)
        self._queues.write(batch)
        write_outcomes(batch, self._changed)
        write_turns(batch, self._turns, self._rested, self._addresses)
        leases = [(place.key, pack_place(place)) for place in self._places_out.values()]
        totals = Totals(
            FORMAT,
            kept,
            self.tie,
            self.seed,
            self._pending,
            self._order,
            self._quota,
            leases,
            self._revisits,
            self._log.end,
        )
        write_totals(batch, totals)
        self._log.keep()
        self._db.write(batch)
        self._queues.written()
        self._changed.clear()
        self._rows = {}
        self._rested.clear()
        self._addresses.clear()
        self._pieces.settle()
        self._kept = kept

    @property
    def snapshot(self) -> Snapshot | None:
        """What `checkpoint` kept last, read anew; None in a new folder."""
        return None if self._kept is None else self._pieces.read(self._kept)

    @property
    def kept_step(self) -> int | None:
        """The step of that snapshot."""
        return None if self._kept is None else self._kept.step

    def _restore(self) -> None:
        totals = read_totals(self._db, self.path)
        if totals is None:
            return
        if (totals.tie, totals.seed) != (self.tie, self.seed):
            raise InputError(
                f"{self.path}: this frontier orders ties by {totals.tie} with seed {totals.seed}, "
                f"not by {self.tie} with seed {self.seed}; resume it with what it was begun with"
            )
        self._log.resume(totals.logged)
        self._kept = totals.snapshot
        if not self._read_only:  # whose files come and go while it is looked at
            self._pieces.adopt(totals.snapshot)
        self._pending, self._order, self._quota = totals.pending, totals.order, totals.quota
        self._revisits = totals.revisits
        for key, packed in totals.leases:
            place = unpack_place(key, packed)
            self._leased[place.url] = place.request()
            self._places_out[place.url] = place
        read_turns(self._db, self._turns)
        for queue in self._queues.restore():
            if is_of_new(queue):
                self._turns.offer(queue)
            elif host := host_again(queue):
                self._turns_again().offer(host)

    def close(self) -> None:
        """Let go of the folder. What changed since the last checkpoint is not kept."""
        if not self._read_only:
            self._db.flush()  # or the next opening has the store's log to replay
        self._let_go()

    def _let_go(self) -> None:
        self._log.close()
        self._db.close()


def _names_url(wanted: Command | Url) -> TypeGuard[Enqueue | Reprioritize | Url]:
    """Whether it is a URL, or a command for which it is good to know what the store says of one."""
    return isinstance(wanted, str | Enqueue | Reprioritize)

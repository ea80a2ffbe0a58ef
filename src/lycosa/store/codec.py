"""How steps become rows and back. What was said once is not said again: links are named by their place on the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec
import zstandard

from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize, Stop
from lycosa.model.decoding import converted, from_json
from lycosa.model.endings import Ending
from lycosa.model.errors import FolderError
from lycosa.model.events import (
    Asked,
    Blocked,
    Dismissed,
    Event,
    HandedOff,
    Idled,
    Joined,
    Marked,
    Operated,
    Parcel,
    Planned,
    Received,
    Recovered,
    Searched,
    Started,
    Told,
    Wish,
)
from lycosa.model.nodes import Housed, Members, Node, Origin
from lycosa.model.records import Deferred, Link, Page
from lycosa.model.rights import Rights
from lycosa.model.url import Url

KIND: dict[str, str] = {
    "Started": "started",
    "Page": "page",
    "Failure": "failure",
    "Deferred": "deferred",
    "Idled": "idled",
    "HandedOff": "handed-off",
    "Operated": "operated",
    "Recovered": "recovered",
    "Marked": "marked",
    "Asked": "asked",
    "Told": "told",
    "Searched": "searched",
    "Blocked": "blocked",
    "Planned": "planned",
    "Unchanged": "unchanged",
    "Gone": "gone",
    "Received": "received",
    "Joined": "joined",
    "Dismissed": "dismissed",
}
"""Event classes and their names in the journal."""

_squeeze = zstandard.ZstdCompressor(level=1, write_content_size=True, write_checksum=False).compress
_decompress = zstandard.ZstdDecompressor().decompress
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder().decode


def _widen(blob: bytes) -> bytes:
    """FolderError if it is not what was squeezed."""
    try:
        return _decompress(blob)
    except zstandard.ZstdError as error:
        raise FolderError(
            f"the journal is damaged: links or commands of a step cannot be unpacked ({error}); "
            "bring back a copy of journal.db"
        ) from error


_OWN, _ENQUEUE, _REPRIORITIZE, _FORGET, _GRANT, _STOP = range(6)


def pack_lines(urls: Sequence[Url]) -> str | None:
    """URLs in canonical form hold no line breaks, so that a person can read such a column."""
    return "\n".join(urls) if urls else None


def unpack_lines(text: str | None) -> tuple[Url, ...]:
    return tuple(Url(line) for line in text.split("\n")) if text else ()


def pack_targets(targets: Sequence[Url]) -> bytes | None:
    return _squeeze("\n".join(targets).encode()) if targets else None


def names_target(blob: bytes | None, url: Url) -> bool:
    """Whether a URL stands among such targets, or in one of them: most pages need not be looked at more closely."""
    return blob is not None and url.encode("utf-8", "replace") in _widen(blob)


def unpack_targets(blob: bytes | None) -> list[Url]:
    return cast("list[Url]", _widen(blob).decode("utf-8", "replace").split("\n")) if blob else []


def pack_via(link: Link | None, url: Url) -> bytes | None:
    """All of a link but its source and anchor, which have columns, and its target, which is the URL leased."""
    if link is None:
        return None
    target = None if link.target == url else link.target
    return _pack((target, *surroundings_of(link)))


def unpack_via(blob: bytes | None, url: Url, source: Url, anchor: str) -> Link | None:
    if blob is None:
        return None
    target, *surroundings = _unpack(blob)
    return link_of(source, target or url, anchor, surroundings)


def surroundings_of(link: Link) -> tuple[Any, ...]:
    """What a link has besides its two ends and its words."""
    return link.context, link.heading, link.path, link.position, link.rel, link.nofollow, link.in_nav


def link_of(source: Url, target: Url, anchor: str, surroundings: Sequence[Any]) -> Link:
    """The link again, with what `surroundings_of` told."""
    context, heading, path, position, rel, nofollow, in_nav = surroundings
    return Link(
        source=source,
        target=target,
        anchor=anchor,
        context=context,
        heading=heading,
        path=path,
        position=position,
        rel=rel,
        nofollow=nofollow,
        in_nav=in_nav,
    )


def pack_commands(commands: Sequence[Command], links: Sequence[Link] = ()) -> bytes | None:
    """Most commands enqueue a link of the page at hand: runs of these are columns of places, scores and tiers."""
    if not commands:
        return None
    place: dict[int, int] = {}
    items: list[Any] = []
    places: list[int] = []
    scores: list[float] = []
    tiers: list[int] = []
    for command in commands:
        if type(command) is Enqueue and not command.refetch and command.depth is None:
            if not place:  # many pages have no new links
                place = dict(zip(map(id, links), range(len(links)), strict=True))
            index = place.get(id(command.via))
            if index is not None and links[index].target == command.url:
                places.append(index)
                scores.append(command.score)
                tiers.append(command.tier)
                continue
        if places:
            items.append((_OWN, places, _same(scores), _same(tiers)))
            places, scores, tiers = [], [], []
        items.append(_pack_command(command))
    if places:
        items.append((_OWN, places, _same(scores), _same(tiers)))
    return _squeeze(_pack(items))


def _same(values: list[Any]) -> Any:
    """One value for a column that holds the same value throughout."""
    return values[0] if values.count(values[0]) == len(values) else values


def _pack_command(command: Command) -> tuple[Any, ...]:
    if type(command) is Reprioritize:  # nearly all that come here
        return (_REPRIORITIZE, command.url, command.score, command.tier)
    match command:
        case Enqueue():
            packed = (_ENQUEUE, command.url, command.score, command.tier, command.via, command.refetch)
            if command.depth is not None:
                return (*packed, command.not_before, command.depth)
            return packed if command.not_before is None else (*packed, command.not_before)
        case Reprioritize(url=url, score=score, tier=tier):
            return (_REPRIORITIZE, url, score, tier)
        case Forget(url=url):
            return (_FORGET, url)
        case Grant(n=n):
            return (_GRANT, n)
        case Stop(reason=reason):
            return (_STOP, reason)


def unpack_commands(
    blob: bytes | None, targets: Sequence[Url] = (), link_at: Callable[[int], Link] | None = None
) -> tuple[Command, ...]:
    """The commands of a step; `link_at` gives the page's link at a place, `targets` where it leads."""
    if blob is None:
        return ()
    commands: list[Command] = []
    for item in _unpack(_widen(blob)):
        if item[0] != _OWN:
            commands.append(_unpack_command(item))
            continue
        _, places, scores, tiers = item
        scores = scores if isinstance(scores, list) else [scores] * len(places)
        tiers = tiers if isinstance(tiers, list) else [tiers] * len(places)
        for index, score, tier in zip(places, scores, tiers, strict=True):
            via = link_at(index) if link_at else None
            commands.append(Enqueue(url=targets[index], score=score, tier=tier, via=via))
    return tuple(commands)


def _unpack_command(item: list[Any]) -> Command:
    match item:
        case [int(kind), url, score, tier, via, refetch, *more] if kind == _ENQUEUE:
            link = converted(via, Link) if via is not None else None
            not_before, depth = (*more, None, None)[:2]
            return Enqueue(
                url=url,
                score=score,
                tier=tier,
                via=link,
                refetch=refetch,
                not_before=not_before,
                depth=depth,
            )
        case [int(kind), url, score, tier] if kind == _REPRIORITIZE:
            return Reprioritize(url=url, score=score, tier=tier)
        case [int(kind), url] if kind == _FORGET:
            return Forget(url=url)
        case [int(kind), n] if kind == _GRANT:
            return Grant(n=n)
        case [int(kind), reason] if kind == _STOP:
            return Stop(reason=reason)
    raise ValueError(f"no such command in the journal: {item!r}")


def pack_event(event: Event) -> bytes | None:
    """What a step that is neither page nor failure holds."""
    match event:
        case Started(seeds=seeds):
            return _pack(seeds)
        case HandedOff(command=command, peer=peer, number=number):
            return _pack((peer, _pack_command(command), number))
        case Operated(commands=commands, by=by, number=number):
            return _pack((by, [_pack_command(command) for command in commands], number))
        case Asked(wish=wish, pages=pages, by=by, number=number, requests=requests):
            return _pack((wish.value, pages, by, number, requests))
        case Marked(url=url, good=good, number=number, by=by):
            return _pack((url, good, number, by) if by else (url, good, number))
        case Told(changed=changed, by=by, number=number):
            return _pack((by, changed, number))
        case Searched(gains=gains, standings=standings, number=number):
            return _pack((gains, standings, number))
        case Blocked(hosts=hosts, off=off, by=by, number=number):
            return _pack((hosts, off, by, number))
        case Planned(policy=policy, place=place, left=left):
            return _pack((policy, place, left))
        case Deferred():
            return _pack(msgspec.structs.astuple(event))
        case Received():
            links = [_pack_command(link) for link in event.links]
            return _squeeze(_pack((event.origin, links, event.known, event.housed, event.copy, event.told)))
        case Joined(members=members, lost=lost):
            return _pack((members, lost))
        case Dismissed(ending=ending):
            return _pack(str(ending))
    return None


def unpack_event(kind: str, blob: bytes | None) -> Event:
    squeezed = kind == KIND["Received"]
    held = None if blob is None else _unpack(_widen(blob) if squeezed else blob)
    match kind, held:
        case "started", list(seeds):
            return Started(seeds=tuple(seeds))
        case "handed-off", [peer, command, *number]:
            enqueue = _unpack_command(command)
            assert isinstance(enqueue, Enqueue)
            return HandedOff(command=enqueue, peer=peer, number=sum(number))
        case "operated", [by, list(commands), *number]:  # in format 1 they had no number
            return Operated(commands=tuple(map(_unpack_command, commands)), by=by, number=sum(number))
        case "asked", [wish, pages, by, number, *requests]:  # earlier folders have none
            return Asked(wish=Wish(wish), pages=pages, by=by, number=number, requests=sum(requests))
        case "marked", [url, good, number, *by]:  # a person's has no name
            return Marked(url=url, good=good, number=number, by="".join(by))
        case "told", [by, list(changed), number]:
            return Told(changed=tuple((url, at) for url, at in changed), by=by, number=number)
        case "searched", [list(gains), list(standings), number]:
            return Searched(
                gains=tuple((url, at, gain) for url, at, gain in gains),
                standings=tuple((url, standing) for url, standing in standings),
                number=number,
            )
        case "blocked", [list(hosts), off, by, number]:
            return Blocked(hosts=tuple(hosts), off=off, by=by, number=number)
        case "planned", [policy, place, left]:
            return Planned(policy=policy, place=place, left=left)
        case "deferred", [*values]:
            told = dict(zip(Deferred.__struct_fields__, values, strict=True))
            return converted(told, Deferred)
        case "received", [origin, list(links), known, housed, copy, told]:
            return Received(
                origin=converted(origin, Origin),
                links=tuple(cast("Enqueue", _unpack_command(link)) for link in links),
                known=tuple(known),
                housed=tuple(converted(each, Housed) for each in housed),
                copy=copy,
                told=told,
            )
        case "joined", [members, lost]:
            return Joined(members=converted(members, Members), lost=tuple(lost))
        case "dismissed", str(ending):
            parsed = Ending.parse(ending)
            assert parsed is not None
            return Dismissed(ending=parsed)
        case "idled", None:
            return Idled()
        case "recovered", None:
            return Recovered()
    raise ValueError(f"no such kind of step in the journal: {kind!r}")


def pack_parcels(parcels: Sequence[Parcel], links: Sequence[Link] = ()) -> bytes | None:
    """What a step sent to other nodes; `links` are those of its page."""
    if not parcels:
        return None
    return _pack(
        [
            (
                parcel.to,
                parcel.number,
                pack_commands(parcel.links, links),
                parcel.depth,
                parcel.page is not None,
                parcel.known,
                parcel.housed,
                parcel.told,
            )
            for parcel in parcels
        ]
    )


def unpack_parcels(
    blob: bytes | None,
    page: Page | None = None,
    targets: Sequence[Url] = (),
    link_at: Callable[[int], Link] | None = None,
) -> tuple[Parcel, ...]:
    """What `pack_parcels` packed, of a step with this page; `targets` and `link_at` as for `unpack_commands`."""
    if blob is None:
        return ()
    return tuple(
        Parcel(
            to=Node(to),
            number=number,
            links=cast("tuple[Enqueue, ...]", unpack_commands(links, targets, link_at)),
            depth=depth,
            page=page if has_page else None,
            known=tuple(known),
            housed=tuple(converted(each, Housed) for each in housed),
            told=told,
        )
        for to, number, links, depth, has_page, known, housed, told in _unpack(blob)
    )


def links_in(blob: bytes) -> int:
    """How many links the parcels of a step hold, without unpacking them."""
    held = (_unpack(_widen(links)) for _, _, links, *_ in _unpack(blob) if links is not None)
    return sum(len(item[1]) if item[0] == _OWN else 1 for items in held for item in items)


def addressed(blob: bytes) -> list[tuple[Node, int]]:
    """To whom the parcels of a step went, and their numbers, without unpacking them."""
    return [(Node(to), number) for to, number, *_ in _unpack(blob)]


def pack_rights(rights: Rights) -> str | None:
    """JSON, as people and other tools read the journal too."""
    return msgspec.json.encode(rights).decode() if rights else None


def unpack_rights(packed: str | None) -> Rights:
    return from_json(packed, Rights) if packed else ()

"""Hosts that are blocked while a crawl goes on: what the journal has, and what waits in the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lycosa.crawls.answers import Block
from lycosa.model.errors import InputError
from lycosa.model.events import Blocked
from lycosa.model.records import Millis
from lycosa.model.url import Host, host_of
from lycosa.spec.derived import start_url
from lycosa.store.history import History
from lycosa.store.inbox import Inbox
from lycosa.store.paths import Paths


def host_named(raw: str) -> Host:
    """The host that a person names, or that of a URL. Raises `InputError` for what is neither.

    >>> host_named("Example.ORG"), host_named("http://example.org:8080/page")
    ('example.org', 'example.org:8080')
    """
    try:
        return host_of(start_url(raw))
    except InputError:
        raise InputError(f"{raw[:200]!r}: is no host; give one like example.org") from None


def blocking(hosts: Sequence[str], *, off: bool, by: str) -> Blocked:
    """What a crawl is told. Raises `InputError` for what is no host."""
    return Blocked(hosts=tuple(dict.fromkeys(map(host_named, hosts))), off=off, by=by)


class Blocks:
    """Those of one folder, also while another process crawls."""

    def __init__(self, path: Path, history: History) -> None:
        self._path, self._history = path, history

    def standing(self) -> list[Block]:
        """The hosts that are blocked now, those that were blocked first come first."""
        found: dict[Host, Block] = {}
        for step, at, said in self._all():
            for host in said.hosts:
                if said.off:
                    found.pop(host, None)
                else:
                    found[host] = _block(said, host, step, at)
        return list(found.values())

    def _all(self) -> list[tuple[int | None, Millis | None, Blocked]]:
        waiting = Inbox(Paths(self._path).inbox).news(self._history.heard())
        heard: list[tuple[int | None, Millis | None, Blocked]] = [*self._history.blockings()]
        return heard + [(None, None, said) for said in waiting if isinstance(said, Blocked)]


def as_said(said: Blocked) -> list[Block]:
    """What is blocked by it, as long as no crawl took it in."""
    return [_block(said, host, None, None) for host in said.hosts]


def _block(said: Blocked, host: Host, step: int | None, at: Millis | None) -> Block:
    return Block(host=host, by=said.by, step=step, at=at)

"""Hosts that somebody blocked while the crawl goes on, and what waits for them to be let in again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from lycosa.frontier.protocol import Frontier
from lycosa.model.commands import Command, Enqueue, Forget, Reprioritize
from lycosa.model.decoding import msgpack_reader
from lycosa.model.records import Request
from lycosa.model.url import Host, Url, host_of

MOST: Final = 100_000
"""Links that are set aside, of all blocked hosts together. Beyond these a link is dropped: it may be found again."""

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgpack_reader(list[Enqueue])


class Blockade:
    """Stands between the gate and the frontier. What may enter but lies on a blocked host is set aside, as it would
    wait, and enters when the host is let in again.

    A visit that is out when its host is blocked comes home. A request that redirects led to a blocked host is set aside
    too, and begins anew.

    Invariants, each the name of a property test:

    * nothing of a blocked host is leased: neither a new page, nor a revisit, nor what a redirect leads to.
    * what waited comes back: after a host is blocked and let in again, what waits is as if nobody had blocked it.
    """

    def __init__(self) -> None:
        self.hosts: dict[Host, str] = {}
        """The blocked ones, and who blocked each."""
        self.dropped = 0
        """Links for which there was no room."""
        self._aside: dict[Host, dict[Url, Enqueue]] = {}

    @property
    def has_said(self) -> bool:
        """Whether there is anything to be kept: nobody blocks hosts of most crawls."""
        return bool(self.hosts or self._aside or self.dropped)

    def __contains__(self, host: Host) -> bool:
        return host in self.hosts

    def aside(self, host: Host) -> int:
        """How many links wait for a host to be let in again."""
        return len(self._aside.get(host, ()))

    def waiting(self, url: Url) -> Enqueue | None:
        """A link that is set aside, as it would enter; None for any other."""
        if not self._aside:  # as in most crawls, of each link
            return None
        return self._aside.get(host_of(url), {}).get(url)

    def holds(self, url: Url) -> bool:
        """Whether a link is set aside that would be pending. Of a revisit its URL is what it was."""
        found = self.waiting(url)
        return found is not None and found.not_before is None

    # -- what somebody says ----------------------------------------------------------------------------------

    def block(self, hosts: Iterable[Host], by: str, frontier: Frontier) -> None:
        """Let nothing of these hosts be fetched, and set aside what waits of them."""
        for host in hosts:
            self.hosts[host] = by
            self.clear(host, frontier)

    def let_in(self, hosts: Iterable[Host]) -> list[Enqueue]:
        """Let these hosts be fetched again. Returns what waited for that, best first."""
        found: list[Enqueue] = []
        for host in hosts:
            self.hosts.pop(host, None)
            found += self._aside.pop(host, {}).values()
        return sorted(found, key=_key)

    def moved(self, is_elsewhere: Callable[[Url], bool]) -> list[Enqueue]:
        """What another node of a shared crawl sees to from now on: it has the same hosts blocked."""
        found: list[Enqueue] = []
        for links in self._aside.values():
            gone = [url for url in links if is_elsewhere(url)]
            found += [links.pop(url) for url in gone]
        return found

    # -- what passes -----------------------------------------------------------------------------------------

    def pass_on(self, commands: Iterable[Command], depth: Callable[[Enqueue], int]) -> Iterator[Command]:
        """The commands that reach the frontier; what concerns links that are set aside is done here."""
        for command in commands:
            match command:
                case Enqueue(url=url) if host_of(url) in self.hosts:
                    self._set_aside(host_of(url), replace(command, depth=depth(command)))
                case Reprioritize(url=url, score=score, tier=tier) if (held := self.waiting(url)) is not None:
                    self._aside[host_of(url)][url] = replace(held, score=score, tier=tier)
                case Forget(url=url) if self.waiting(url) is not None:
                    del self._aside[host_of(url)][url]
                case _:
                    yield command

    def take_out(self, url: Url, way: Sequence[Url], frontier: Frontier) -> None:
        """After a visit that did not end: set its request aside if it waits for a blocked host now, its own or the one
        to which redirects led."""
        host = host_of(way[-1] if way else url)
        if host not in self.hosts:
            return
        waiting = frontier.waiting(url)
        if waiting is not None:
            self._take(host, waiting, frontier)
        else:
            self._take_revisit(host, url, frontier)

    def clear(self, host: Host, frontier: Frontier) -> None:
        """Set aside all that waits of a blocked host."""
        for request in sorted(frontier.pending(host), key=lambda each: (*_key(each), each.order)):
            self._take(host, request, frontier)
        if frontier.revisits:
            for url in list(frontier.known(host)):
                self._take_revisit(host, url, frontier)

    def _take(self, host: Host, request: Request, frontier: Frontier) -> None:
        frontier.apply([Forget(url=request.url)])
        link = Enqueue(
            url=request.url,
            score=request.score,
            tier=request.tier,
            via=request.via,
            refetch=request.known,
            depth=request.depth,
        )
        self._set_aside(host, link)

    def _take_revisit(self, host: Host, url: Url, frontier: Frontier) -> None:
        if (due := frontier.due(url)) is None:
            return
        frontier.apply([Forget(url=url)])
        self._set_aside(host, Enqueue(url=url, refetch=True, not_before=due))

    def _set_aside(self, host: Host, link: Enqueue) -> None:
        """Forward only, as in the frontier; the later of two revisits holds."""
        links = self._aside.setdefault(host, {})
        held = links.get(link.url)
        if held is None:
            if sum(map(len, self._aside.values())) >= MOST:
                self.dropped += 1
                return
        elif link.not_before is None and held.not_before is None:
            if _key(link) >= _key(held):
                return
            link = replace(link, via=link.via or held.via, depth=held.depth)
        links[link.url] = link

    # -- between two runs ------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        aside = {host: _pack(list(links.values())) for host, links in self._aside.items() if links}
        return {"hosts": dict(self.hosts), "aside": aside, "dropped": self.dropped}

    def load(self, state: Mapping[str, Any]) -> None:
        self.hosts = {Host(host): by for host, by in state["hosts"].items()}
        self.dropped = state["dropped"]
        self._aside = {
            Host(host): {link.url: link for link in _unpack(links)} for host, links in state["aside"].items()
        }


def _key(link: Enqueue | Request) -> tuple[int, float]:
    return link.tier, -link.score

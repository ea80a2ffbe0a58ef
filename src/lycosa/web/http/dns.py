"""From a host name to the addresses that may be connected to: DNS and its cache, mappings, rules."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Record
from lycosa.web.http.address import PrivateAddress, is_literal, refusal
from lycosa.web.http.dns_history import DnsHistory
from lycosa.web.http.shortage import is_shortage

Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""Asks the DNS for the addresses of a host, best first. Raises OSError where there are none."""


LOOKUPS_AT_ONCE = 32

ADDRESSES = 16
"""Of one host that are made use of. Honest hosts have a handful, and an answer may hold thousands."""


class UnknownHost(OSError):
    """A host name that has no address."""


class Route(Record, frozen=True, kw_only=True, gc=False):
    """Where to connect for a host and port of a URL."""

    address: str
    """An IP address."""
    port: int
    named: bool = False
    """The user named this address himself: it is allowed, and says nothing on where the host lives."""


class ConnectTo(Record, frozen=True, kw_only=True, gc=False):
    """One ``--connect-to`` rule, as curl has it. None: any host or port, or the one asked for."""

    host: str | None
    port: int | None
    to_host: str | None
    to_port: int | None

    def matches(self, host: str, port: int) -> bool:
        return self.host in (None, host) and self.port in (None, port)


_PART = r"\[[^\]]*\]|[^:\[\]]*"
_RULE = re.compile(rf"({_PART}):({_PART}):({_PART}):({_PART})")


def parse_connect_to(rule: str) -> ConnectTo:
    """Read ``HOST:PORT:ADDRESS:PORT``; IPv6 addresses in brackets.

    An empty host or port, or ``*``, matches any; an empty address or port keeps the one asked for.
    InputError if it cannot be read.
    """
    found = _RULE.fullmatch(rule.strip())
    if not found:
        raise InputError(
            f"--connect-to {rule!r} does not have four parts: write HOST:PORT:ADDRESS:PORT, an IPv6 address "
            "in brackets, as in *:80:[::1]:8080"
        )
    host, port, to_host, to_port = found.groups()
    if to_host == "*" or to_port == "*":
        raise InputError(f"--connect-to {rule!r}: '*' cannot be a target; leave the part empty to keep it")
    return ConnectTo(
        host=None if host in ("", "*") else _bare(host, rule),
        port=None if port in ("", "*") else _port(port, rule),
        to_host=_bare(to_host, rule) if to_host else None,
        to_port=_port(to_port, rule) if to_port else None,
    )


def _bare(host: str, rule: str) -> str:
    if not host.startswith("["):
        return host.lower()
    bare = host[1:-1].lower()
    try:
        refusal(bare)
    except ValueError:
        raise InputError(f"--connect-to {rule!r}: {host} is not an IPv6 address in brackets") from None
    return bare


def _port(text: str, rule: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise InputError(f"--connect-to {rule!r}: {text!r} is not a port; give a number from 1 to 65535")
    return int(text)


async def system_lookup(host: str) -> list[str]:
    """Ask the operating system's resolver, in a thread."""
    return await asyncio.get_running_loop().run_in_executor(_threads(), _ask_system, host)


def _ask_system(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    except OSError:
        socket.socket().close()  # where there is no socket for the question, this says so; the resolver may not
        raise
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads for lookups only. The loops' own pools have 4 to 6: a few dead name servers would fill them."""
    return ThreadPoolExecutor(LOOKUPS_AT_ONCE, thread_name_prefix="dns")


class Resolver:
    """Addresses of host names: fixed entries first, then a cache, then the DNS.

    Invariants, each the name of a property test:

    * single flight: however many ask for a host at once, it is looked up once; who gives up stops no one.
    * bounded: at most `capacity` hosts are remembered; the one unused for longest goes first.
    * fresh: no answer is older than `ttl`, no failure older than `negative_ttl` (both in seconds). What this
      machine was short of is no failure of the host, and not remembered at all.
    * patient to a point: a lookup without an answer fails after `patience` seconds.
    """

    def __init__(
        self,
        *,
        lookup: Lookup = system_lookup,
        hosts: Mapping[str, Sequence[str]] | None = None,
        ttl: float = 600.0,
        negative_ttl: float = 60.0,
        patience: float = 20.0,
        capacity: int = 100_000,
        history: DnsHistory | None = None,
    ) -> None:
        self._lookup = lookup
        self._fixed = {host.lower(): tuple(addresses) for host, addresses in (hosts or {}).items()}
        self._ttl = ttl
        self._negative_ttl = negative_ttl
        self._patience = patience
        self._capacity = capacity
        self._cache: OrderedDict[str, tuple[float, tuple[str, ...], str]] = OrderedDict()
        self._flights: dict[str, asyncio.Task[tuple[str, ...]]] = {}
        self.history = history

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The IP addresses of a host, best first, never empty. UnknownHost if there are none, another OSError if
        this machine was short of something and could not ask."""
        fixed = self._fixed.get(host)
        if fixed:
            return fixed
        known = self._cache.get(host)
        if known and time.monotonic() < known[0]:
            self._cache.move_to_end(host)
            if known[1]:
                return known[1]
            raise UnknownHost(known[2])
        flight = self._flights.get(host)
        if flight is None:
            flight = asyncio.create_task(self._fly(host))
            self._flights[host] = flight
            flight.add_done_callback(lambda task: self._land(host, task))
        return await asyncio.shield(flight)

    async def _fly(self, host: str) -> tuple[str, ...]:
        try:
            async with asyncio.timeout(self._patience):
                found = tuple(await self._lookup(host))[:ADDRESSES]
            problem = "" if found else f"{host} has no address"
        except TimeoutError:
            found, problem = (), f"{host} was not found: no answer in {self._patience:g} s"
        except (OSError, UnicodeError) as error:
            if is_shortage(error):
                raise
            found, problem = (), f"{host} was not found: {getattr(error, 'strerror', None) or error}"
        ttl = self._ttl if found else self._negative_ttl
        self._cache[host] = (time.monotonic() + ttl, found, problem)
        self._cache.move_to_end(host)
        while len(self._cache) > self._capacity:
            self._cache.popitem(last=False)
        if not found:
            raise UnknownHost(problem)
        if self.history is not None:
            self.history.observe(host, found, Millis(time.time_ns() // 1_000_000))
        return found

    def _land(self, host: str, task: asyncio.Task[tuple[str, ...]]) -> None:
        self._flights.pop(host, None)
        if not task.cancelled():
            task.exception()  # looked at, so that a failure nobody waits for is not reported as forgotten


class Router:
    """Decides where to connect, and refuses what is not on the public internet.

    Invariants, each the name of a property test:

    * public only: unless `allow_private`, no route leads to an address with a `refusal`, but where a rule of
      `connect_to` names its target or the target is `trusted` (a proxy that the user set).
    * checked as used: routes are IP addresses, so what is checked is what is connected to; `vet` looks once
      more at the very address of each socket.
    """

    def __init__(
        self,
        resolver: Resolver | None = None,
        *,
        connect_to: Iterable[ConnectTo] = (),
        allow_private: bool = False,
        trusted: Iterable[tuple[str, int]] = (),
    ) -> None:
        self.resolver = resolver or Resolver()
        self.connect_to = tuple(connect_to)
        self.allow_private = allow_private
        self._trusted = set(trusted)
        self._named: set[tuple[str, int]] = set()

    def trust(self, host: str, port: int) -> None:
        """Allow one host and port wherever it lies: a proxy is the user's word."""
        self._trusted.add((host, port))

    async def routes(self, host: str, port: int) -> list[Route]:
        """Where to connect for a host (a name, or an IP address without brackets) and a port, best first.

        UnknownHost if it has no address, PrivateAddress if none of its addresses may be used.
        """
        rule = next((rule for rule in self.connect_to if rule.matches(host, port)), None)
        named = (rule is not None and rule.to_host is not None) or (host, port) in self._trusted
        if rule is not None:
            host = rule.to_host if rule.to_host is not None else host
            port = rule.to_port if rule.to_port is not None else port
        addresses = (host,) if is_literal(host) else await self.resolver.addresses(host.rstrip("."))
        if named:
            self._named.update((address, port) for address in addresses)
        elif not self.allow_private:
            addresses = _public(host, addresses)
        return [Route(address=address, port=port, named=named) for address in addresses]

    def refuse_literal(self, host: str) -> None:
        """PrivateAddress if a host is itself an address that may not be connected to. For use behind a proxy,
        which resolves names out of our sight."""
        if not self.allow_private and is_literal(host):
            _public(host, (host,))

    def vet(self, address: str, port: int) -> None:
        """PrivateAddress if a socket may not be connected to this address."""
        if not self.allow_private and (address, port) not in self._named:
            _public(address, (address,))


def _public(host: str, addresses: Sequence[str]) -> tuple[str, ...]:
    refused = {address: why for address in addresses if (why := refusal(address))}
    allowed = tuple(address for address in addresses if address not in refused)
    if allowed:
        return allowed
    address, why = next(iter(refused.items()))
    where = address if address == host else f"{host} ({address})"
    raise PrivateAddress(f"{where} is not on the public internet: {why}; --allow-private lets it in")

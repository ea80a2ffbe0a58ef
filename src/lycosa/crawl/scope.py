"""Where a crawl may go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import Literal

from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Host, Url, domain_of, host_of, name_of, port_of, surt

SITES = 4_096
"""Hosts of which a scope keeps what it says of them."""


class Scope(Record, frozen=True, kw_only=True, dict=True):
    """Rules about URLs. The empty scope admits every http(s) URL at any depth.

    A URL must lie in one of the places, if `hosts`, `domains` or `surts` name any; match one of `include`, if
    there are any; and match none of `exclude`. Raises :class:`InputError` for a pattern that cannot be read.

    Invariant, the name of a property test:

    * more exclusion never admits more: one more pattern in `exclude`, a smaller `max_depth` or fewer `ports` never
      admit what was refused.
    """

    hosts: tuple[str, ...] = ()
    """Exact names, with the port if it is not the default one: ``www.example.org``, ``example.org:8080``."""
    domains: tuple[str, ...] = ()
    """A domain and all names below it, on any port: ``example.org`` covers ``www.example.org``."""
    surts: tuple[str, ...] = ()
    """Prefixes of archive keys (:func:`lycosa.model.url.surt`): ``org,example)/docs/``."""
    include: tuple[str, ...] = ()
    """Regular expressions, looked for anywhere in the URL."""
    exclude: tuple[str, ...] = ()
    ports: tuple[int, ...] | None = None
    """Ports that may be asked besides 80 and 443; None: any. Behind others there are seldom pages, and often
    services that a crawler should not talk to."""
    max_depth: int | None = None
    """Links from a start page; 0 is the start pages alone."""
    schemes: tuple[str, ...] = ("http", "https")

    def __post_init__(self) -> None:
        for field in ("include", "exclude"):
            for pattern in getattr(self, field):
                try:
                    re.compile(pattern)
                except re.error as error:
                    message = (
                        f"scope.{field}: {pattern!r} is no regular expression ({error}); correct or drop it"
                    )
                    raise InputError(message) from None

    @classmethod
    def around(cls, seeds: Iterable[Url], how: Literal["host", "domain"] = "host") -> Scope:
        """The hosts of the start pages, or the domains they belong to, and nothing else."""
        hosts = dict.fromkeys(host_of(seed) for seed in seeds)
        if how == "host":
            return cls(hosts=tuple(hosts))
        return cls(domains=tuple(dict.fromkeys(domain_of(host) for host in hosts)))

    def refuses(self, url: Url, depth: int) -> str | None:
        """Why the crawl may not go to `url`, found `depth` links from a start page; None if it may."""
        parts = url.split("/", 3)
        host = parts[2]
        refusal, lies_within = self._of_site(parts[0], host)
        if refusal is not None:
            return refusal
        if self.max_depth is not None and depth > self.max_depth:
            return f"it is {depth} links from the start pages, the scope ends at {self.max_depth}"
        if not lies_within and not (self.surts and surt(url).startswith(self._surts)):
            return f"{host} is outside the {self._places} of the scope"
        for pattern in self._exclude:
            if pattern.search(url):
                return f"it matches the excluded pattern {pattern.pattern!r}"
        if self._include and not any(pattern.search(url) for pattern in self._include):
            return "it matches none of the included patterns"
        return None

    def refuses_port(self, url: Url) -> str | None:
        """Why the port of `url` may not be asked; None if it may."""
        if self.ports is None or (port := port_of(url)) in (80, 443) or port in self.ports:
            return None
        return f"port {port} is neither 80, 443 nor that of a start page; --port {port} lets it in"

    @cached_property
    def _of_site(self) -> Callable[[str, str], tuple[str | None, bool]]:
        """Why nothing of a scheme (``http:``) and a host may be had, and whether the host is one of the places: kept
        for the hosts at hand, as most links of a page lead to the same few."""
        return lru_cache(maxsize=SITES)(self._judged)

    def _judged(self, scheme: str, host: str) -> tuple[str | None, bool]:
        if scheme not in self._schemes:
            return f"the scheme {scheme[:-1]} is not among {', '.join(self.schemes)}", False
        lies_within = (
            not self._places
            or host in self._hosts
            or (bool(self.domains) and ("." + name_of(Host(host))).endswith(self._domain_ends))
        )
        return self.refuses_port(Url(f"{scheme}//{host}/")), lies_within

    @cached_property
    def _places(self) -> str:
        named = {"hosts": self.hosts, "domains": self.domains, "SURT prefixes": self.surts}
        return " and ".join(kind for kind, places in named.items() if places)

    @cached_property
    def _schemes(self) -> frozenset[str]:
        return frozenset(scheme + ":" for scheme in self.schemes)

    @cached_property
    def _hosts(self) -> frozenset[str]:
        return frozenset(host.lower() for host in self.hosts)

    @cached_property
    def _domain_ends(self) -> tuple[str, ...]:
        return tuple("." + domain.lower().strip(".") for domain in self.domains)

    @cached_property
    def _surts(self) -> tuple[str, ...]:
        return tuple(prefix.lower() for prefix in self.surts)

    @cached_property
    def _include(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(pattern) for pattern in self.include)

    @cached_property
    def _exclude(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(pattern) for pattern in self.exclude)

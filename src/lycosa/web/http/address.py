"""Which IP addresses a crawler may connect to. Pages link to anything; a crawl must not become a way into the
network that it runs in (OWASP: server-side request forgery)."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

# IANA special-purpose address registries (RFC 6890 and updates), written out because the tables behind
# `ipaddress.is_global` differ between patch releases of Python.
_REFUSED_4 = {
    "this network (RFC 791)": "0.0.0.0/8",
    "private (RFC 1918)": "10.0.0.0/8",
    "shared by carriers (RFC 6598)": "100.64.0.0/10",
    "loopback (RFC 1122)": "127.0.0.0/8",
    "link-local, cloud metadata (RFC 3927)": "169.254.0.0/16",
    "private (RFC 1918), second block": "172.16.0.0/12",
    "protocol assignments (RFC 6890)": "192.0.0.0/24",
    "documentation (RFC 5737)": "192.0.2.0/24",
    "6to4 relay (RFC 7526)": "192.88.99.0/24",
    "private (RFC 1918), third block": "192.168.0.0/16",
    "benchmarking (RFC 2544)": "198.18.0.0/15",
    "documentation (RFC 5737), second block": "198.51.100.0/24",
    "documentation (RFC 5737), third block": "203.0.113.0/24",
    "multicast (RFC 5771)": "224.0.0.0/4",
    "reserved or broadcast (RFC 1112)": "240.0.0.0/4",
    # Global by the registry, yet answered inside the host's own cloud.
    "cloud metadata (Azure)": "168.63.129.16/32",
}
_REFUSED_6 = {
    "unspecified, loopback or IPv4-compatible (RFC 4291)": "::/96",
    "local-use NAT64 (RFC 8215)": "64:ff9b:1::/48",
    "discard-only (RFC 6666)": "100::/64",
    "dummy prefix (RFC 9780)": "100:0:0:1::/64",
    "protocol assignments, Teredo (RFC 2928, RFC 4380)": "2001::/23",
    "documentation (RFC 3849)": "2001:db8::/32",
    "documentation (RFC 9637)": "3fff::/20",
    "segment routing (RFC 9602)": "5f00::/16",
    "unique local, cloud metadata (RFC 4193)": "fc00::/7",
    "link-local (RFC 4291)": "fe80::/10",
    "site-local (RFC 3879)": "fec0::/10",
    "multicast (RFC 4291)": "ff00::/8",
}
_NETWORKS_4 = [(IPv4Network(network), what) for what, network in _REFUSED_4.items()]
_NETWORKS_6 = [(IPv6Network(network), what) for what, network in _REFUSED_6.items()]

_MAPPED = IPv6Network("::ffff:0:0/96")
_TRANSLATED = IPv6Network("::ffff:0:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")


_DOTTED_QUAD = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")


class PrivateAddress(OSError):
    """A connection that was not made, as its address is not on the public internet."""


@lru_cache(maxsize=65536)
def refusal(address: str) -> str | None:
    """Why no connection may be made to an IP address (``loopback (RFC 1122)``); None if it is public.

    IPv6 addresses that carry an IPv4 address (mapped, translated, NAT64, 6to4) are judged by what they carry.
    A zone (``fe80::1%eth0``) is passed over. ValueError if it is no IP address.
    """
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        carried = _carried(parsed)
        if carried is None:
            return next((what for network, what in _NETWORKS_6 if parsed in network), None)
        parsed = carried
    return next((what for network, what in _NETWORKS_4 if parsed in network), None)


def _carried(address: IPv6Address) -> IPv4Address | None:
    number = int(address)
    if address in _MAPPED or address in _TRANSLATED or address in _NAT64:
        return IPv4Address(number & 0xFFFFFFFF)
    if address in _6TO4:
        return IPv4Address(number >> 80 & 0xFFFFFFFF)
    return None


def is_literal(host: str) -> bool:
    """Whether a host of a canonical URL is written as an IP address, without brackets."""
    return ":" in host or _DOTTED_QUAD.fullmatch(host) is not None

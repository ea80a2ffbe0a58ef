"""URLs in canonical form, so that one page has one name."""

from __future__ import annotations

from typing import NewType

import ada_url

Url = NewType("Url", str)
"""A canonical absolute http(s) URL; only :func:`canonical` and tests mint one."""

Host = NewType("Host", str)
"""Host name and, unless it is the scheme's default, port: ``example.org``, ``example.org:8080``."""


def canonical(raw: str, base: str | None = None) -> Url:
    return Url(ada_url.URL(raw, base).href if base else ada_url.URL(raw).href)


def host_of(url: Url) -> Host:
    """The host and port of a canonical URL."""
    return Host(url.split("/", 3)[2])

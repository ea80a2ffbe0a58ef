"""Where a server listens, by which names it is called, and who may ask there."""

from __future__ import annotations

import hmac
import secrets
import socket
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Final

from lycosa.model.errors import InputError

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
ANY_ADDRESS: Final = ("0.0.0.0", "::", "")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host of this name."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in LOOPBACK


def names_of(host: str, port: int) -> list[str]:
    """The values of `Host` by which a server at this address is called; none where that cannot be told.

    Whoever asks for another name is refused, so a page of the web whose name is made to point here learns nothing (DNS
    rebinding).
    """
    if host in ANY_ADDRESS:
        return []
    named = LOOPBACK if host in ("127.0.0.1", "::1", "localhost") else (f"[{host}]" if ":" in host else host,)
    return [f"{name}:{port}" for name in named] + ([*named] if port == 80 else [])


def bound(host: str, port: int) -> socket.socket:
    """A socket on a port; 0: any that is free. Raises `InputError`."""
    try:
        family, kind, number, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, number)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(where)
        found.listen()  # whoever is told the address may come at once
    except OSError as error:
        what = error.strerror or str(error)
        raise InputError(
            f"{host}:{port}: cannot be served there: {what}; choose another with --port"
        ) from None
    return found


def token_for(host: str, given: str = "") -> str:
    """Without what nobody may ask: what was given, else one that is made up, unless only this machine can ask."""
    return given or ("" if is_loopback(host) else secrets.token_urlsafe(24))


def is_token(shown: str, token: str) -> bool:
    """Whether the right token was shown, told in the same time whatever was shown."""
    return hmac.compare_digest(shown.encode(), token.encode())


def shows_token(headers: Mapping[str, str], token: str) -> bool:
    """Whether a request has the token as its bearer token (RFC 6750). `headers` by names in small letters."""
    kind, _, shown = headers.get("authorization", "").partition(" ")
    return kind.lower() == "bearer" and is_token(shown, token)

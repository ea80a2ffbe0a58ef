"""Addresses on the other origin: each opens one capture of one crawl, and only who was given it knows it."""

from __future__ import annotations

import hmac
import secrets
from typing import Final
from urllib.parse import urlencode

from lycosa.model.records import Millis

PATH: Final = "/shown"


class Seal:
    """Makes such addresses, and knows its own.

    Cookies do not tell ports apart, so the other origin asks for none. An address carries the right to what it names
    instead: a keyed digest (HMAC-SHA-256, RFC 2104) of crawl, URL and time. The key is made when the server begins, so
    an address is worth nothing after it ends.

    Invariant, the name of a test:

    * one address, one capture: no part of an address can be changed.
    """

    def __init__(self, origin: str) -> None:
        """`origin` is the other one; empty: there is none, and so no address."""
        self.origin = origin
        self._key = secrets.token_bytes(32)

    def address(self, name: str, url: str, at: Millis) -> str:
        """Where the capture of a URL at a time can be seen; empty if there is no other origin."""
        if not self.origin:
            return ""
        asked = {"crawl": name, "url": url, "at": str(at), "seal": self._sealed(name, url, str(at))}
        return f"{self.origin}{PATH}?{urlencode(asked)}"

    def is_mine(self, name: str, url: str, at: str, seal: str) -> bool:
        return hmac.compare_digest(self._sealed(name, url, at).encode(), seal.encode())

    def _sealed(self, *parts: str) -> str:
        whole = b"".join(f"{len(part.encode())}:".encode() + part.encode() for part in parts)
        return hmac.new(self._key, whole, "sha256").hexdigest()

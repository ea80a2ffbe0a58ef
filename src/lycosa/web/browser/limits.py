"""What a page may take of a browser."""

from __future__ import annotations

from lycosa.model.records import Record


class BrowserLimits(Record, frozen=True, kw_only=True, gc=False):
    """Limits of one page, and of the browser as a whole."""

    seconds: float = 10.0
    """For what the page does while it waits for no answer."""
    patience: float = 120.0
    """Seconds for all, answers included: whoever answers may have to wait for the turn of a host."""
    requests: int = 300
    """Requests of one page; further ones are refused."""
    received: int = 64 << 20
    """Bytes of all answers to one page; further requests are refused."""
    markup: int = 8 << 20
    """Characters of the markup that is made of it; the rest is cut off."""
    memory: int = 1536 << 20
    """Bytes of all processes of the browser. Where they have more, the largest page is ended."""

"""Where a redirect leads."""

from __future__ import annotations

from lycosa.model.records import Response


def location(response: Response) -> str | None:
    """The Location of a response, fit to be resolved against its URL; None without one.

    Bytes outside ASCII, in whatever encoding the server wrote them, become percent escapes, as it will want
    them back just so (browsers do the same).
    """
    value = response.header("location")
    if not value or value.isascii():
        return value or None
    raw = value.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in raw)

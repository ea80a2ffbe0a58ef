"""Content codings undone while a body arrives, with an end to what they may unfold to (RFC 9110 8.4)."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

PIECE = 32 * 1024
"""Bytes that a coding unfolds at a time. Of a broken stream, the piece with the break in it is lost."""

FLOOR = 1024 * 1024
"""Below this many bytes no ratio is suspicious: a page of blanks is small anyway."""

RATIO = 200
"""Bytes out per byte in, beyond which a body above the floor is a bomb. HTML packs 3 to 20 times; deflate's
own limit is 1032 (zlib technical notes, "maximum compression factor")."""

MAX_CODINGS = 4
"""Codings stacked on one body. Honest servers use one."""

MAX_MEMBERS = 1000
"""Members or frames of one body. Honest servers send one; each costs as much as some hundred bytes."""

_ZSTD_SLICE = 512
"""The zstd binding knows no output limit. A block of 128 KiB takes at least 4 bytes (RFC 8878 3.1.1.2), so
that this much input unfolds to 16 MiB at the very most."""

_ZSTD_WINDOW = 8 * 1024 * 1024
"""The largest window of the zstd content coding (RFC 9659 3)."""


class BrokenCoding(Exception):
    """The bytes are not what the content coding says."""


class _Coder(Protocol):
    @property
    def finished(self) -> bool: ...

    def pieces(self, chunk: bytes) -> Iterator[bytes]: ...


class Body:
    """The body of a response as it arrives: decoded, and never longer than its limit.

    Invariants, each the name of a property test:

    * bounded: `take` returns at most `limit` bytes, and at most `max(FLOOR, RATIO × bytes fed)`. Of a coded
      body no more is wanted once `limit` bytes were fed.
    * as one: however a whole body that is no bomb is cut into chunks, the result is the same.
    """

    __slots__ = ("_coders", "_limit", "_parts", "_raw", "_size", "broken", "truncated")

    def __init__(self, content_encoding: str, limit: int) -> None:
        """`content_encoding` is the header's value, with the values of repeated headers joined by commas.

        Raises BrokenCoding if it stacks more than MAX_CODINGS codings.
        """
        self._coders = _coders(content_encoding) if content_encoding else ()
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._raw = 0
        self.truncated = ""
        """``length`` beyond the limit or a bomb, ``unspecified`` where the coding broke; empty if whole."""
        self.broken = ""
        """What was wrong with the coding."""

    def feed(self, chunk: bytes) -> bool:
        """Take the next bytes off the wire. False: nothing more is wanted."""
        self._raw += len(chunk)
        if not self._coders:
            return self._add(chunk, self._limit)
        allowed = min(self._limit, max(FLOOR, RATIO * self._raw))
        try:
            wanted = all(self._add(piece, allowed) for piece in _unfold(self._coders, chunk))
        except BrokenCoding as error:
            self.truncated, self.broken = "unspecified", str(error)
            return False
        # Padding and empty blocks unfold to nothing, and could go on for ever.
        if self._raw > self._limit and not self.truncated:
            self.truncated = "length"
        return wanted and not self.truncated

    def _add(self, piece: bytes, allowed: int) -> bool:
        room = allowed - self._size
        if len(piece) > room:
            piece = piece[:room]
            self.truncated = "length"
        self._parts.append(piece)
        self._size += len(piece)
        return not self.truncated

    def end(self) -> None:
        """No more bytes will come. A coding that waits for some was cut by the server."""
        if self._raw and not self.truncated and not all(coder.finished for coder in self._coders):
            self.truncated, self.broken = "unspecified", "the coded body ends too early"

    @property
    def size(self) -> int:
        """Decoded bytes so far."""
        return self._size

    def take(self) -> bytes:
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)


def _unfold(coders: Sequence[_Coder], chunk: bytes) -> Iterator[bytes]:
    if len(coders) == 1:
        yield from coders[0].pieces(chunk)
        return
    for piece in coders[0].pieces(chunk):
        yield from _unfold(coders[1:], piece)


def _coders(content_encoding: str) -> tuple[_Coder, ...]:
    """Coders in the order of decoding: the last coding named was applied last.

    Names that are no coding (``utf-8``, ``none``, as some servers send) are passed over, as browsers do.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    makers = [_CODERS[name] for name in reversed(names) if name in _CODERS]
    if len(makers) > MAX_CODINGS:
        raise BrokenCoding(f"{len(makers)} content codings on one body; at most {MAX_CODINGS} are undone")
    return tuple(maker() for maker in makers)


class _Gzip:
    """gzip of one or more members (RFC 1952 2.2). Other bytes after a member are padding and passed over."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)
        self._over = False
        self._members = 1

    @property
    def finished(self) -> bool:
        return self._over or self._inflate.eof

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        while chunk and not self._over:
            if self._inflate.eof:
                if not chunk.startswith(b"\x1f"):
                    self._over = True
                    return
                self._inflate = zlib.decompressobj(wbits=31)
                self._members = _one_more(self._members)
            yield from _inflated(self._inflate, chunk)
            chunk = self._inflate.unused_data


def _one_more(members: int) -> int:
    if members >= MAX_MEMBERS:
        raise BrokenCoding(f"the coded body has more than {MAX_MEMBERS} members")
    return members + 1


class _Deflate:
    """The ``deflate`` coding: zlib format (RFC 1950) by the book, bare deflate (RFC 1951) by many servers."""

    def __init__(self) -> None:
        self._inflate: zlib._Decompress | None = None
        self._head = b""

    @property
    def finished(self) -> bool:
        return self._inflate is not None and self._inflate.eof

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        if self._inflate is None:
            chunk = self._head + chunk
            if len(chunk) < 2:
                self._head = chunk
                return
            # RFC 1950 2.2: method 8 in the low bits, the first two bytes together a multiple of 31.
            by_the_book = chunk[0] & 0x0F == 8 and (chunk[0] << 8 | chunk[1]) % 31 == 0
            self._inflate = zlib.decompressobj(wbits=15 if by_the_book else -15)
        if not self._inflate.eof:
            yield from _inflated(self._inflate, chunk)


def _inflated(inflate: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    more = True
    while more:
        try:
            piece = inflate.decompress(chunk, PIECE)
        except zlib.error as error:
            raise BrokenCoding(f"the body is not valid gzip or deflate: {error}") from None
        if piece:
            yield piece
        chunk = inflate.unconsumed_tail
        # A full piece may leave output waiting though all input is taken.
        more = not inflate.eof and (bool(chunk) or len(piece) >= PIECE)


class _Brotli:
    """Brotli (RFC 7932)."""

    def __init__(self) -> None:
        # Imported here, as most crawls of archives and many hosts never need it. The package has no types.
        import brotli

        self._decoder = brotli.Decompressor()
        self._error: type[Exception] = brotli.error

    @property
    def finished(self) -> bool:
        return bool(self._decoder.is_finished())

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        decoder = self._decoder
        more = not decoder.is_finished()
        while more:
            try:
                piece: bytes = decoder.process(chunk, output_buffer_limit=PIECE)
            except self._error as error:
                raise BrokenCoding(f"the body is not valid brotli: {error}") from None
            if piece:
                yield piece
            chunk = b""
            # A full piece may leave output waiting though all input is taken.
            more = not decoder.is_finished() and (not decoder.can_accept_more_data() or len(piece) >= PIECE)


class _Zstd:
    """Zstandard (RFC 8878), windows up to 8 MiB."""

    def __init__(self) -> None:
        import zstandard  # here, for the same reason

        self._decoder = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
        self._frame = self._decoder.decompressobj()
        self._frames = 1
        self._error: type[Exception] = zstandard.ZstdError

    @property
    def finished(self) -> bool:
        return self._frame.eof

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        for start in range(0, len(chunk), _ZSTD_SLICE):
            rest = chunk[start : start + _ZSTD_SLICE]
            while rest:
                if self._frame.eof:
                    self._frame = self._decoder.decompressobj()
                    self._frames = _one_more(self._frames)
                try:
                    piece = self._frame.decompress(rest)
                except self._error as error:
                    raise BrokenCoding(f"the body is not valid zstd: {error}") from None
                if piece:
                    yield piece
                rest = self._frame.unused_data if self._frame.eof else b""


_CODERS: dict[str, Callable[[], _Coder]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}

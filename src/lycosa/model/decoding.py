"""Records from JSON and MessagePack, in any number of threads.

msgspec learns a type when it meets it first, and is not safe while it does: two threads that meet the same record at
once can end the process. So all types are met here, one at a time; what was met once is read without a lock.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar, cast, overload

import msgspec

Kind = TypeVar("Kind")

_meeting = Lock()
_met: set[Any] = set()


def from_json(encoded: bytes | str, kind: type[Kind]) -> Kind:
    """Raises `msgspec.ValidationError` for what is of another type, `msgspec.DecodeError` for what is no JSON."""
    _meet(kind)
    return msgspec.json.decode(encoded, type=kind)


def from_msgpack(encoded: bytes | memoryview, kind: type[Kind]) -> Kind:
    """Raises `msgspec.ValidationError` for what is of another type, `msgspec.DecodeError` for what is no such
    message."""
    _meet(kind)
    return msgspec.msgpack.decode(encoded, type=kind)


@overload
def converted(value: object, kind: type[Kind], *, strict: bool = True) -> Kind: ...
@overload
def converted(value: object, kind: Any, *, strict: bool = True) -> Any: ...
def converted(value: object, kind: Any, *, strict: bool = True) -> Any:
    """The value of the type for which plain lists, mappings and texts stand. Raises `msgspec.ValidationError`."""
    _meet(kind)
    return msgspec.convert(value, kind, strict=strict)


@overload
def json_reader(kind: type[Kind], *, strict: bool = True) -> Callable[[bytes | str], Kind]: ...
@overload
def json_reader(kind: Any, *, strict: bool = True) -> Callable[[bytes | str], Any]: ...
def json_reader(kind: Any, *, strict: bool = True) -> Callable[[bytes | str], Any]:
    """`from_json` for one type, faster."""
    _meet(kind)
    return cast("Callable[[bytes | str], Any]", msgspec.json.Decoder(kind, strict=strict).decode)


def msgpack_reader(kind: type[Kind]) -> Callable[[bytes], Kind]:
    """`from_msgpack` for one type, faster."""
    _meet(kind)
    return cast("Callable[[bytes], Kind]", msgspec.msgpack.Decoder(kind).decode)


def _meet(kind: Any) -> None:
    if kind not in _met:
        with _meeting:
            msgspec.msgpack.Decoder(kind)
            _met.add(kind)

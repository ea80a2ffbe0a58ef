"""Long lists of a snapshot as one run of bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from struct import Struct
from typing import Any, Final, cast

import msgspec

_HEAD: Final = Struct(">BI")
_ARRAY_32: Final = 0xDD
_encoder: Final = msgspec.msgpack.Encoder()


def packed(count: int, items: Iterable[object]) -> bytearray:
    """So many items as one list in MessagePack. They are packed one by one: as plain values all of them would be in
    memory at once, in many small blocks among others that stay."""
    found = bytearray(_HEAD.pack(_ARRAY_32, count))
    for item in items:
        _encoder.encode_into(item, found, -1)
    return found


def listed(saved: Any) -> Sequence[Any]:
    """What `packed` was given, in plain values. Snapshots of earlier versions have a list, or a mapping for pairs."""
    if isinstance(saved, bytes | bytearray | memoryview):
        return cast("list[Any]", msgspec.msgpack.decode(saved))
    return list(saved.items()) if isinstance(saved, Mapping) else saved

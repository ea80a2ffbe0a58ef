"""Which payloads an archive has already."""

from __future__ import annotations

from lycosa.model.records import RecordRef

KNOWN_PAYLOADS = 100_000
"""How many of the latest payloads are remembered to recognise their copies: about 25 MB."""


class Payloads:
    """Where the latest payloads lie, by digest. Holds at most `limit` of them; those asked for stay
    longest.
    """

    def __init__(self, limit: int = KNOWN_PAYLOADS) -> None:
        self._half = max(1, limit // 2)
        self._young: dict[str, RecordRef] = {}
        self._old: dict[str, RecordRef] = {}

    def get(self, digest: str) -> RecordRef | None:
        ref = self._young.get(digest)
        if ref is None and (ref := self._old.get(digest)):
            self.add(digest, ref)
        return ref

    def add(self, digest: str, ref: RecordRef) -> None:
        """Two generations in place of a list by age: the older half goes at once, which costs nothing a
        payload.
        """
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[digest] = ref

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

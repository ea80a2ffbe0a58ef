"""What a reference says. Apart from what reads it, which takes long to import."""

from __future__ import annotations

from lycosa.model.records import Record


class CitedWork(Record, frozen=True, kw_only=True):
    """A reference: what it says, and the chance that title, year and first author are told right."""

    text: str
    authors: tuple[str, ...] = ()
    title: str = ""
    year: int | None = None
    confidence: float = 0.0

"""What `--web` names: the live web, recordings, archives elsewhere, or several of them."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

LIVE, RECORDED = "live", "recorded:"

_ARCHIVE = re.compile(r"(?:cc|wayback|pywb|cdx):")


class Named(msgspec.Struct, frozen=True):
    """The parts of a web. The first that has a page answers: recordings, then archives in their order, then the live
    web."""

    recordings: tuple[Path, ...] = ()
    archives: tuple[str, ...] = ()
    """As they were written: `cc:…`, `wayback:…`, `pywb:…`, `cdx:…`."""
    live: bool = False

    @property
    def is_recorded(self) -> bool:
        """Whether all of it is on this machine, so that time can be virtual."""
        return not (self.live or self.archives)

    @property
    def is_mixed(self) -> bool:
        return self.live and bool(self.recordings or self.archives)

    @property
    def in_words(self) -> str:
        """What it is, for a person who reads of a crawl."""
        if self.is_mixed:
            return "the live web and what is archived of it"
        if self.live:
            return "the live web"
        return "a recorded web" if self.is_recorded else f"the archive {' and '.join(self.archives)}"

    def __str__(self) -> str:
        recordings = [RECORDED + ",".join(map(str, self.recordings))] if self.recordings else []
        return ",".join([*([LIVE] if self.live else []), *recordings, *self.archives])


def web_of(written: str) -> Named:
    """The parts of a web as a person writes it, parted by commas: `live`, `PATH` or `recorded:PATH`, or an archive.

    What is there as a path is one, though it has a comma itself.
    """
    if written == LIVE:
        return Named(live=True)
    whole = written.removeprefix(RECORDED)
    if whole and not _ARCHIVE.match(whole) and Path(whole).exists():
        return Named(recordings=(Path(whole),))
    parts = [part for part in written.split(",") if part]
    return Named(
        recordings=tuple(
            Path(path)
            for part in parts
            if part != LIVE and not _ARCHIVE.match(part) and (path := part.removeprefix(RECORDED))
        ),
        archives=tuple(part for part in parts if _ARCHIVE.match(part)),
        live=LIVE in parts,
    )

"""What somebody browses, from a log that may still be growing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from lycosa.model.errors import InputError
from lycosa.model.url import Url, canonical
from lycosa.sources.log_lines import LogHit, read_line

_LINE = re.compile(r"(?:(?P<at>\S+(?: \d\d:\d\d:\d\d\S*)?)\s+)?(?P<url>https?://\S+)\s*$", re.IGNORECASE)


def browsed(line: str) -> Url | None:
    """The page of a line of a browse log; None for a comment, an empty line, and what is no page that was seen.

    A line is a URL, a time and a URL (ISO 8601 or seconds since 1970; times are not used, the order is), or one of a
    proxy's log (Common, Combined or Squid's native format), which has the whole URL; of these, answers to GET with a
    status below 400. Raises `InputError` for any other line.

    >>> browsed('10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET http://a.test/x HTTP/1.1" 200 2326')
    'http://a.test/x'
    """
    line = line.strip()
    if not line or line.startswith("#"):
        return None
    if isinstance(hit := read_line(line), LogHit):
        return canonical(hit.target) if hit.method == "GET" and hit.status < 400 else None
    found = _LINE.match(line)
    if found is None or not _is_time(found["at"]):
        raise InputError(f"{line[:80]!r} is no URL, time and URL, or line of a proxy's log")
    return canonical(found["url"])


def _is_time(text: str | None) -> bool:
    if text is None or re.fullmatch(r"\d+(\.\d+)?", text):
        return True
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


class BrowseLog:
    """Reads what is new in a log, again and again. A file that shrank was begun anew, and is read from its start."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken = 0
        """Lines that could not be read so far; they are passed over."""
        self.first_broken = ""
        self._offset = 0
        self._rest = b""

    def read(self, *, to_the_end: bool = False) -> list[Url]:
        """The pages of the lines that are complete since the last call; `to_the_end`, of one without its end too.

        Raises `InputError` if the log cannot be read.
        """
        try:
            with self.path.open("rb") as file:
                if file.seek(0, 2) < self._offset:
                    self._offset, self._rest = 0, b""
                file.seek(self._offset)
                new = file.read()
        except OSError as error:
            raise InputError(f"log {self.path}: cannot be read: {error.strerror}") from None
        self._offset += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        if to_the_end:
            lines, self._rest = [*lines, self._rest], b""
        return list(self._pages(lines))

    def _pages(self, lines: list[bytes]) -> Iterator[Url]:
        for line in lines:
            try:
                url = browsed(line.decode("utf-8", "replace"))
            except InputError as error:
                self.broken += 1
                self.first_broken = self.first_broken or str(error)
                continue
            if url is not None:
                yield url

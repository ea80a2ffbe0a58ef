"""Citations of pages as they were: ``archive:19961105/http://www.example.com/``.

The form is Burner's (Crawling towards Eternity, 1997): a page is cited with the day on which it was read, and an
archive that has it answers with what it knew then.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lycosa.model.errors import InputError
from lycosa.model.moments import iso, moment, to_the_second
from lycosa.model.records import Millis, Record, Response
from lycosa.model.url import Url, canonical

if TYPE_CHECKING:
    from lycosa.archive.cdxj import Capture
    from lycosa.archive.collection import Collection

_FORM = re.compile(r"archive:(\d{4}(?:\d\d){0,5})/(\S+)", re.IGNORECASE)
_AS_IN = "write archive:DATE/URL with a date in UTC, as in archive:20150301/http://example.org/"


class Citation(Record, frozen=True, kw_only=True, gc=False):
    """A page as it was at a time."""

    url: Url
    at: Millis
    """The last millisecond of the year, month, day, hour, minute or second that was written."""


def is_citation(text: str) -> bool:
    return text[:8].lower() == "archive:"


def read_citation(text: str) -> Citation:
    """``archive:YYYYMMDD/URL``, the date as long as one likes: 4 digits to 14. InputError for anything else."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise InputError(f"{text[:200]!r} is no citation; {_AS_IN}")
    digits, url = found.groups()
    named = canonical(url)
    try:
        return Citation(url=named, at=moment(digits, last=True))
    except InputError:
        raise InputError(f"{text[:200]!r}: there is no such date; {_AS_IN}") from None


def cited(collection: Collection, citation: Citation) -> tuple[Capture, Response]:
    """The latest capture not after the citation's time, and its response.

    InputError if there is none, with the time of the first that there is; FolderError if the record is damaged.
    """
    found = collection.found(citation.url, citation.at)
    if found is not None:
        return found
    first = min((capture.at for capture in collection.versions(citation.url)), default=None)
    later = f"; the first capture is of {iso(first)[:10]}" if first is not None else ""
    raise InputError(f"{citation.url} was not captured up to {to_the_second(citation.at)}{later}")

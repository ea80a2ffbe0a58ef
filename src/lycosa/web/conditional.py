"""When a 304 is the answer (RFC 9110, section 13.2.2)."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

from lycosa.model.records import Ask


def is_not_modified(ask: Ask, etag: str, last_modified: str) -> bool:
    """Whether what has these validators now, each empty if it has none, is what the request has already.

    A date counts only where no entity tag is asked with; tags are compared weakly.
    """
    if ask.etag:
        return bool(etag) and ask.etag.removeprefix("W/") == etag.removeprefix("W/")
    if not ask.modified_since or not last_modified:
        return False
    if ask.modified_since == last_modified:
        return True
    try:
        return parsedate_to_datetime(last_modified) <= parsedate_to_datetime(ask.modified_since)
    except (ValueError, TypeError, OverflowError):  # no dates, or one of them without a zone
        return False

"""Which page a request names as the one that led to it."""

from __future__ import annotations

from lycosa.model.url import Url, origin_of


def referer(source: str, target: Url) -> str:
    """The Referer of a request for `target` that a link on `source` led to; empty if none is to be sent.

    As browsers do unless a page wants otherwise: W3C Referrer Policy, ``strict-origin-when-cross-origin``. To its own
    origin the whole URL, to any other the origin alone, and nothing from https to http. User names and fragments are
    left out; canonical URLs have none.
    """
    if not source.startswith(("http://", "https://")) or source.find("/", 8) < 0:
        return ""
    if source.startswith("https:") and target.startswith("http:"):
        return ""
    source = source.partition("#")[0]
    origin = origin_of(Url(source))
    if "@" in origin:
        return ""
    return source if origin == origin_of(target) else origin + "/"

"""In what the names of one page may differ, and a URL without that.

Each kind of variant has a normal form: the URL without what the kind varies. Two URLs are variants of a kind if that
makes them equal. That such rules hold site by site is from Bar-Yossef, Keidar and Schonfeld, "Do not crawl in the DUST:
different URLs with similar text" (WWW 2007), who learn them from logs and test them by fetching. Here they are learned
from what a crawl fetches anyway.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final

from lycosa.model.url import Host, Url, host_of

SCHEME: Final = "scheme"
WWW: Final = "www"
CASE: Final = "letter case"
INDEX: Final = "index name"
EXTENSION: Final = "file extension"
SLASH: Final = "trailing slash"
TRACKING: Final = "tracking parameters"
SESSION: Final = "session ids"
PARAMETER: Final = "parameter "
"""What the kinds that are parameters begin with; the name follows, each of its numbers as ``#``."""

ALWAYS: Final = frozenset({SCHEME, TRACKING, SESSION})
"""Kinds that vary the name of a page and not the page, nearly everywhere."""
IN_PATH: Final = frozenset({WWW, CASE, INDEX, EXTENSION, SLASH})
"""Kinds that do on some sites."""
SHAPES: Final = ALWAYS | IN_PATH
"""All kinds but parameters."""

MOST_PARAMETERS: Final = 6
"""Parameters of a URL that are looked at one by one; with more, none is."""

_INDEX = re.compile(r"(?:(?<=/)|^)(?:index|default)(?:\.[a-z]{2,5})?$", re.IGNORECASE)
_EXTENSION = re.compile(r"(?<=[^/.])\.(?:php\d?|x?[sp]?html?|aspx?|jsp|cfm|cgi)$", re.IGNORECASE)
_TRACKING = re.compile(
    r"(?:utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|_gl)(?:=|$)",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"(?:phpsessid|jsessionid|aspsessionid[a-z]{8}|oscsid|zenid|cfid|cftoken)=", re.IGNORECASE
)
_PATH_SESSION = re.compile(r";jsessionid=[\w.!\-]*", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")


def site_of(url: Url) -> Host:
    """The host without ``www.``, port included: names on other sites are not compared."""
    return Host(host_of(url).removeprefix("www."))


def without(url: Url, kinds: Collection[str]) -> str:
    """The URL without what these kinds vary. Not always a URL: nothing is fetched by it."""
    scheme, _, rest = url.partition("//")
    if kinds == ALWAYS and "?" not in rest and ";" not in rest:  # most URLs, on most sites
        return rest
    address, mark, query = rest.partition("?")
    host, _, path = address.partition("/")
    if WWW in kinds:
        host = host.removeprefix("www.")
    if mark and query:
        query = "&".join(each for each in query.split("&") if not _is_dropped(each, kinds))
        mark = "?" if query else ""
    start = "" if SCHEME in kinds else f"{scheme}//"
    return f"{start}{host}/{_path_without(path, kinds)}{mark}{query}"


@lru_cache(maxsize=64)
def shapeless(url: Url) -> str:
    """The URL without what all kinds but parameters vary. It is asked of a page several times in a row."""
    return without(url, SHAPES)


def stem_of(url: Url) -> str:
    """What no kind of variant changes of a name: host and path, without shapes."""
    return shapeless(Url(url.partition("?")[0]))


def parameters(url: Url) -> Iterator[tuple[str, str]]:
    """The parameters of a URL as kinds, with their values, but for those of tracking and sessions; none if there are
    too many."""
    _, _, query = url.partition("?")
    if query and query.count("&") < MOST_PARAMETERS:
        for argument in query.split("&"):
            if not _TRACKING.match(argument) and not _SESSION.match(argument):
                yield _kind_of(argument), argument.partition("=")[2]


def _path_without(path: str, kinds: Collection[str]) -> str:
    if SESSION in kinds and ";" in path:
        path = _PATH_SESSION.sub("", path)
    if CASE in kinds:
        path = path.lower()
    if INDEX in kinds:
        path = _INDEX.sub("", path)
    if EXTENSION in kinds:
        path = _EXTENSION.sub("", path)
    return path.rstrip("/") if SLASH in kinds else path


def _is_dropped(argument: str, kinds: Collection[str]) -> bool:
    if TRACKING in kinds and _TRACKING.match(argument):
        return True
    if SESSION in kinds and _SESSION.match(argument):
        return True
    return _kind_of(argument) in kinds


def _kind_of(argument: str) -> str:
    return PARAMETER + _DIGITS.sub("#", argument.partition("=")[0])

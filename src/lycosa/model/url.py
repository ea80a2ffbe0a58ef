"""URLs in canonical form, so that one page has one name."""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NewType
from urllib.parse import unquote_to_bytes

import ada_url

from lycosa.model.errors import InputError

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

Url = NewType("Url", str)
"""A canonical absolute http(s) URL; only :func:`canonical` and tests mint one."""

Host = NewType("Host", str)
"""Host name and, unless it is the scheme's default, port: ``example.org``, ``example.org:8080``."""

UrlProfile = Literal["default", "strict", "s1"]
"""``default`` drops index.html and index.htm; ``strict`` keeps them; ``s1`` is ``default`` with ``~`` written
as ``%7E``, as Pant, Srinivasan and Menczer do ("Crawling the Web", 2004, section 2.4)."""

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PLAIN = re.compile(
    r"https?://[^/?#@]+/[A-Za-z0-9\-._~!$&'()*+,;=:@/]*(?:\?[A-Za-z0-9\-._~!$&'()*+,;=:@/?]*)?"
)
"""A URL in WHATWG form that needs nothing more, unless it names a default file."""
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IN_ORDER = re.compile(
    rf"https?://(?:(?:[a-z0-9\-]+\.)*+[a-z][a-z0-9\-]*|{_BYTE}(?:\.{_BYTE}){{3}})(?::(?!80/|443/)[1-9][0-9]{{1,3}})?"
    r"/[A-Za-z0-9\-._~!$&'()*+,;=:@/]*+(?:\?[A-Za-z0-9\-._~!$&()*+,;=:@/?]+)?"
)
"""A URL as the standard writes it, which need not be asked then: most that links lead to. What may be an address in
other words, an IDN (`xn--`), a default port, or a step in a path (`/.`) is told apart."""
_PARTS = re.compile(r"(https?://)(?:[^/?#@]*@)*([^/?#@]+)([^?#]*)(\?[^#]*)?")
_TO_ENCODE = re.compile(r"%([0-9A-Fa-f]{2})?|[^%A-Za-z0-9\-._~!$&'()*+,;=:@/?]")
_DEFAULT_FILES = ("/index.html", "/index.htm")
_BARE_HOST = re.compile(r"[^\s/?#@:]+\.[^\s/?#@:.]+(?::\d+)?(?:[/?#]|$)")
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.\-]*):(?!\d)")


def canonical(raw: str, base: str | None = None, profile: UrlProfile = "default") -> Url:
    """The canonical form of an absolute URL, or of a link on the page `base`.

    The rules, in their order: strip white space, resolve, lowercase scheme and host, IDNA, drop the default
    port (all by the WHATWG URL standard), drop user name and fragment, write percent escapes in upper case,
    decode those of unreserved characters, encode what RFC 3986 does not allow, drop a default file.
    The result is a fixed point: ``canonical(canonical(u)) == canonical(u)``.

    That ``/dir/index.html`` becomes ``/dir/`` rests on the custom of nearly all servers. A recording that
    knows a page only under the long name must look under both; :func:`default_files` gives the names.
    A host without a scheme (``example.org/a``) is taken as http where there is no `base`.

    Raises :class:`InputError` for what is no http(s) URL.
    """
    if base is None and profile == "default" and _is_canonical(raw):
        return Url(raw)
    try:
        href = ada_url.normalize_url(raw.strip()) if base is None else ada_url.join_url(base, raw.strip())
    except ValueError:
        href = _given_scheme(raw, base)
    if profile != "default":
        return _tidied(href, profile)
    if _PLAIN.fullmatch(href) and not href.endswith(_DEFAULT_FILES):
        return Url(href)
    return _tidied(href, profile)


def _is_canonical(raw: str) -> bool:
    """Whether a URL is plainly as `canonical` would have it."""
    if "/." in raw or "xn--" in raw or raw.endswith(_DEFAULT_FILES):
        return False
    return _IN_ORDER.fullmatch(raw) is not None


def _given_scheme(raw: str, base: str | None) -> str:
    """The WHATWG form of a bare host; otherwise say what is wrong."""
    if base is None and _BARE_HOST.match(raw.strip()):
        try:
            return str(ada_url.normalize_url("http://" + raw.strip()))
        except ValueError:
            pass
    if base is not None and not ada_url.check_url(base):
        raise InputError(f"not a base for links: {base[:200]!r}; give an absolute http or https URL")
    raise InputError(f"not a URL: {raw[:200]!r}; give one like https://example.org/page")


def _tidied(href: str, profile: UrlProfile) -> Url:
    parts = _PARTS.match(href)
    if parts is None:
        return _other_scheme(href)
    scheme, host, path, query = parts.groups(default="")
    path = _TO_ENCODE.sub(_normal_escape, path) or "/"
    if profile != "strict" and not query and path.endswith(_DEFAULT_FILES):
        path = path[: path.rindex("/") + 1]
    query = "?" + _TO_ENCODE.sub(_normal_escape, query[1:]) if query else ""
    if profile == "s1":
        path, query = path.replace("~", "%7E"), query.replace("~", "%7E")
    return Url(scheme + host + path + query)


def _other_scheme(href: str) -> Url:
    """``example.org:8080/x`` reads as scheme ``example.org``: take it as a host, refuse all else."""
    if _BARE_HOST.match(href) and not _SCHEME.match(href):
        return canonical("http://" + href)
    raise InputError(f"not an http or https URL: {href[:200]!r}; only those are fetched")


def _normal_escape(match: re.Match[str]) -> str:
    found = match[0]
    if match[1]:
        code = int(match[1], 16)
        return chr(code) if code in _UNRESERVED else found.upper()
    return "".join(f"%{byte:02X}" for byte in found.encode())


def default_files(url: Url) -> tuple[str, ...]:
    """The names under which a server or a recording may also know a canonical URL that ends in a slash."""
    return tuple(url[:-1] + name for name in _DEFAULT_FILES) if url.endswith("/") and "?" not in url else ()


def host_of(url: Url) -> Host:
    """The host and port of a canonical URL."""
    part: Any = url.split("/", 3)[2]
    host: Host = part  # as each link asks for it: a call of `Host` takes half as long as the rest
    return host


def port_of(url: Url) -> int:
    """The port that a canonical URL means."""
    _, colon, port = url.split("/", 3)[2].rpartition(":")
    if colon and port.isdigit():
        return int(port)
    return 443 if url.startswith("https:") else 80


def origin_of(url: Url) -> str:
    """Scheme, host and port, without a slash at the end: what one robots.txt governs (RFC 9309, 2.3)."""
    return url[: url.index("/", 8)]


def name_of(host: Host) -> str:
    """The name or the address of a host, without its port: ``example.org``, ``192.0.2.1``, ``[2001:db8::1]``."""
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def domain_of(host: Host) -> str:
    """The domain that somebody registered, and below which all names are theirs: ``ox.ac.uk`` for ``www.cs.ox.ac.uk``.

    By the Public Suffix List, with its private section: ``a.github.io`` and ``b.github.io`` are two domains,
    as they belong to different people. The port is dropped. An IP address, a single label and a public
    suffix are their own domains. The list is the one in the installed package `publicsuffixlist`.
    """
    name = name_of(host)
    if name.startswith("[") or name.rpartition(".")[2].isdigit():
        return name
    return _public_suffixes().privatesuffix(name.rstrip(".")) or name


@cache
def _public_suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # here: reading the list takes a tenth of a second

    return PublicSuffixList()


def page_id(url: Url) -> str:
    """The MD5 of the canonical URL in 32 lower-case hexadecimal digits: the page's name in the archive."""
    return hashlib.md5(url.encode(), usedforsecurity=False).hexdigest()


# ---------------------------------------------------------------------------------------------------- SURT

_ARCHIVED = re.compile(r"(?:(https?):/*)?(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_PLAIN_HOST = re.compile(r"(?:[a-z0-9\-]+\.)*[a-z][a-z0-9\-]*")
_WWW = re.compile(r"www\d*\.")
_QUERY_SESSIONS = (
    re.compile(r"(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}(?:&|$)"),
    re.compile(r"aspsessionid[a-z]{8}=[a-z]{24}(?:&|$)"),
    re.compile(r"cfid=[^&]+&cftoken=[^&]+(?:&|$)"),
)
_PATH_SESSION = re.compile(r"/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)(?=/[^?]+\.aspx)")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def surt(url: str) -> str:
    """The key of a URL in a web archive's index, such as ``org,archive)/goo``: host reversed, in lower case.

    "Sort-friendly URI Reordering Transform" by the rules of the Internet Archive: ``www`` and a number after
    it, session ids, an empty query and a slash at the end are dropped, query arguments sorted, escapes undone
    repeatedly and written once. Several URLs may share a key: it finds records and must never be fetched.
    Accepts a host without a scheme; a URL of another scheme is its own key, the empty one is ``-``.
    """
    text = url.strip().translate(_NO_LINE_BREAKS)
    if not text:
        return "-"
    if text.startswith("dns:"):
        return _reversed_host(text[4:].lower()) + ")"
    if (other := _SCHEME.match(text)) and other[1].lower() not in _DEFAULT_PORTS:
        return text
    found = _ARCHIVED.match(text)
    assert found is not None  # every part of the pattern is optional
    scheme, authority, path, query = found.groups(default="")
    query_key = _query_key(query)
    return f"{_site_key(scheme, authority)}){_path_key(path)}{'?' + query_key if query_key else ''}"


@lru_cache(maxsize=4096)
def _site_key(scheme: str, authority: str) -> str:
    host, port = _host_and_port(authority.lower())
    if port == _DEFAULT_PORTS[scheme.lower() or "http"]:
        port = ""
    key = _reversed_host(_WWW.sub("", host, count=1) if _WWW.match(host) else host)
    return f"{key}:{port}" if port else key


_NO_LINE_BREAKS = {ord(c): None for c in "\t\r\n"}
_UNWRITABLE = re.compile(rb"[^!\"$&-~]")
"""What the archive's keys escape: all but printable ASCII, and ``#`` and ``%``."""


def _host_and_port(authority: str) -> tuple[str, str]:
    host, colon, port = authority.rpartition(":")
    if not colon or not (port.isdigit() or not port):
        host, port = authority, ""
    if not _PLAIN_HOST.fullmatch(host):
        try:
            host = ada_url.normalize_url(f"http://{host}/").split("/", 3)[2]
        except ValueError:
            host = _escaped_once(host)
    return host.replace("..", ".").strip("."), port


def _reversed_host(host: str) -> str:
    return ",".join(reversed(host.split(".")))


def _escaped_once(text: str) -> str:
    """Undo escapes until nothing changes, then escape once; all in lower case."""
    if "%" not in text and text.isascii() and text.isprintable() and " " not in text:
        return text.lower()
    octets = text.encode("utf-8", "surrogatepass")
    while (plain := unquote_to_bytes(octets)) != octets:
        octets = plain
    return _UNWRITABLE.sub(lambda found: b"%%%02x" % ord(found[0]), octets).decode("ascii").lower()


def _path_key(path: str) -> str:
    plain = _escaped_once(path)
    kept: list[str] = []
    segments = plain.split("/")[1:]
    for segment in segments:
        if segment == ".." and kept:
            kept.pop()
        elif segment not in ("", ".", ".."):
            kept.append(segment)
    return _PATH_SESSION.sub("", "/" + "/".join(kept))


def _query_key(query: str) -> str:
    if not query:
        return ""
    plain = _escaped_once(query)
    for session in _QUERY_SESSIONS:
        plain = session.sub("", plain)
    arguments = sorted(argument.split("=", 1) for argument in plain.split("&"))
    return "&".join("=".join(argument) for argument in arguments)

"""What opens doors to us: passwords, headers and cookies, each sent only where the user said.

They are read from files, when a crawl begins and when it goes on. Nothing here shows them: no error, no `repr`.
Sources: RFC 7617 (Basic), RFC 6265 sections 5.1.3, 5.1.4 and 5.4 (cookies), the files of curl and wget.
"""

from __future__ import annotations

import netrc
import os
import re
import time
import tomllib
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.url import Host, Url, canonical, domain_of, host_of, name_of, origin_of

Headers = tuple[tuple[str, str], ...]

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_OURS: Final = frozenset(
    [
        "host",
        "user-agent",
        "accept-encoding",
        "connection",
        "content-length",
        "transfer-encoding",
        "te",
        "upgrade",
    ]
)
"""Headers that are not a user's to set: they say who asks, or frame the message."""


class FromEnvironment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    env: str


Secret = str | FromEnvironment


class Door(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A section of a file of logins. Its secrets are texts, or `{ env = "NAME" }`."""

    user: Secret = ""
    password: Secret = ""
    headers: Mapping[str, Secret] = {}

    def __repr__(self) -> str:
        return "Door()"


class Cookie(msgspec.Struct, frozen=True):
    """A line of a file of cookies."""

    domain: str
    whole: bool
    """Sent to the hosts below the domain, too."""
    path: str
    secure: bool
    expires: int
    """Seconds since 1970; 0: with the session, which here means never."""
    pair: str

    def __repr__(self) -> str:
        return f"Cookie({self.domain})"

    def is_for(self, name: str, path: str, *, secure: bool, now: float) -> bool:
        """Whether it is sent with a request for this path at a host of this name."""
        return (
            (self.whole or name == self.domain)
            and (secure or not self.secure)
            and (not self.expires or now < self.expires)
            and _is_below(path, self.path)
        )


class Logins:
    """Which headers let us in, by URL.

    Invariants, each the name of a property test:

    * nobody else: a password or a header goes to the scheme, host, port and path that it was given for, and nowhere
      else; a cookie to its domain and path, and a secure one over https only.
    * silent: neither its `repr` nor an error of a file shows a secret.
    """

    def __init__(
        self,
        doors: Mapping[str, Headers],
        cookies: Iterable[Cookie] = (),
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`doors`: what is sent to URLs that begin with these, as canonical URLs; the longest that fits counts."""
        self._doors: dict[str, list[tuple[str, Headers]]] = {}
        for url in sorted(doors, key=len, reverse=True):
            origin = origin_of(Url(url))
            self._doors.setdefault(origin, []).append((_path_of(Url(url)), doors[url]))
        self._cookies: dict[str, list[Cookie]] = {}
        for cookie in cookies:
            self._cookies.setdefault(cookie.domain, []).append(cookie)
        self._now = now
        sent = {name.lower() for headers in doors.values() for name, _ in headers}
        self.names = frozenset({"authorization", "cookie", *sent})
        """The headers that may hold a secret, in lower case."""

    def __repr__(self) -> str:
        return f"Logins({len(self._doors)} sites, {len(self._cookies)} domains with cookies)"

    @classmethod
    def read(cls, logins: str = "", netrc_file: str = "", cookies: str = "") -> Logins | None:
        """From files, by their paths; None if there are none. Raises `InputError`."""
        if not (logins or netrc_file or cookies):
            return None
        doors = _from_netrc(Path(netrc_file)) if netrc_file else {}
        doors |= _from_toml(Path(logins)) if logins else {}
        return cls(doors, _from_cookie_file(Path(cookies)) if cookies else ())

    def headers_for(self, url: Url) -> Headers:
        """What is sent with a request for this URL besides the usual headers; mostly nothing."""
        path = _path_of(url)
        doors = self._doors.get(origin_of(url), ())
        found = next((headers for place, headers in doors if _is_below(path, place)), ())
        if not self._cookies or not (cookies := self._cookies_for(url, path)):
            return found
        own = [value for name, value in found if name.lower() == "cookie"]
        others = tuple([pair for pair in found if pair[0].lower() != "cookie"])
        return (*others, ("Cookie", "; ".join([*own, *cookies])))

    def _cookies_for(self, url: Url, path: str) -> list[str]:
        """The cookies for a URL, those of longer paths first (RFC 6265, 5.4)."""
        name, secure, now = name_of(host_of(url)), url.startswith("https:"), self._now()
        labels = name.split(".")
        domains = (".".join(labels[at:]) for at in range(len(labels)))
        fitting = [
            cookie
            for domain in domains
            for cookie in self._cookies.get(domain, ())
            if cookie.is_for(name, path, secure=secure, now=now)
        ]
        return [cookie.pair for cookie in sorted(fitting, key=lambda cookie: -len(cookie.path))]


def _path_of(url: Url) -> str:
    return url[url.index("/", 8) :].partition("?")[0]


def _is_below(path: str, place: str) -> bool:
    """Whether a path is a place or below it: `/a/b` is below `/a` and `/a/`, `/ab` is not (RFC 6265, 5.1.4)."""
    return path == place or (path.startswith(place) and (place.endswith("/") or path[len(place)] == "/"))


def _text(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{what} {path}: cannot be read: {error.strerror}; a crawl keeps only where it is"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{what} {path}: is not UTF-8 text (byte {error.start})") from None


def _from_toml(path: Path) -> dict[str, Headers]:
    """Sections named by URLs, each with `user` and `password`, or `headers`, or both."""
    what = f"logins {path}"
    try:
        doors = converted(tomllib.loads(_text(path, "logins")), dict[str, Door])
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"\((at .*)\)$", str(error))
        raise InputError(f"{what}: is not TOML{f' ({where[1]})' if where else ''}") from None
    except msgspec.ValidationError:
        raise InputError(f'{what}: give sections ["https://HOST/"] with user, password, headers') from None
    return {_place(url, what): _headers(door, f"{what}, {url}") for url, door in doors.items()}


def _place(url: str, what: str) -> str:
    if not re.match(r"https?://[^/?#@]+(/[^?#]*)?$", url):
        raise InputError(f"{what}: a section is named by a URL such as https://wiki.example.org/private/")
    return canonical(url, profile="strict")


def _headers(door: Door, what: str) -> Headers:
    headers = tuple([(name, _value(secret, what)) for name, secret in door.headers.items()])
    user, password = _value(door.user, what), _value(door.password, what)
    if user or password:
        headers = (_basic(user, password, what), *headers)
    for name, value in headers:
        if (
            not _NAME.fullmatch(name)
            or name.lower() in _OURS
            or not (value.isascii() and value.isprintable())
        ):
            raise InputError(
                f"{what}: a header cannot be sent; give printable ASCII, and none of {', '.join(sorted(_OURS))}"
            )
    return headers


def _value(secret: Secret, what: str) -> str:
    if isinstance(secret, str):
        return secret
    if secret.env not in os.environ:
        raise InputError(f"{what}: the environment has no variable {secret.env}")
    return os.environ[secret.env]


def _basic(user: str, password: str, what: str) -> tuple[str, str]:
    if ":" in user:
        raise InputError(f"{what}: a user's name with a colon cannot be sent (RFC 7617)")
    return "Authorization", f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


def _from_netrc(path: Path) -> dict[str, Headers]:
    """By machine, sent over https: to its default port, or as `machine HOST:PORT` to that one. `default` is left out,
    as it would go to every host of the web."""
    what = f"netrc {path}"
    _text(path, "netrc")
    try:
        machines = netrc.netrc(path).hosts
    except netrc.NetrcParseError as error:
        raise InputError(f"{what}: is no netrc file (line {error.lineno})") from None
    return {
        _place(f"https://{machine}/", what): (_basic(user, password, f"{what}, {machine}"),)
        for machine, (user, _, password) in machines.items()
        if machine != "default"
    }


def _from_cookie_file(path: Path) -> list[Cookie]:
    """Lines of seven fields with tabs between them, as browsers' extensions, curl and wget write them."""
    found = []
    for number, line in enumerate(_text(path, "cookies").splitlines(), 1):
        line = line.removeprefix("#HttpOnly_")
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 7 or not fields[4].isdecimal():
            raise InputError(f"cookies {path}, line {number}: is no line of a Netscape file of cookies")
        domain, whole, place, secure, expires, name, value = fields
        pair = f"{name}={value}"
        if not pair.isascii() or not pair.isprintable() or ";" in pair:
            raise InputError(f"cookies {path}, line {number}: the cookie cannot be sent")
        domain = domain.lower().removeprefix(".")
        found.append(
            Cookie(
                domain=domain,
                whole=whole.upper() == "TRUE" and not _is_shared(domain),
                path=place if place.startswith("/") else "/",
                secure=secure.upper() == "TRUE",
                expires=int(expires),
                pair=pair,
            )
        )
    return found


def _is_shared(domain: str) -> bool:
    """Whether the names below belong to different people, as those below `co.uk`; so do those "below" an address."""
    below = f"x.{domain}"
    return domain_of(Host(below)) == below

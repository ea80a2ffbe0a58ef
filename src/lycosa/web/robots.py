"""robots.txt: what a site asks of crawlers, by RFC 9309. Parsing and matching only, no fetching."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from lycosa.model.records import Millis

SIZE_LIMIT = 1 << 20
"""Octets that are read of a robots.txt; RFC 9309, 2.5 asks for at least 500 KiB. The rest is ignored."""

_BLANKS = " \t\v\f"
_TOKEN = re.compile(r"[A-Za-z_-]+")
_SECONDS = re.compile(r"(\d{1,9}(?:\.\d*)?|\.\d+)")
_DOUBLED = re.compile(r"(.)\1+")
_WORD_BREAKS = str.maketrans("", "", "-_ \t")
_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*:)?//[^/?;#]*")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class _Rule(NamedTuple):
    """One Allow or Disallow line, its pattern in the two readings that :class:`Robots` explains."""

    allow: bool
    literal: str
    normal: str
    line: str


class _Verdict(NamedTuple):
    allow: bool
    line: str


class _Wildcard(NamedTuple):
    """A pattern with ``*`` or a final ``$``: the pieces between the stars must follow one another."""

    length: int
    pieces: tuple[str, ...]
    anchored: bool
    verdict: _Verdict

    def matches(self, path: str) -> bool:
        """Leftmost finds are enough, as a star takes any run: no piece is ever looked for twice."""
        first, *rest = self.pieces
        if not path.startswith(first):
            return False
        at = len(first)
        if not rest:
            return not self.anchored or at == len(path)
        for piece in rest[:-1] if self.anchored else rest:
            found = path.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return not self.anchored or (path.endswith(rest[-1]) and len(path) - len(rest[-1]) >= at)


class _Reading:
    """The rules for one crawler under one way of comparing: the longest pattern decides, a tie is allowed."""

    __slots__ = ("_lengths", "_prefixes", "_wildcards")

    def __init__(self, patterns: Iterable[tuple[str, _Verdict]]) -> None:
        self._prefixes: dict[str, _Verdict] = {}
        self._wildcards: list[_Wildcard] = []
        for pattern, verdict in patterns:
            if not pattern:
                continue
            if "*" in pattern or pattern.endswith("$"):
                anchored = pattern.endswith("$")
                pieces = re.sub(r"\*+", "*", pattern[:-1] if anchored else pattern).split("*")
                self._wildcards.append(_Wildcard(len(pattern), tuple(pieces), anchored, verdict))
            elif verdict.allow or pattern not in self._prefixes:
                self._prefixes[pattern] = verdict
        self._wildcards.sort(key=lambda wildcard: (-wildcard.length, not wildcard.verdict.allow))
        self._lengths = sorted({len(prefix) for prefix in self._prefixes}, reverse=True)

    def verdict(self, path: str) -> _Verdict | None:
        best, length = self._longest_prefix(path)
        for wildcard in self._wildcards:
            if wildcard.length < length:
                break
            if wildcard.length == length and best is not None and best.allow:
                break
            if (wildcard.length > length or wildcard.verdict.allow) and wildcard.matches(path):
                return wildcard.verdict
        return best

    def _longest_prefix(self, path: str) -> tuple[_Verdict | None, int]:
        prefixes, longest = self._prefixes, len(path)
        for length in self._lengths:
            if length <= longest and (found := prefixes.get(path[:length])) is not None:
                return found, length
        return None, 0


class _Ruleset(NamedTuple):
    """The rules for one crawler. `normal` is None where every pattern reads the same both ways."""

    literal: _Reading
    normal: _Reading | None


class Robots:
    """A robots.txt, parsed once and asked often.

    The rules of RFC 9309, section 2.2: the groups that name our product token are merged, else those of
    ``*``; the pattern with the most octets decides and Allow wins a tie; ``*`` stands for any run of octets,
    ``$`` at the end for the end. As the reference parser does, it forgives a missing colon before a single
    word and wrongly doubled letters in a field's name, and lets "Allow: /dir/index.html" cover ``/dir/`` too.
    /robots.txt is a path like others here: a crawler reads it without asking, which is what RFC 9309, 2.2.2
    allows, but does not make a page of it against the rules.

    Whether ``/%61`` and ``/a`` are the same path is answered yes by the RFC and no by the reference parser.
    Both are asked, and a URL is allowed only if both allow it: the owner of a site may have meant either.
    """

    __slots__ = ("_delays", "_rules", "_rulesets", "sitemaps")

    def __init__(
        self, rules: Mapping[str, tuple[_Rule, ...]], delays: Mapping[str, Millis], sitemaps: tuple[str, ...]
    ) -> None:
        self._rules = rules
        self._delays = delays
        self._rulesets: dict[str, _Ruleset] = {}
        self.sitemaps = sitemaps
        """The addresses of sitemaps as written; they concern every crawler."""

    @classmethod
    def parse(cls, body: bytes) -> Robots:
        """Read a file; never raises, whatever the bytes are."""
        reader = _Reader()
        for line in _lines(body):
            reader.read(line)
        return cls(
            {token: tuple(rules) for token, rules in reader.rules.items()},
            reader.delays,
            tuple(dict.fromkeys(reader.sitemaps)),
        )

    def allowed(self, agent: str, url: str) -> bool:
        """Whether `agent`, a product token or a whole User-Agent header, may fetch `url`."""
        verdict = self._verdict(agent, url)
        return verdict is None or verdict.allow

    def rule(self, agent: str, url: str) -> str | None:
        """The line that decides about `url`, such as ``Disallow: /private``; None if no line speaks of it."""
        verdict = self._verdict(agent, url)
        return verdict.line if verdict else None

    def crawl_delay(self, agent: str) -> Millis | None:
        """The longest Crawl-delay for `agent`, None where there is none. It is not part of RFC 9309."""
        return self._delays.get(self._token(agent))

    def _token(self, agent: str) -> str:
        token = agent.partition("/")[0].strip().lower()
        return token if token in self._rules else "*"

    def _verdict(self, agent: str, url: str) -> _Verdict | None:
        token = self._token(agent)
        ruleset = self._rulesets.get(token)
        if ruleset is None:
            ruleset = self._rulesets[token] = _compiled(self._rules.get(token, ()))
        path = _path(url)
        verdict = ruleset.literal.verdict(path)
        if verdict is not None and not verdict.allow:
            return verdict
        if ruleset.normal is None and path.isascii() and not _SPECIAL_IN_PATH.search(path):
            return verdict
        other = (ruleset.normal or ruleset.literal).verdict(_normal_path(path))
        return other if other is not None and not other.allow else verdict


def allowed(body: bytes, agent: str, url: str) -> bool:
    """Whether this robots.txt lets `agent`, a product token or a User-Agent header, fetch `url`."""
    return _parsed(body).allowed(agent, url)


@lru_cache(maxsize=8)
def _parsed(body: bytes) -> Robots:
    return Robots.parse(body)


# ------------------------------------------------------------------------------------------------- reading


class _Reader:
    """Collects groups line by line. Only a user-agent line after a rule begins a new one."""

    def __init__(self) -> None:
        self.rules: dict[str, list[_Rule]] = {}
        self.delays: dict[str, Millis] = {}
        self.sitemaps: list[str] = []
        self._named: list[str] = []
        self._named_for_delay: list[str] = []
        self._rule_seen = False
        self._delay_seen = False

    def read(self, line: str) -> None:
        field, value = _field(line)
        match field:
            case "useragent":
                self._open(value)
            case "alow" | "disalow":
                self._rule_seen = True
                self._add_rule(field == "alow", value)
            case "crawldelay":
                self._delay_seen = True
                self._add_delay(value)
            case "sitemap" if value:
                self.sitemaps.append(value.encode("latin-1").decode("utf-8", "replace"))

    def _open(self, value: str) -> None:
        if self._rule_seen:
            self._named, self._rule_seen = [], False
            self._delay_seen = True
        if self._delay_seen:
            # A Crawl-delay is no rule and ends no group, but it is meant for the crawlers named above it.
            self._named_for_delay, self._delay_seen = [], False
        if value == "*" or (value[:1] == "*" and value[1] in _BLANKS):
            token = "*"
        elif name := _TOKEN.match(value):
            token = name[0].lower()
        else:
            return
        self.rules.setdefault(token, [])
        self._named.append(token)
        self._named_for_delay.append(token)

    def _add_rule(self, allow: bool, value: str) -> None:
        line = f"{'Allow' if allow else 'Disallow'}: {value.encode('latin-1').decode('utf-8', 'replace')}"
        patterns = [value]
        directory, slash, name = value.rpartition("/")
        if allow and slash and name.startswith("index.htm"):
            patterns.append(directory + "/$")
        for token in self._named:
            for pattern in patterns:
                self.rules[token].append(_Rule(allow, _literal(pattern), _normal_pattern(pattern), line))

    def _add_delay(self, value: str) -> None:
        if found := _SECONDS.match(value):
            delay = Millis(round(float(found[1]) * 1000))
            for token in self._named_for_delay:
                self.delays[token] = max(delay, self.delays.get(token, delay))


def _lines(body: bytes) -> list[str]:
    """Lines with one character an octet, so nothing is lost; without a byte-order mark, even a cut one."""
    text = body[:SIZE_LIMIT].decode("latin-1")
    for mark in ("\xef\xbb\xbf", "\xef\xbb", "\xef"):
        if text.startswith(mark):
            text = text[len(mark) :]
            break
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if len(body) > SIZE_LIMIT else lines


def _field(line: str) -> tuple[str, str]:
    """Name and value of a line; the name without word breaks and doubled letters, as in ``disalow``."""
    content = line.partition("#")[0].strip(_BLANKS)
    name, colon, value = content.partition(":")
    if not colon:
        words = content.split()
        if len(words) != 2:
            return "", ""
        name, value = words
    name = name.strip(_BLANKS).lower().translate(_WORD_BREAKS)
    return _DOUBLED.sub(r"\1", name), value.strip(_BLANKS)


# ---------------------------------------------------------------------------------------------- comparing

_SPECIAL_IN_PATH = re.compile(r"[%*$]")


def _compiled(rules: tuple[_Rule, ...]) -> _Ruleset:
    literal = _Reading((rule.literal, _Verdict(rule.allow, rule.line)) for rule in rules)
    if all(rule.literal == rule.normal for rule in rules):
        return _Ruleset(literal, None)
    return _Ruleset(literal, _Reading((rule.normal, _Verdict(rule.allow, rule.line)) for rule in rules))


def _path(url: str) -> str:
    """Path and query of a URL, from the slash on."""
    authority = _AUTHORITY.match(url)
    path = (url[authority.end() :] if authority else url).partition("#")[0]
    return path if path.startswith("/") else "/" + path


def _literal(pattern: str) -> str:
    """The pattern as the reference parser compares it: all but ASCII escaped, escapes in upper case."""
    text = _ESCAPE.sub(lambda found: found[0].upper(), pattern)
    return text if text.isascii() else "".join(c if c < "\x80" else f"%{ord(c):02X}" for c in text)


def _unescaped(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()


def _normal_pattern(pattern: str) -> str:
    """The pattern as RFC 9309, 2.2.2 compares it. A ``$`` before the end is an ordinary character."""
    text = _ESCAPE.sub(_unescaped, _literal(pattern))
    return text[:-1].replace("$", "%24") + text[-1:]


def _normal_path(path: str) -> str:
    octets = path.encode("utf-8", "surrogatepass").decode("latin-1")
    return _ESCAPE.sub(_unescaped, _literal(octets)).replace("*", "%2A").replace("$", "%24")

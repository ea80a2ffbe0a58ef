"""robots.txt: what a site asks of crawlers, by RFC 9309. Parsing and matching only, no fetching."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from lycosa.crawl.preferences import signals, usage
from lycosa.model.records import Millis
from lycosa.model.rights import Rights, Rule
from lycosa.model.rights import rule as right

SIZE_LIMIT = 1 << 20
"""Octets that are read of a robots.txt; RFC 9309, 2.5 asks for at least 500 KiB. The rest is ignored."""

MAX_PREFERENCES = 500
"""Lines about the use of pages that are kept for one crawler, and licences of the file: `MAX_LICENCES`."""

MAX_LICENCES = 10

_BLANKS = " \t\v\f"
_TOKEN = re.compile(r"[A-Za-z_-]+")
_SECONDS = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})")
_DOUBLED = re.compile(r"(.)\1+")
_WORD_BREAKS = str.maketrans("", "", "-_ \t")
_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*:)?//[^/?;#]*")
_STARS = re.compile(r"\*+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class _Rule(NamedTuple):
    """One Allow or Disallow line, its value with one character an octet."""

    allow: bool
    value: str

    @property
    def line(self) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {_text(self.value)}"

    @property
    def patterns(self) -> tuple[str, ...]:
        if self.allow and "/index.htm" in self.value:
            directory, _, name = self.value.rpartition("/")
            if name.startswith("index.htm"):
                return self.value, directory + "/$"
        return (self.value,)


class _Preference(NamedTuple):
    """One line that says what may be done with pages, not whether they may be fetched."""

    field: str
    """``Content-Usage`` or ``Content-Signal``."""
    value: str

    @property
    def path(self) -> str:
        """The pattern of the pages that it is about; empty: all."""
        return self.value.split(None, 1)[0] if self.value.startswith("/") else ""

    @property
    def rules(self) -> Rights:
        statement = self.value[len(self.path) :].strip(_BLANKS)
        read = usage if self.field == "Content-Usage" else signals
        return read(statement, "robots.txt", f"{self.field}: {_text(self.value)}")


class _Section:
    """Lines that name crawlers on end, and what is said to them: a group, or the part of one that a Crawl-delay ends.

    All crawlers of a group share its rules, and all its sections do.
    """

    __slots__ = ("delay", "preferences", "rules")

    def __init__(self, rules: dict[_Rule, None]) -> None:
        self.rules = rules
        self.delay: Millis | None = None
        self.preferences: dict[_Preference, None] = {}


class _Path:
    """A path that wildcards are held against.

    How far along it a pattern may have come is a set of places, kept as the bits of one number: a letter moves on
    those places where it stands, a star adds all later ones. So each letter of a pattern costs the same, however
    many ways to match there are (Baeza-Yates and Gonnet, "A new approach to text searching", 1992).
    """

    __slots__ = ("_stands", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._stands: dict[str, int] = {}

    def places_after(self, pattern: str, start: int) -> int:
        """Where `pattern` can end if it begins at `start`: bit n stands for the place before character n."""
        stands = self._stands or self._look()
        everywhere = (2 << len(self.text)) - 1
        places = 1 << start
        for character in pattern:
            if character == "*":
                places = everywhere & -(places & -places)
            elif not (places := (places & stands.get(character, 0)) << 1):
                break
        return places

    def _look(self) -> dict[str, int]:
        stands = self._stands
        for place, character in enumerate(self.text):
            stands[character] = stands.get(character, 0) | 1 << place
        return stands


def _matches(path: _Path, pattern: str) -> bool:
    """Whether a pattern with ``*`` or a final ``$`` matches."""
    anchored = pattern.endswith("$")
    first, star, rest = (pattern[:-1] if anchored else pattern).partition("*")
    if not path.text.startswith(first):
        return False
    if not star:
        return len(first) == len(path.text)
    places = path.places_after(_STARS.sub("*", star + rest), len(first))
    return bool(places >> len(path.text) if anchored else places)


def _longest_part(pattern: str) -> str:
    """Of the parts between wildcards the longest: what does not have it does not match."""
    return max(pattern.removesuffix("$").split("*"), key=len)


class _Reading:
    """The rules for one crawler under one way of comparing: the longest pattern decides, a tie is allowed."""

    __slots__ = ("_lengths", "_prefixes", "_wildcards")

    def __init__(self, rules: Mapping[str, _Rule]) -> None:
        """`rules` by their patterns."""
        self._prefixes: dict[str, _Rule] = {}
        self._wildcards: list[tuple[str, str, _Rule]] = []
        for pattern, rule in rules.items():
            if "*" in pattern or pattern.endswith("$"):
                self._wildcards.append((pattern, _longest_part(pattern), rule))
            else:
                self._prefixes[pattern] = rule
        self._wildcards.sort(key=lambda wildcard: 2 * len(wildcard[0]) + wildcard[2].allow, reverse=True)
        self._lengths = sorted({len(prefix) for prefix in self._prefixes}, reverse=True)

    def decides(self, text: str) -> _Rule | None:
        """The rule that decides about a path, None if none speaks of it."""
        best, length = self._longest_prefix(text)
        path = _Path(text)
        for pattern, part, rule in self._wildcards:
            if len(pattern) < length:
                break
            if len(pattern) == length and best is not None and best.allow:
                break
            # Most paths lack most parts (`/*?print`), which is told at once.
            if part in text and (len(pattern) > length or rule.allow) and _matches(path, pattern):
                return rule
        return best

    def _longest_prefix(self, path: str) -> tuple[_Rule | None, int]:
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

    The crawlers of a group share its rules, and what is said to one crawler is put together when it first asks.

    Invariant, the name of a test:

    * no longer than it is long: the work of parsing grows with the file, that of asking with file and URL, whatever
      they hold.
    """

    __slots__ = ("_preferences", "_rulesets", "_sections", "licence_files", "licences", "sitemaps")

    def __init__(
        self,
        sections: Mapping[str, Sequence[_Section]],
        sitemaps: tuple[str, ...],
        licences: tuple[str, ...] = (),
    ) -> None:
        self._sections = sections
        self._preferences: dict[str, list[tuple[str, _Preference]]] = {}
        self.licences: Rights = tuple(right("RSL", "robots.txt", f"License: {each}") for each in licences)
        """The licences that it names (RSL 1.0); they concern every crawler."""
        self.licence_files = licences
        """Their addresses as written."""
        self._rulesets: dict[str, _Ruleset] = {}
        self.sitemaps = sitemaps
        """The addresses of sitemaps as written; they concern every crawler."""

    @classmethod
    def parse(cls, body: bytes) -> Robots:
        """Read a file; never raises, whatever the bytes are."""
        reader = _Reader()
        for line in _lines(body):
            if line:
                reader.read(line)
        return cls(reader.sections, tuple(reader.sitemaps), tuple(reader.licences))

    def allowed(self, agent: str, url: str) -> bool:
        """Whether `agent`, a product token or a whole User-Agent header, may fetch `url`."""
        rule = self._decides(agent, url)
        return rule is None or rule.allow

    def rule(self, agent: str, url: str) -> str | None:
        """The line that decides about `url`, such as ``Disallow: /private``; None if no line speaks of it."""
        rule = self._decides(agent, url)
        return rule.line if rule else None

    def crawl_delay(self, agent: str) -> Millis | None:
        """The longest Crawl-delay for `agent`, None where there is none. It is not part of RFC 9309."""
        delays = (section.delay for section in self._sections.get(self._token(agent), ()))
        return max((delay for delay in delays if delay is not None), default=None)

    def rights(self, agent: str, url: str) -> Rights:
        """What is said of the use of `url`, if it may be fetched: of each field the lines with the longest path that
        matches (draft-ietf-aipref-attach, 3.1), and the licences that the file names."""
        said = self._said(self._token(agent))
        if not said:
            return self.licences
        path = _Path(_normal_path(_path(url)))
        found: list[Rule] = []
        for field in ("Content-Usage", "Content-Signal"):
            lines = [
                (len(pattern), line)
                for pattern, line in said
                if line.field == field and _covers(pattern, path)
            ]
            longest = max((length for length, _ in lines), default=0)
            found += [each for length, line in lines if length == longest for each in line.rules]
        return (*found, *self.licences)

    def _said(self, token: str) -> list[tuple[str, _Preference]]:
        """The preferences told to one crawler, by the patterns of their paths."""
        said = self._preferences.get(token)
        if said is None:
            lines = dict.fromkeys(
                line for section in self._sections.get(token, ()) for line in section.preferences
            )
            said = self._preferences[token] = [(_normal(_literal(line.path)), line) for line in lines][
                :MAX_PREFERENCES
            ]
        return said

    def _token(self, agent: str) -> str:
        token = agent.partition("/")[0].strip().lower()
        return token if token in self._sections else "*"

    def _decides(self, agent: str, url: str) -> _Rule | None:
        token = self._token(agent)
        ruleset = self._rulesets.get(token)
        if ruleset is None:
            ruleset = self._rulesets[token] = _compiled(self._sections.get(token, ()))
        path = _path(url)
        rule = ruleset.literal.decides(path)
        if rule is not None and not rule.allow:
            return rule
        if ruleset.normal is None and path.isascii() and not _SPECIAL_IN_PATH.search(path):
            return rule
        other = (ruleset.normal or ruleset.literal).decides(_normal_path(path))
        return other if other is not None and not other.allow else rule


def covers(pattern: str, url: str) -> bool:
    """Whether a pattern of paths, written as in Allow and Disallow, covers a URL. An empty one covers all."""
    octets = pattern.encode("utf-8", "replace").decode("latin-1")
    return _covers(_normal(_literal(octets)), _Path(_normal_path(_path(url))))


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
        self.sections: dict[str, list[_Section]] = {}
        """By product token, in lower case."""
        self.sitemaps: dict[str, None] = {}
        self.licences: dict[str, None] = {}
        self._section = _Section({})
        self._rule_seen = False
        self._delay_seen = False

    def read(self, line: str) -> None:
        field, value = _field(line)
        match field:
            case "useragent":
                self._name(value)
            case "alow" | "disalow":
                self._rule_seen = True
                self._section.rules[_Rule(field == "alow", value)] = None
            case "crawldelay":
                self._delay_seen = True
                if found := _SECONDS.match(value):
                    delay = Millis(round(float(found[1]) * 1000))
                    self._section.delay = max(delay, self._section.delay or delay)
            case "sitemap" if value:
                self.sitemaps[_text(value)] = None
            case "contentusage" | "contentsignal" if value:
                # As with a Crawl-delay: it decides nothing of access, so it must not part the crawlers of a group.
                self._delay_seen = True
                name = "Content-Usage" if field == "contentusage" else "Content-Signal"
                self._section.preferences[_Preference(name, value)] = None
            case "license" if value and len(self.licences) < MAX_LICENCES:
                self.licences[_text(value)] = None

    def _name(self, value: str) -> None:
        if self._rule_seen:
            self._section = _Section({})
        elif self._delay_seen:
            # A Crawl-delay is no rule and ends no group, but it is meant for the crawlers named above it.
            self._section = _Section(self._section.rules)
        self._rule_seen = self._delay_seen = False
        if value == "*" or (value[:1] == "*" and value[1] in _BLANKS):
            token = "*"
        elif name := _TOKEN.match(value):
            token = name[0].lower()
        else:
            return
        sections = self.sections.setdefault(token, [])
        if not sections or sections[-1] is not self._section:
            sections.append(self._section)


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
    content = (line.partition("#")[0] if "#" in line else line).strip(_BLANKS)
    name, colon, value = content.partition(":")
    if not colon:
        words = content.split()
        if len(words) != 2:
            return "", ""
        name, value = words
    return _field_name(name), value.strip(_BLANKS)


@lru_cache(maxsize=256)
def _field_name(name: str) -> str:
    return _DOUBLED.sub(r"\1", name.strip(_BLANKS).lower().translate(_WORD_BREAKS))


# ---------------------------------------------------------------------------------------------- comparing

_SPECIAL_IN_PATH = re.compile(r"[%*$]")


def _compiled(sections: Sequence[_Section]) -> _Ruleset:
    groups = {id(section.rules): section.rules for section in sections}
    rules = [rule for group in groups.values() for rule in group]
    literal = _by_pattern([(_literal(pattern), rule) for rule in rules for pattern in rule.patterns])
    normal = _by_pattern([(_normal(pattern), rule) for pattern, rule in literal.items()])
    return _Ruleset(_Reading(literal), _Reading(normal) if normal.keys() != literal.keys() else None)


def _by_pattern(rules: Iterable[tuple[str, _Rule]]) -> dict[str, _Rule]:
    """Of the rules with one pattern the first that allows, else the first. An empty pattern speaks of nothing."""
    kept: dict[str, _Rule] = {}
    for pattern, rule in rules:
        if pattern and kept.setdefault(pattern, rule) is not rule and rule.allow and not kept[pattern].allow:
            kept[pattern] = rule
    return kept


def _covers(pattern: str, path: _Path) -> bool:
    if "*" in pattern or pattern.endswith("$"):
        return _matches(path, pattern)
    return path.text.startswith(pattern)


def _path(url: str) -> str:
    """Path and query of a URL, from the slash on."""
    authority = _AUTHORITY.match(url)
    path = (url[authority.end() :] if authority else url).partition("#")[0]
    return path if path.startswith("/") else "/" + path


def _text(octets: str) -> str:
    """Octets, one a character, as the text that they were meant to be."""
    return octets.encode("latin-1").decode("utf-8", "replace")


_PAIRS = [first + second for first in "0123456789ABCDEFabcdef" for second in "0123456789ABCDEFabcdef"]
_UPPER = {pair: "%" + pair.upper() for pair in _PAIRS}
_PLAIN = {pair: chr(int(pair, 16)) if chr(int(pair, 16)) in _UNRESERVED else _UPPER[pair] for pair in _PAIRS}
_ESCAPED = {code: f"%{code:02X}" for code in range(0x80, 0x100)}


def _literal(pattern: str) -> str:
    """The pattern as the reference parser compares it: all but ASCII escaped, escapes in upper case."""
    text = _rewritten(pattern, _UPPER)
    return text if text.isascii() else text.translate(_ESCAPED)


def _normal(literal: str) -> str:
    """The pattern as RFC 9309, 2.2.2 compares it. A ``$`` before the end is an ordinary character."""
    text = _rewritten(literal, _PLAIN)
    return text[:-1].replace("$", "%24") + text[-1:] if "$" in text else text


def _normal_path(path: str) -> str:
    octets = path.encode("utf-8", "surrogatepass").decode("latin-1")
    return _rewritten(_literal(octets), _PLAIN).replace("*", "%2A").replace("$", "%24")


def _rewritten(text: str, escapes: Mapping[str, str]) -> str:
    """`text` with each escape put as the table says."""
    return _ESCAPE.sub(lambda found: escapes[found[1]], text) if "%" in text else text

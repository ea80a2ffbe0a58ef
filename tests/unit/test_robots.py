"""robots.txt by RFC 9309, checked against the RFC's examples and the compliance tests of Google's parser.

The page docs/reference/robots.md is made from those tests; ``python tests/unit/test_robots.py`` writes it.
"""

from __future__ import annotations

import os
import re
import string
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.web.robots import SIZE_LIMIT, Robots, allowed

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "robots.md"
CASES = Path("cases/robots-ctc/src/main/resources/CTC")

# ------------------------------------------------------------------------------ protocol buffers as text

_WORDS = re.compile(r"""(?:\s|\#[^\n]*|,)*("(?:[^"\\]|\\.)*"|[A-Za-z_]\w*:?|[\[\]{}])""")
_ESCAPES = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}


class Expectation(NamedTuple):
    file: str
    robots: bytes
    url: str
    agent: str
    allowed: bool
    kind: str


def unquoted(word: str) -> bytes:
    def octet(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        return chr(int(code, 8)) if code.isdigit() else _LETTERS.get(code, code)

    octets = word[1:-1].encode().decode("latin-1")
    return _ESCAPES.sub(octet, octets).encode("latin-1")


def message(words: list[str]) -> dict[str, Any]:
    """Fields of one message, up to its closing brace; `words` is used up from its end."""
    fields: dict[str, Any] = {}
    while words and (word := words.pop()) != "}":
        fields[word.rstrip(":")] = value(words)
    return fields


def value(words: list[str]) -> Any:
    word = words.pop()
    if word == "[":
        items = []
        while (word := words.pop()) != "]":
            assert word == "{"
            items.append(message(words))
        return items
    if word == "{":
        return message(words)
    if not word.startswith('"'):
        return word
    text = unquoted(word)
    while words and words[-1].startswith('"'):
        text += unquoted(words.pop())
    return text


def expectations(shared: Path) -> Iterator[Expectation]:
    for path in sorted((shared / CASES).glob("*/*.textproto")):
        words = [found[1] for found in _WORDS.finditer(path.read_text("utf-8"))]
        for test in message(words[::-1])["tests"]:
            for each in test["test_expectations"]:
                yield Expectation(
                    f"{path.parent.name}/{path.stem}",
                    test["robotstxt"],
                    each["testurl"].decode(),
                    each["useragent"].decode(),
                    {"ALLOWED": True, "DISALLOWED": False}[each["expected_outcome"]],
                    each.get("test_type", "STANDARD"),
                )


def page(cases: list[Expectation]) -> str:
    """The conformance table, one row a file of cases."""
    rows: dict[str, list[int]] = {}
    for case in cases:
        met = allowed(case.robots, case.agent, case.url) is case.allowed
        row = rows.setdefault(case.file, [0, 0, 0, 0])
        row[0] += 1
        row[1] += met
        row[2] += case.kind == "GOOGLE_SPECIFIC"
        row[3] += met and case.kind == "GOOGLE_SPECIFIC"
    total = [sum(column) for column in zip(*rows.values(), strict=True)]
    table = "\n".join(
        f"| {name} | {met} / {of} | {f'{google_met} / {google_of}' if google_of else '–'} |"
        for name, (of, met, google_of, google_met) in [*sorted(rows.items()), ("**all**", total)]
    )
    return HEAD + table + "\n" + FOOT


HEAD = """# robots.txt: conformance

lycosa obeys robots.txt as RFC 9309 defines it. `lycosa.web.robots.allowed(body, agent, url)` answers for one
file; the crawler fetches, keeps and applies the files by itself.

The table shows the expectations of Google's robots.txt specification test
([google/robotstxt-spec-test](https://github.com/google/robotstxt-spec-test), commit 552ade5, Apache
License 2.0) that are met, file by file. Those marked Google-specific go beyond the standard and are counted
in both columns.

| cases | met | Google-specific |
|---|---|---|
"""

FOOT = """
## Where the standard and the tests differ

RFC 9309, section 2.2.2 takes `/%61` and `/a` for the same path. The tests, older than the RFC, take them for
different ones. lycosa asks both ways and fetches a URL only if both allow it: a `Disallow` counts in either
reading, an `Allow` only where both readings agree.

The standard says that `/robots.txt` is always allowed; the tests expect `Disallow: /` to cover it. lycosa
reads the file to learn the rules without asking `allowed`, but follows no link to it where the rules refuse.

## What goes beyond the standard

* `Crawl-delay` is honoured: the longest one of the groups for our product token. It concerns the crawlers
  named right above it.
* A line without a colon counts if it has exactly two words (`disallow /`). Wrongly doubled or single letters
  and missing hyphens in field names are forgiven (`Dissalow`, `useragent`).
* The product token of a group is read up to the first character that cannot be part of one (`Foo Bar` is
  `Foo`).
* `Allow: /dir/index.html` also allows `/dir/`.
* A byte-order mark is skipped, even a cut one. Lines end with CR, LF or both.
* The first mebibyte is read; the standard asks for 500 kibibytes.

This page is written by `python tests/unit/test_robots.py`; a test fails when it is out of date.
"""

# ------------------------------------------------------------------------------------------- conformance


def test_meets_all_400_expectations(shared: Path) -> None:
    cases = list(expectations(shared))
    assert len(cases) == 400
    assert sum(case.kind == "GOOGLE_SPECIFIC" for case in cases) == 22
    assert sum(case.allowed for case in cases) == 204
    assert [case for case in cases if allowed(case.robots, case.agent, case.url) is not case.allowed] == []


def test_published_table_is_up_to_date(shared: Path) -> None:
    assert PAGE.read_text("utf-8") == page(list(expectations(shared)))


def robots(*lines: str, agent: str = "*") -> Robots:
    return Robots.parse("\n".join([f"User-agent: {agent}", *lines]).encode())


def may(path: str, *lines: str) -> bool:
    return robots(*lines).allowed("lycosa", "http://example.org" + path)


# RFC 9309, 5.2: the longest match.
LONGEST = ("Allow: /example/page/", "Disallow: /example/page/disallowed.gif")


@pytest.mark.parametrize(
    ("path", "lines", "expected"),
    [
        ("/example/page/x", LONGEST, True),
        ("/example/page/disallowed.gif", LONGEST, False),
        ("/a", ("Disallow: /a", "Allow: /a"), True),
        ("/x.gif", ("Disallow: *.gif$",), False),
        ("/x.gif?y", ("Disallow: *.gif$",), True),
        ("/a", ("Disallow: /%61",), False),
        ("/%61", ("Disallow: /a",), False),
        ("/a/b", ("Disallow:",), True),
        ("/robots.txt", ("Disallow: /",), False),
        ("/~x", ("Disallow: /%7Ex",), False),
        ("/%7ex", ("Disallow: /~x",), False),
        ("/ツ", ("Disallow: /%e3%83%84",), False),
        ("/a%3cd", ("Disallow: /a%3Cd",), False),
        # RFC 9309, 2.2.3: escaped special characters mean themselves.
        ("/file-*.html", ("Disallow: /file-%2A.html",), False),
        ("/file-x.html", ("Disallow: /file-%2A.html",), True),
        ("/foo-$", ("Disallow: /foo-%24",), False),
        ("/a$b", ("Disallow: /a$b",), False),
        ("/ab", ("Disallow: /a**b",), False),
        ("/b", ("Disallow: /a*b$",), True),
        ("/aba", ("Disallow: /ab*ba$",), True),
        ("/abba", ("Disallow: /ab*ba$",), False),
        ("/x/page", ("Disallow: /*/page", "Allow: /x/page"), True),
        ("/x/page", ("Disallow: /*x/page", "Allow: /x/page"), False),
        ("/", ("Disallow: /$", "Disallow: /a", "Allow: /"), False),
        ("/x", ("Disallow: /$", "Disallow: /x*y"), True),
        ("?q", ("Disallow: /?q",), False),
        ("", ("Disallow: /",), False),
        ("/a#b", ("Disallow: /a$",), False),
    ],
)
def test_patterns(path: str, lines: tuple[str, ...], expected: bool) -> None:
    assert may(path, *lines) is expected


def test_groups_of_one_crawler_are_merged_and_replace_the_default() -> None:
    text = (
        b"User-agent: *\nDisallow: /\n\nUser-agent: LyCosa/2\nDisallow: /a\n\n"
        b"user-agent: x\nuser-agent: lycosa\nDisallow: /b"
    )
    file = Robots.parse(text)
    assert [file.allowed("lycosa/0.1 (+http://a.example)", f"http://h/{p}") for p in "abc"] == [
        False,
        False,
        True,
    ]
    assert not file.allowed("other", "http://h/c")


def test_empty_group_allows_everything_and_unknown_lines_end_no_group() -> None:
    text = (
        b"Disallow: /early\nUser-agent: *\nSitemap: http://h/s.xml\nFoo: bar\nUser-agent: a\nDisallow: /x\n"
        b"User-agent: quxbot\n"
    )
    file = Robots.parse(text)
    assert not file.allowed("a", "http://h/x")
    assert not file.allowed("b", "http://h/x")
    assert file.allowed("quxbot", "http://h/x")
    assert file.allowed("b", "http://h/early")
    assert file.sitemaps == ("http://h/s.xml",)


def test_the_deciding_line_is_told_as_written() -> None:
    file = robots("Disallow: /a # secret", "allow : /a/ü")
    assert file.rule("x", "http://h/a/b") == "Disallow: /a"
    assert file.rule("x", "http://h/a/%C3%BC") == "Allow: /a/ü"
    assert file.rule("x", "http://h/b") is None


def test_crawl_delay_is_the_longest_of_the_crawler() -> None:
    file = Robots.parse(
        b"User-agent: a\nCrawl-delay: 1.5\nUser-agent: b\nCrawl-delay: 600\nDisallow: /x\n"
        b"User-agent: a\nCrawl-delay: .25s\nUser-agent: *\nCrawl-delay: nan\nCrawl-delay: -3"
    )
    assert [file.crawl_delay(agent) for agent in "abc"] == [1500, 600_000, None]
    assert not file.allowed("a", "http://h/x"), "a Crawl-delay ends no group"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\r\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"\xef\xbb"])
def test_line_ends_and_byte_order_marks(end: str, mark: bytes) -> None:
    body = mark + end.join(["user-agent: *", "disallow: /x", ""]).encode()
    assert not allowed(body, "lycosa", "http://h/x")


def test_a_letter_whose_octets_end_in_a_blank_of_latin_1_is_kept() -> None:
    assert not may("/%C3%A0", "Disallow: /à")
    assert may("/%C3", "Disallow: /à")


def test_reads_well_beyond_500_kib_and_not_for_ever() -> None:
    filler = b"# filler\n" * 60_000
    assert 512_000 < len(filler) < SIZE_LIMIT
    assert not allowed(b"User-agent: *\n" + filler + b"Disallow: /x", "a", "http://h/x")
    assert allowed(b"User-agent: *\n" + filler * 2 + b"Disallow: /x", "a", "http://h/x")


def test_stars_in_plenty_are_matched_in_reasonable_time() -> None:
    file = robots("Disallow: /" + "*a" * 2000 + "*b$")
    assert file.allowed("x", "http://h/" + "a" * 4000)
    assert not file.allowed("x", "http://h/" + "a" * 4000 + "b")


# ------------------------------------------------------------------------------------------ hostile files


def filled(line: Callable[[int], str], *, head: str = "User-agent: *\n", size: int = SIZE_LIMIT) -> str:
    """`head` and as many lines as make up `size` characters."""
    lines, so_far = [head], len(head)
    while so_far < size:
        lines.append(line(len(lines)))
        so_far += len(lines[-1])
    return "".join(lines)


def word(number: int) -> str:
    """A word of three letters, another one for each number below 140,608."""
    letters = string.ascii_letters
    return letters[number // 2704 % 52] + letters[number // 52 % 52] + letters[number % 52]


HALF = SIZE_LIMIT // 2
LONG = "a" * 1500 + "".join(word(7 * number) for number in range(500))
HOSTILE: dict[str, Callable[[], str]] = {
    "one group, its crawler named over and over": lambda: "User-agent: *\n" * 37_000 + "Allow:/\n" * 65_000,
    "one group of many crawlers": lambda: (
        filled(lambda n: f"useragent:{word(n)}\n", size=HALF)
        + filled(lambda n: f"alow:/{word(n)}\n", size=HALF)
    ),
    "many groups of one crawler": lambda: filled(lambda n: f"useragent:*\nalow:/{word(n)}\n"),
    "many crawlers, many delays": lambda: "User-agent:*\n" * 40_000 + "Crawl-delay:1\n" * 37_000,
    "crawlers and delays by turns": lambda: (
        "User-agent:*\nCrawl-delay:1\n" * 19_000 + filled(lambda n: f"Allow:/{word(n)}\n", size=HALF)
    ),
    "prefixes": lambda: filled(lambda n: f"alow:/{word(n)}\n"),
    "prefixes of all lengths": lambda: filled(lambda n: f"alow:/{'a' * n}b\n"),
    "prefixes of all lengths, escaped": lambda: filled(lambda n: f"alow:/{'%61' * n}b\n"),
    "wildcards": lambda: filled(lambda n: f"disalow:*{word(n)}${word(n + 9)}\n"),
    "wildcards with two words": lambda: filled(lambda n: f"alow:*{word(n * 7 % 7000)}*{word(n)}\n"),
    "wildcards that nearly match everywhere": lambda: filled(
        lambda n: f"alow:*{'a' * 50}{word(n)}{'a' * 50}\n"
    ),
    "wildcards with an index": lambda: filled(lambda n: f"allow:*{word(n)}/index.htm\n"),
    "many stars": lambda: filled(lambda n: f"alow:{'*a' * 1990}{word(n)}\n"),
    "many stars between escapes": lambda: filled(lambda n: f"disalow:{'*%61' * 1000}{word(n)}b\n"),
    "nothing but stars": lambda: "User-agent: *\nalow:/" + "*" * SIZE_LIMIT,
    "nothing but escapes": lambda: "User-agent: *\nalow:/" + "\xe9" * SIZE_LIMIT,
    "sitemaps": lambda: filled(lambda n: f"sitemap:{word(n)}\n"),
    "field names": lambda: filled(lambda n: f"{'-a' * 99}{word(n)}:\n"),
    "empty lines": lambda: "\n" * SIZE_LIMIT,
    "digits": lambda: "User-agent: *\ncrawl-delay:." + "1" * SIZE_LIMIT,
}


@pytest.mark.parametrize("what", HOSTILE)
def test_the_worst_mebibyte_takes_no_longer_than_it_is_long(what: str) -> None:
    """The work of parsing grows with the file, that of asking with file and URL: a second of CPU at most, and
    four more as a margin for slow machines."""
    body = HOSTILE[what]().encode("latin-1")[:SIZE_LIMIT]
    began = time.process_time()
    file = Robots.parse(body)
    file.allowed("lycosa", "http://h/" + LONG)
    file.rule("lycosa", "http://h/" + LONG)
    file.crawl_delay("lycosa")
    assert time.process_time() - began < 5


def test_a_group_of_many_crawlers_keeps_its_rules_once() -> None:
    body = filled(lambda n: f"useragent:{word(n)}\n", size=30_000) + filled(
        lambda n: f"alow:/{word(n)}\n", head="", size=30_000
    )
    tracemalloc.start()
    file = Robots.parse(body.encode())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert file.allowed(word(2), "http://h/")
    assert peak < 100 * len(body)


# -------------------------------------------------------------------------------------------- properties

_line = st.builds(
    lambda field, mark, text: f"{field}{mark}{text}",
    st.sampled_from(["User-agent", "Allow", "Disallow", "Crawl-delay", "Sitemap", "x", ""]),
    st.sampled_from([":", ": ", " ", " : ", ""]),
    st.text(alphabet="ab/*$%26#.é \t", max_size=12),
)


@given(st.binary(max_size=200), st.text(max_size=12), st.text(max_size=20))
def test_never_raises_on_any_octets(body: bytes, agent: str, url: str) -> None:
    file = Robots.parse(body)
    assert file.allowed(agent, url) in (True, False)
    file.rule(agent, url)
    file.crawl_delay(agent)


@given(st.lists(_line, max_size=8), st.text(alphabet="ab/*$%26.é", max_size=10))
def test_a_refusal_always_names_its_line(lines: list[str], path: str) -> None:
    file = Robots.parse("\n".join(["User-agent: *", *lines]).encode())
    if not file.allowed("lycosa", "http://h/" + path):
        assert (file.rule("lycosa", "http://h/" + path) or "").startswith("Disallow: ")


@given(
    st.lists(st.tuples(st.booleans(), st.text(alphabet="ab*", max_size=5), st.booleans()), max_size=6),
    st.text(alphabet="abc", max_size=7),
)
def test_agrees_with_the_obvious_matcher(rules: list[tuple[bool, str, bool]], path: str) -> None:
    """The stupid twin: one regular expression a pattern, the longest match by hand."""
    lines, matching = [], []
    for allow, text, ends in rules:
        pattern = "/" + text + "$" * ends
        lines.append(f"{'Allow' if allow else 'Disallow'}: {pattern}")
        shape = "".join(".*" if c == "*" else re.escape(c) for c in "/" + text) + ("$" if ends else "")
        if re.match(shape, "/" + path):
            matching.append((len(pattern), allow))
    assert may("/" + path, *lines) is (max(matching)[1] if matching else True)


class Twin:
    """The stupid twin: each crawler has a list of rules and delays of its own, all of which are looked at."""

    def __init__(self, lines: list[tuple[str, str]]) -> None:
        self.rules: dict[str, list[tuple[str, str]]] = {}
        self.delays: dict[str, list[int]] = {}
        named: list[str] = []
        named_for_delay: list[str] = []
        ruled = delayed = False
        for field, value in lines:
            if field == "User-agent":
                named, named_for_delay = [] if ruled else named, [] if ruled or delayed else named_for_delay
                ruled = delayed = False
                named.append(value)
                named_for_delay.append(value)
                self.rules.setdefault(value, [])
            elif field == "Crawl-delay":
                delayed = True
                for token in named_for_delay:
                    self.delays.setdefault(token, []).append(int(value) * 1000)
            else:
                ruled = True
                for token in named:
                    self.rules[token].append((field, value))

    def token(self, agent: str) -> str:
        return agent if agent in self.rules else "*"

    def allowed(self, agent: str, path: str) -> bool:
        matching = [
            (len(pattern), field)
            for field, pattern in self.rules.get(self.token(agent), [])
            if re.match(re.escape(pattern).replace(r"\*", ".*").replace(r"\$", "$"), path)
        ]
        longest = max((length for length, _ in matching), default=0)
        return not matching or (longest, "Allow") in matching

    def crawl_delay(self, agent: str) -> int | None:
        return max(self.delays.get(self.token(agent), []), default=None)


_statement = st.one_of(
    st.tuples(st.just("User-agent"), st.sampled_from(["*", "a", "b"])),
    st.tuples(
        st.sampled_from(["Allow", "Disallow"]),
        st.builds(lambda text, end: f"/{text}{end}", st.text("ab*", max_size=5), st.sampled_from(["", "$"])),
    ),
    st.tuples(st.just("Crawl-delay"), st.sampled_from(["1", "2", "3"])),
)


@given(st.lists(_statement, max_size=16), st.text("abc", max_size=6), st.sampled_from("abc"))
def test_groups_mean_what_the_twin_makes_of_them(lines: list[tuple[str, str]], path: str, agent: str) -> None:
    file, twin = Robots.parse("\n".join(map(": ".join, lines)).encode()), Twin(lines)
    assert file.allowed(agent, "http://h/" + path) is twin.allowed(agent, "/" + path)
    assert file.crawl_delay(agent) == twin.crawl_delay(agent)
    told = file.rule(agent, "http://h/" + path)
    assert told is None or told in [f"{field}: {value}" for field, value in twin.rules[twin.token(agent)]]


if __name__ == "__main__":
    cases_folder = Path(os.environ.get("LYCOSA_SHARED", ""))
    if not (cases_folder / CASES).is_dir():
        sys.exit("set LYCOSA_SHARED to the folder that holds cases/robots-ctc")
    PAGE.write_text(page(list(expectations(cases_folder))), "utf-8")

"""The specification: what a TOML file may say, and what a person is told who got it wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawl.pace import PaceRules
from lycosa.model.errors import InputError
from lycosa.spec.files import load, parse, save
from lycosa.spec.tree import (
    FORMAT,
    CrawlSpec,
    FetchSpec,
    FrontierSpec,
    PolitenessSpec,
    ScopeSpec,
    TopicFile,
    TopicSpec,
    TrapSpec,
)

FULL = CrawlSpec(
    topic=TopicSpec(
        keywords=("coral reef", 'äöü "quoted"\n'), examples=("http://a.test/",), languages=("en",)
    ),
    seeds=("http://a.test/", "http://b.test/"),
    strategy="best-first",
    pages=12,
    seconds=1.5,
    scope=ScopeSpec(hosts=("a.test",), exclude=(r"\.pdf$",), depth=3),
    frontier=FrontierSpec(capacity=100, tie="random"),
    politeness=PolitenessSpec(delay=0.5, robots="ignore"),
    fetch=FetchSpec(width=4, connect_to=("*:80:127.0.0.1:8080",)),
    traps=TrapSpec(max_url_length=100),
)


@pytest.mark.parametrize("spec", [CrawlSpec(), FULL])
def test_written_and_read_again_a_specification_is_the_same(spec: CrawlSpec, tmp_path: Path) -> None:
    path = tmp_path / "crawl.toml"
    save(spec, path)
    assert load(path, CrawlSpec) == spec


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(
    st.builds(
        CrawlSpec,
        topic=st.builds(TopicSpec, keywords=st.lists(TEXTS, max_size=3).map(tuple), description=TEXTS),
        seeds=st.lists(TEXTS, max_size=3).map(tuple),
        pages=st.integers(1, 2**60),
        seconds=st.floats(0, 1e9),
        seed=st.integers(-(2**60), 2**60),
        scope=st.builds(ScopeSpec, depth=st.none() | st.integers(0, 99)),
        frontier=st.builds(FrontierSpec, capacity=st.none() | st.integers(1, 99)),
    )
)
def test_round_trip_whatever_is_in_it(tmp_path_factory: pytest.TempPathFactory, spec: CrawlSpec) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.toml"
    save(spec, path)
    assert load(path, CrawlSpec) == spec


def test_a_short_file_takes_defaults_for_the_rest() -> None:
    found = parse('seeds = ["http://a.test/"]\n[politeness]\ndelay = 2\n', CrawlSpec, "x.toml")
    assert found == CrawlSpec(seeds=("http://a.test/",), politeness=PolitenessSpec(delay=2.0))
    assert found.format == FORMAT


def test_the_defaults_of_politeness_are_those_of_the_pace() -> None:
    spec, rules = PolitenessSpec(), PaceRules()
    assert spec.delay * 1000 == rules.delay
    assert spec.backoff * 1000 == rules.backoff
    assert spec.max_backoff * 1000 == rules.max_backoff
    assert spec.max_crawl_delay * 1000 == rules.max_crawl_delay
    assert (spec.attempts, spec.give_up, spec.slowness) == (rules.attempts, rules.give_up, rules.slowness)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "pages = 10\nstrategi = 'x'\n",
            "f.toml, line 2: there is no key 'strategi' here; did you mean 'strategy'?",
        ),
        (
            "pages = 10\n\n[politeness]\n# a comment\ndelai = 2\n",
            "f.toml, line 5: there is no key 'delai' here; did you mean 'delay'?",
        ),
        ("[fetch]\nzzz = 1\n", "f.toml, line 2: there is no key 'zzz' here"),
        ("[skope]\nhosts = []\n", "f.toml, line 1: there is no key 'skope' here; did you mean 'scope'?"),
        ("scope.hots = []\n", "f.toml, line 1: there is no key 'hots' here; did you mean 'hosts'?"),
        ('seed = 1\npages = "many"\n', "f.toml, line 2: pages: Expected `int`, got `str`"),
        ("pages = 0\n", "f.toml, line 1: pages: Expected `int` >= 1"),
        ("[fetch]\nwidth = 0\n", "f.toml, line 2: width: Expected `int` >= 1"),
        ("[scope]\nhosts = ['a', 3]\n", "f.toml, line 2: hosts: Expected `str`, got `int`"),
        ("[scope]\nhosts = 'a'\n", "f.toml, line 2: hosts: Expected `array`, got `str`"),
        ("[frontier]\ntie = 'fofo'\n", "f.toml, line 2: tie: Invalid enum value 'fofo'"),
        ("[politeness]\nrobots = 'no'\n", "f.toml, line 2: robots: Invalid enum value 'no'"),
        ("relevant_from = 1.5\n", "f.toml, line 1: relevant_from: Expected `float` <= 1.0"),
        ("scope = 3\n", "f.toml, line 1: scope: Expected `object`, got `int`"),
        (
            f"format = {FORMAT + 1}\nnews = 1\n",
            f"f.toml: written in format {FORMAT + 1}, this lycosa reads {FORMAT}; use a newer lycosa",
        ),
    ],
)
def test_errors_name_line_and_closest_key(text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, CrawlSpec, "f.toml")
    assert str(caught.value) == told


def test_a_key_of_the_same_name_in_another_table_is_not_blamed() -> None:
    text = "[topic]\nexamples = []\n\n[scope]\nexclude = []\nexamples = []\n"
    with pytest.raises(InputError, match=r"line 6: there is no key 'examples' here"):
        parse(text, CrawlSpec, "f.toml")


def test_what_is_no_toml_says_where() -> None:
    with pytest.raises(InputError, match=r"^f.toml: is not TOML: .*line 2"):
        parse("pages = 3\npages == 4\n", CrawlSpec, "f.toml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: cannot be read: No such file"):
        load(tmp_path / "none.toml", CrawlSpec)
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path, CrawlSpec)
    (tmp_path / "latin.toml").write_bytes(b"web = '\xe4'\n")
    with pytest.raises(InputError, match=r"latin\.toml: is not UTF-8 text \(byte 7\)"):
        load(tmp_path / "latin.toml", CrawlSpec)


def test_a_topic_file_has_a_topic_and_a_scope() -> None:
    found = parse("keywords = ['a b']\nseeds = ['http://a.test/']\n[scope]\ndepth = 2\n", TopicFile, "t.toml")
    assert found == TopicFile(keywords=("a b",), seeds=("http://a.test/",), scope=ScopeSpec(depth=2))
    with pytest.raises(
        InputError, match=r"t\.toml, line 1: there is no key 'keyword' here; did you mean 'keywords'"
    ):
        parse("keyword = 'x'\n", TopicFile, "t.toml")
    assert parse("", TopicFile, "t.toml") == TopicFile()


@pytest.mark.parametrize("text", ["seconds = nan\n", "seconds = inf\n", "[politeness]\ndelay = inf\n"])
def test_spans_are_finite(text: str) -> None:
    with pytest.raises(InputError, match=r"line \d: \w+: "):
        parse(text, CrawlSpec, "f.toml")


def test_the_specification_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    """0.1 knew neither of models that are asked nor of pages that are visited again."""
    spec = CrawlSpec(topic=TopicSpec(keywords=("bees",)))
    save(spec, path := tmp_path / "crawl.toml")
    for younger in ("judge", "revisit"):
        tree = tomllib.loads(path.read_text("utf-8"))
        del tree[younger]
        path.write_text(tomli_w.dumps(tree), "utf-8")
    assert load(path, CrawlSpec) == spec

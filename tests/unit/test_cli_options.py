"""From what is written on the command line to a specification."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from lycosa.cli.crawl import command as crawl
from lycosa.cli.crawl_options import SECTIONS, Besides, options_of
from lycosa.cli.resume import command as resume
from lycosa.cli.values import Whole, number_or_more, seconds, size
from lycosa.cli.watch import command as watch
from lycosa.compose.topic import default_folder
from lycosa.model.errors import InputError
from lycosa.spec.options import spec_from_options
from lycosa.spec.tree import CrawlSpec, FetchSpec
from lycosa.store.paths import folder_name

SEED = "https://example.org/"


def spec_of(*words: str, **options: object) -> CrawlSpec:
    return spec_from_options(words=words, **options)


def test_topic_and_start_pages() -> None:
    spec = spec_of("numerical analysis, interpolation", "HTTPS://Example.org", SEED, "https://b.example/x")
    assert spec.topic.keywords == ("numerical analysis", "interpolation")
    assert spec.seeds == ("https://example.org/", "https://b.example/x")


def test_what_is_not_written_keeps_its_default() -> None:
    spec = spec_of("bees", SEED)
    assert spec == CrawlSpec(topic=spec.topic, seeds=spec.seeds)
    assert spec.fetch == FetchSpec()


def test_every_option_reaches_the_specification(tmp_path: Path) -> None:
    example = tmp_path / "good.html"
    example.write_text("about bees")
    spec = parsed(
        *("--like", str(example), "--like", "https://example.org/bee", "--language", "EN"),
        *("--strategy", "random", "--pages", "5", "--time", "1m", "--web", "recorded:/x", "--seed", "3"),
        *("--relevant", "0.25", "--max-frontier", "99", "--tie", "lifo"),
        *("--host", "a.example", "--domain", "b.example", "--prefix", "org,example)/docs", "--same-host"),
        *("--include", "/a", "--exclude", "/b", "--depth", "2"),
        *("--sitemap", "https://example.org/sitemap.xml", "--sitemaps", "--feeds"),
        *("--delay", "0", "--ignore-robots", "--agent", "me", "--contact", "me@example.org"),
        *(
            "--connect-to",
            "::127.0.0.1:80",
            "--proxy",
            "http://127.0.0.1:3128",
            "--allow-private",
            "--insecure",
        ),
        *("--max-time", "5", "--connect-timeout", "2", "--max-filesize", "1000", "--width", "4", "--cookies"),
    )
    assert spec.topic.examples == (str(example), "https://example.org/bee")
    assert (spec.strategy, spec.pages, spec.seconds, spec.web, spec.seed, spec.relevant_from) == (
        "random", 5, 60.0, "recorded:/x", 3, 0.25,
    )  # fmt: skip
    assert spec.scope.hosts == ("a.example", "example.org")
    assert (spec.scope.domains, spec.scope.prefixes) == (("b.example",), ("org,example)/docs",))
    assert (spec.scope.include, spec.scope.exclude, spec.scope.depth) == (("/a",), ("/b",), 2)
    assert spec.topic.languages == ("en",)
    assert spec.sitemaps == ("https://example.org/sitemap.xml",)
    assert (spec.use_sitemaps, spec.use_feeds) == (True, True)
    assert (spec.politeness.delay, spec.politeness.robots) == (0.0, "ignore")
    fetch = spec.fetch
    assert (fetch.connect_to, fetch.proxy) == (("::127.0.0.1:80",), "http://127.0.0.1:3128")
    assert (fetch.allow_private, fetch.verify_tls, fetch.cookies) == (True, False, True)
    assert (fetch.agent, fetch.contact, fetch.width) == ("me", "me@example.org", 4)
    assert (fetch.total_timeout, fetch.first_byte_timeout, fetch.connect_timeout) == (5.0, 5.0, 2.0)
    assert fetch.max_bytes == 1000
    assert (spec.frontier.capacity, spec.frontier.tie) == (99, "lifo")


def test_topic_file_and_options_are_joined(tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text("bees")
    file = tmp_path / "topic.toml"
    file.write_text(
        'keywords = ["bees"]\nexamples = ["page.txt"]\nseeds = ["https://a.example/"]\n'
        '[scope]\nhosts = ["a.example"]\ndepth = 4\n'
    )
    spec = spec_of("honey", "https://b.example/", topic_file=file, host=("b.example",), depth=1)
    assert spec.topic.keywords == ("bees", "honey")
    assert spec.topic.examples == (str(tmp_path / "page.txt"),)
    assert spec.seeds == ("https://b.example/", "https://a.example/")
    assert spec.scope.hosts == ("a.example", "b.example")
    assert spec.scope.depth == 1


def test_topic_may_be_left_out_where_it_comes_from_elsewhere(tmp_path: Path) -> None:
    spec = spec_of(SEED, like=("https://example.org/bee",))
    assert spec.topic.keywords == ()
    assert spec.seeds == (SEED,)


@pytest.mark.parametrize(
    ("words", "options", "says"),
    [
        ((), {}, "no topic"),
        ((SEED,), {}, "no topic"),
        (("example.org/page",), {}, "no topic"),
        (("bees",), {}, "no start page"),
        (("bees", "http://"), {}, "not a"),
        (("bees", "mailto:a@example.org"), {}, "mailto"),
        (("bees", SEED), {"like": ("nowhere.html",)}, "no such file"),
        (("bees", SEED), {"topic_file": Path("nowhere.toml")}, "nowhere.toml"),
        (("bees", SEED), {"pages": 0}, "pages"),
    ],
)
def test_bad_input_is_told_in_one_line(words: tuple[str, ...], options: dict[str, object], says: str) -> None:
    with pytest.raises(InputError) as told:
        spec_of(*words, **options)
    assert says in str(told.value)
    assert "\n" not in str(told.value)


def test_the_topic_names_the_folder() -> None:
    assert default_folder(spec_of("Numerical Analysis", SEED)) == Path("numerical-analysis")
    assert default_folder(spec_of(SEED, like=("https://example.org/bee",))) == Path("example-org")


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        ("Café: crème & brûlée!", "cafe-creme-brulee"),
        ("../../etc/passwd", "etc-passwd"),
        ("養蜂", "crawl"),
        ("word " * 40, "-".join(["word"] * 12)),
    ],
)
def test_folder_names(topic: str, name: str) -> None:
    assert folder_name(topic) == name


@pytest.mark.parametrize(
    ("written", "means"),
    [
        *[("90", 90), ("1.5", 1.5), ("10m", 600), ("1h30m", 5400), ("500ms", 0.5), ("2d", 172_800)],
        *[
            (".2", 0.2),
            ("2.", 2),
            ("1e3", 1000),
            ("2 min", 120),
            ("1h 30 m", 5400),
            ("1.5 hours", 5400),
            (".5s", 0.5),
        ],
        *[("3 days", 259_200), ("10 Seconds", 10), ("1e-3s", 0.001), ("250 milliseconds", 0.25), ("0", 0)],
    ],
)
def test_durations(written: str, means: float) -> None:
    assert seconds(written) == pytest.approx(means)


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("500", 500),
        ("2k", 2048),
        ("10M", 10 << 20),
        ("1.5MiB", 1572864),
        ("1.5G", 3 << 29),
        (".5k", 512),
        ("1e6", 10**6),
        ("2 kB", 2048),
        ("1t", 1 << 40),
        ("300 bytes", 300),
    ],
)
def test_sizes(written: str, means: int) -> None:
    assert size(written) == means


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("1000", 1000),
        ("1e3", 1000),
        ("1.5E4", 15_000),
        ("1,000", 1000),
        ("10_000", 10_000),
        ("2e+6", 2_000_000),
    ],
)
def test_whole_numbers(written: str, means: int) -> None:
    assert Whole(1).convert(written, None, None) == means
    assert number_or_more(f"+{written}") == (means, True)


@pytest.mark.parametrize("written", ["", "0", "1.5", "1e-3", "1,00", "1e999", "many", "++5"])
def test_what_is_no_whole_number(written: str) -> None:
    with pytest.raises(click.BadParameter):
        Whole(1, 10**9).convert(written, None, None)


@pytest.mark.parametrize(
    "written", ["", "-5", "ten", "5 x", "1h-3m", "1e999", ".", "e3", "nan", "inf", "1h30"]
)
def test_what_is_no_duration_or_size(written: str) -> None:
    with pytest.raises(InputError):
        seconds(written)
    with pytest.raises(InputError):
        size(written)


# -- what the help texts say --------------------------------------------------------------------------------------

IN_WORDS = {
    "off", "off; N: 100", "no limit", "any", "held-out, if any", "not surely", "tell", "named after the topic",
    "lycosa, its version and the contact", "LYCOSA_CONTACT, if set",
}  # fmt: skip
"""Defaults that are no values."""


def parsed(*args: str) -> CrawlSpec:
    context = crawl.make_context("crawl", ["bees", SEED, *args])
    shown = ("json", "quiet", "verbose")
    return spec_from_options(**{k: v for k, v in context.params.items() if k not in shown})


def told_defaults() -> dict[str, str]:
    found = {}
    for option in crawl.params:
        said = re.search(r"\[default: (.*)\]", getattr(option, "help", None) or "")
        if said and said[1] not in IN_WORDS:
            found[max(option.opts, key=len)] = said[1]
    return found


@pytest.mark.parametrize(("option", "default"), told_defaults().items())
def test_the_defaults_that_help_tells_are_those_of_the_specification(option: str, default: str) -> None:
    assert parsed(option, default) == parsed()


def test_who_you_are_may_stand_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LYCOSA_CONTACT", "me@a.example")
    assert parsed().fetch.contact == "me@a.example"
    assert parsed("--contact", "you@a.example").fetch.contact == "you@a.example"


def test_every_option_of_the_specification_is_offered_once() -> None:
    names = [name for section in SECTIONS.values() for name in section.split()]
    assert len(names) == len(set(names))
    assert {option.name for _, option in (*options_of(CrawlSpec), *options_of(Besides))} == set(names)


def test_most_defaults_are_checked() -> None:
    assert len(told_defaults()) >= 15


@pytest.mark.parametrize("command", [crawl, resume, watch])
def test_help_begins_with_a_verb_and_ends_with_a_stop(command: click.Command) -> None:
    """Help is read aloud: a sentence, that says what the option does."""
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            sentence = option.help.split("  [", 1)[0]
            assert re.match(r"[A-Z][a-z]+ ", sentence), sentence
            assert sentence.endswith("."), sentence
            assert sentence.split()[0] not in {"Of", "Or", "Else", "For", "Also", "The", "A", "If", "One"}, (
                sentence
            )

"""What `lycosa crawl` and `lycosa resume` offer, and what they make of command lines, as text."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import msgspec
from click.testing import CliRunner

from lycosa.cli.crawl import command as crawl
from lycosa.cli.group import lycosa
from lycosa.cli.resume import command as resume
from lycosa.cli.watch import command as watch
from lycosa.model.errors import InputError
from lycosa.spec.options import manners_of, spec_from_options, stop_of
from lycosa.spec.tree import CrawlSpec, FetchSpec, PolitenessSpec, StopSpec

FILE = Path(__file__).with_name("command-lines.txt")
WIDTH = 100
START = "bees https://a.example/"

CRAWLS = (
    START,
    "'honey bees, wild  bees,bees' HTTPS://A.Example https://b.example/x https://a.example/ --pages 1e3",
    "",
    "bees",
    "https://a.example/",
    "bees http://",
    "bees --sitemap https://a.example/map.xml --sitemap https://a.example/map2.xml",
    f"{START} --sitemaps --same-host --host b.example --host a.example",
    "https://a.example/ --like page.html --like HTTPS://B.example --like page.html --hold-out 50%",
    f"{START} --like nowhere.html",
    f"{START} --hold-out 0 --hold-out 1",
    "--topic-file topic.toml",
    "honey https://b.example/ --topic-file topic.toml --good b/c --good a/b --focus wasp --language English --log l",
    "--topic-file topic.toml --taxonomy t --ontology o --model m --ranking r --database d --trust-model",
    "--topic-file topic.toml --predicate 'word(\"x\")' --function a:b --on-fault go-on --weighting tf --hold-out 0",
    "--topic-file topic.toml --predicate '' --function '' --taxonomy '' --model '' --depth 0 --profile s2",
    "--topic-file topic.toml --host a.example --domain b.example --prefix 'org,b)/' --include y --exclude z --port 0",
    "--topic-file topic.toml --back-links old --back-links other --learn-from old --learn-from old --like-start-pages",
    "--topic-file nowhere.toml",
    "--topic-file broken.toml",
    f"{START} --strategy shark:depth=2 --relevant 25% --language de --language German",
    f"{START} --strategy '' --agent '' --proxy '' --contact ''",
    f"{START} --language Klingon",
    f"{START} --profile s3",
    f"{START} --profile s2",
    f"{START} --profile s2 --web recorded:/x",
    f"{START} --profile s2 --web recorded:/x --max-frontier 9 --delay 0 --max-filesize 1k --width 2 --pages 7",
    f"{START} --relevant 1.5",
    f"{START} --order strict --patience 0.5",
    f"{START} --order best",
    f"{START} --patience nan",
    "https://a.example/ --predicate 'word(\"bee\")'",
    "https://a.example/ --function package.module:name --on-fault halt",
    f"{START} --on-fault wait",
    f"{START} --like-start-pages --weighting tf-idf --trust-model",
    f"{START} --weighting idf",
    f"{START} --pages 0",
    f"{START} --pages many",
    f"{START} --time 1h30m --out folder --web recorded:a,b --seed -3 --max-frontier 10_000 --tie random",
    f"{START} --time soon",
    f"{START} --seed 1e3",
    f"{START} --max-frontier 0",
    f"{START} --tie best",
    f"{START} --stop-below 5% --stop-at-recall 0.8 --recall-by captures --surely --stop-after 0 --bytes 1.5G",
    f"{START} --stop-below 5%:200 --recall-by held-out --not-surely --bytes 0",
    f"{START} --stop-below 5%:0",
    f"{START} --stop-at-recall much",
    f"{START} --recall-by guess",
    f"{START} --stop-after -1",
    f"{START} --bytes none",
    f"{START} --domain a.example --domain a.example --prefix 'org,a)' --include x --include x --exclude y --depth 3",
    f"{START} --depth -1",
    f"{START} --port 8080 --port 0 --port 8080",
    f"{START} --port 70000",
    f"{START} --delay 500ms --ignore-robots --agent me --contact me@a.example",
    f"{START} --delay 1e999",
    f"{START} --width 4 --connect-to ::127.0.0.1:80 --connect-to a:80:b:81 --proxy http://127.0.0.1:3128",
    f"{START} --width 0",
    f"{START} --allow-private -k --cookies --max-time 5 --connect-timeout 2s --max-filesize 2k",
    f"{START} --insecure --max-time 2m --max-filesize 1e6",
    f"{START} --max-time 0",
    f"{START} --max-filesize 0",
    f"{START} --pages",
)
RESUMES = (
    "folder",
    "folder --stop-below 0 --stop-at-recall 0 --not-surely --stop-after 0 --bytes 0",
    "folder --stop-below 10%:7 --recall-by captures --pages +5 --time 1m",
    "folder --surely --stop-at-recall 90% --bytes 10k",
    "folder --bytes ten",
)
WATCHES = ("log", "log --delay 3 --ignore-robots --contact me -k --max-time 9 --max-filesize 5k --width 1")
BEFORE = StopSpec(harvest=0.1, window=50, recall=0.7, recall_by="held-out", surely=True, bytes=9, after=8)

ASIDE = {
    "crawl": {"json", "quiet", "verbose"},
    "resume": {"json", "quiet", "verbose", "folder", "budget", "time"},
    "watch": {"json", "log", "once", "most", "depth", "pages", "history", "same_host", "web"},
}
"""Parameters of a command that are not for its specification."""

FILES = {
    "page.html": "about bees",
    "broken.toml": "keyword = ['bees']\n",
    "topic.toml": """\
keywords = ["bees", "honey"]
description = "All about bees."
examples = ["page.html", "https://c.example/"]
hold_out = 0.25
languages = ["en"]
taxonomy = "tree"
good = ["a/b"]
focus = ["bee"]
model = "model.bin"
trust_model = true
predicate = "word('bee')"
function = "m:f"
on_fault = "halt"
weighting = "tf-idf"
back_links = ["old"]
logs = ["/var/log/web.log"]
seeds = ["https://a.example/"]

[scope]
hosts = ["a.example"]
domains = ["b.example"]
include = ["x"]
depth = 4
ports = [8080]
""",
}


def text() -> str:
    """All of it: the help texts, then each command line with what it comes to."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name).resolve()
        for each, content in FILES.items():
            (here / each).write_text(content, encoding="utf-8")
        with chdir(here), patch.dict(os.environ):
            os.environ.pop("LYCOSA_CONTACT", None)
            return "\n".join(_lines()).replace(str(here), "HERE") + "\n"


def _lines() -> Iterator[str]:
    for verb in ("crawl", "resume", "watch"):
        yield _help(verb)
    kinds: Mapping[str, tuple[click.Command, tuple[str, ...], Callable[[Mapping[str, Any]], list[str]]]] = {
        "crawl": (crawl, CRAWLS, lambda given: _differences(spec_from_options(**given), CrawlSpec())),
        "resume": (resume, RESUMES, lambda given: _differences(stop_of(BEFORE, **given), BEFORE)),
        "watch": (watch, WATCHES, _manners),
    }
    for verb, (command, lines, told) in kinds.items():
        for line in lines:
            yield f"$ lycosa {verb} {line}"
            yield from (f"    {found}" for found in _answer(command, line, told))


def _help(verb: str) -> str:
    """All but `--help` itself: click keeps that option as it was when first asked for it."""
    return CliRunner().invoke(lycosa, [verb, "--help"], terminal_width=WIDTH).output.partition("\nHelp:")[0]


def _answer(command: click.Command, line: str, told: Callable[[Mapping[str, Any]], list[str]]) -> list[str]:
    try:
        given = command.make_context(command.name, shlex.split(line)).params
        return told({name: value for name, value in given.items() if name not in ASIDE[command.name or ""]})
    except click.ClickException as error:
        return [f"! {' '.join(error.format_message().split())}"]
    except InputError as error:
        return [f"! {error}"]


def _manners(given: Mapping[str, Any]) -> list[str]:
    politeness, fetch = manners_of(**given)
    return [*_differences(politeness, PolitenessSpec()), *_differences(fetch, FetchSpec())]


def _differences(part: msgspec.Struct, usual: msgspec.Struct, at: str = "") -> list[str]:
    found = []
    for name in part.__struct_fields__:
        value, before = getattr(part, name), getattr(usual, name)
        if isinstance(value, msgspec.Struct):
            found += _differences(value, before, f"{at}{name}.")
        elif value != before:
            found.append(f"{at}{name} = {value!r}")
    return found


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

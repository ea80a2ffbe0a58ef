"""Which names and addresses belonged together: from Python, and `lycosa dns`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.diaries import Diary
from tests.unit.test_damaged_records import run

import lycosa
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.opened import Opened
from lycosa.model.errors import InputError
from lycosa.model.events import Entry, Idled
from lycosa.model.records import Millis
from lycosa.spec.files import load
from lycosa.spec.tree import CrawlSpec
from lycosa.web.http.dns_file import DnsFile

NOVEMBER, DECEMBER = Millis(1_793_491_200_000), Millis(1_796_083_200_000)
"""The first days of 2026."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawlFolder]:
    path = tmp_path_factory.mktemp("dns") / "crawl"
    Diary(path).__exit__(None, None, None)
    file = DnsFile.open(path / "dns.jsonl")
    file.history.observe("model-t.example", ["192.0.2.1", "2001:db8::1"], NOVEMBER)
    file.history.observe("www.automobile.example", ["192.0.2.1"], NOVEMBER)
    file.history.observe("hudson.example", ["192.0.2.2"], DECEMBER)
    file.history.observe("www.automobile.example", ["192.0.2.2"], DECEMBER)
    file.add()
    with lycosa.open(path) as opened:
        yield opened


def test_of_a_name(folder: CrawlFolder) -> None:
    now = folder.dns("www.automobile.example")
    assert (now.canonical, now.addresses, now.names) == (
        "hudson.example",
        ("192.0.2.2",),
        ("hudson.example",),
    )
    then = folder.dns("WWW.automobile.example.", Millis(DECEMBER - 1))
    assert (then.canonical, then.addresses, then.names) == (
        "model-t.example",
        ("192.0.2.1",),
        ("model-t.example",),
    )
    assert [row.superseded for row in then.rows] == [DECEMBER, None]
    assert folder.dns("hudson.example", NOVEMBER).addresses == ()


def test_of_an_address(folder: CrawlFolder) -> None:
    assert folder.dns("192.0.2.1").names == ("model-t.example",)
    assert folder.dns("[2001:db8::1]", NOVEMBER).names == ("model-t.example",)
    with pytest.raises(InputError, match="did not meet it"):
        folder.dns("192.0.2.9")


def test_the_verb(folder: CrawlFolder) -> None:
    told = run("dns", folder.path, "www.automobile.example", "--at", "2026-11").stdout.splitlines()
    assert told == [
        "asked       www.automobile.example",
        "machine of  model-t.example",
        "addresses   192.0.2.1",
        "names       model-t.example",
        "  from 2026-11-01 00:00 UTC until 2026-12-01 00:00 UTC  alias of machine 1",
        "  from 2026-12-01 00:00 UTC  alias of machine 2",
    ]
    listed = run("dns", folder.path).stdout.splitlines()
    assert [line.split()[:3] for line in listed] == [
        ["1", "canonical", "model-t.example"],
        ["1", "address", "192.0.2.1"],
        ["1", "address", "2001:db8::1"],
        ["2", "canonical", "hudson.example"],
        ["2", "alias", "www.automobile.example"],
        ["2", "address", "192.0.2.2"],
    ]
    as_json = run("dns", folder.path, "192.0.2.1", "--json").stdout
    assert json.loads(as_json)["names"] == ["model-t.example"]
    assert len(run("dns", folder.path, "--json", "--at", "2026-11").stdout.splitlines()) == 4
    unknown = run("dns", folder.path, "nobody.example")
    assert (unknown.exit_code, unknown.stderr.count("\n")) == (2, 1)
    assert run("dns", folder.path, "hudson.example", "--at", "2026-10").stdout.startswith(
        "asked       hudson.example\nnothing is known of it as of that time\n"
    )


def test_facts_are_on_disk_before_the_steps_that_rest_on_them(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    with Diary(path) as diary:
        spec = load(diary.paths.specification, CrawlSpec)
    dns = DnsFile.open(path / "dns.jsonl")
    opened = Opened.open(spec, path, dns)
    dns.history.observe("a.example", ["192.0.2.1"], NOVEMBER)
    opened.journal.append(Entry(step=1, at=NOVEMBER, leased=(), event=Idled(), commands=()))
    assert not (path / "dns.jsonl").exists()
    opened.journal.flush()
    assert DnsFile.open(path / "dns.jsonl").history.addresses("a.example") == ("192.0.2.1",)
    assert opened.close() == []

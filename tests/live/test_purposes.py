"""A crawl with a purpose, of a site that speaks of it in files, headers and pages, over HTTP on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.live.small_sites import File, SmallSite, small_site

from lycosa.cli.group import lycosa
from lycosa.crawls.folder import CrawlFolder
from lycosa.model.errors import InputError

ROBOTS = b"""User-agent: *
Content-Usage: /usage train-ai=n
Allow: /

License: /license.xml
"""
TDMREP = b'[{"location": "/mined/", "tdm-reservation": 1}]'
LICENCE = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/licensed">'
    b'<license><prohibits type="usage">ai-train</prohibits></license></content></rsl>'
)
FILES: Mapping[str, bytes] = {
    "/robots.txt": ROBOTS,
    "/.well-known/tdmrep.json": TDMREP,
    "/license.xml": LICENCE,
}
PAGES: Mapping[str, tuple[str, str]] = {
    "/": ("", "Content-Signal: search=yes"),
    "/usage": ("", ""),
    "/licensed": ("", ""),
    "/mined/silent": ("", ""),
    "/mined/open-header": ("", "TDM-Reservation: 0"),
    "/mined/open-meta": ('<meta name="tdm-reservation" content="0">', ""),
    "/header": ("", "Content-Usage: train-ai=n"),
    "/meta": ('<meta name="robots" content="noai">', ""),
}
"""By path what stands in the head of a page, and a header."""


def files() -> dict[str, File]:
    links = "".join(f"<p><a href={path}>Numerical analysis of {path}</a>" for path in PAGES)
    found = {path: File(body, "text/plain") for path, body in FILES.items()}
    for path, (head, header) in PAGES.items():
        page = f"<title>Numerical analysis</title>{head}<p>Numerical analysis: {path}.{links}".encode()
        name, _, value = header.partition(": ")
        found[path] = File(page, header=(name, value) if header else None)
    return found


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with small_site(files()) as site:
        yield site


def crawled(where: str, folder: Path, *options: str) -> dict[str, dict[str, object]]:
    """What `lycosa why` says of each page after a crawl."""

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(lycosa, list(arguments))
        assert result.exit_code == 0, result.output
        return result.output

    limits = ["--delay", "0", "--pages", "20", "--quiet", "--connect-to", f"*:80:{where}", *options]
    run("crawl", "numerical analysis", "http://a.test/", "-o", str(folder), *limits)
    return {path: json.loads(run("why", str(folder), f"http://a.test{path}", "--json")) for path in PAGES}


def test_what_is_reserved_is_not_kept_and_what_is_refused_for_good_is_not_asked(
    site: SmallSite, tmp_path: Path
) -> None:
    where, asked = site
    told = crawled(where, tmp_path / "crawl", "--purpose", "ai-train")
    states = {path: each["state"] for path, each in told.items()}
    kept = {"/", "/mined/open-header", "/mined/open-meta"}
    assert {path for path, state in states.items() if state == "visited"} == kept
    assert set(states.values()) == {"visited", "failed"}
    assert sorted(asked) == sorted([*FILES, *PAGES.keys() - {"/usage", "/licensed"}])
    assert set(asked[:3]) == set(FILES), "the files of the site come before its pages"
    quotes = {
        "/usage": "robots.txt: Content-Usage: /usage train-ai=n",
        "/licensed": "licence file: /licensed prohibits: ai-train",
        "/mined/silent": "well-known: /mined/ tdm-reservation: 1",
        "/header": "header: Content-Usage: train-ai=n",
        "/meta": "meta: noai",
    }
    assert quotes.keys() == PAGES.keys() - kept
    for path, quote in quotes.items():
        assert quote in json.dumps(told[path]), path
    with CrawlFolder.open(tmp_path / "crawl") as folder:
        assert len(folder.timemap("http://a.test/.well-known/tdmrep.json").captures) == 1
        with pytest.raises(InputError):
            folder.timemap("http://a.test/mined/silent")


def test_without_a_purpose_no_file_is_asked_for_and_all_is_recorded(site: SmallSite, tmp_path: Path) -> None:
    where, asked = site
    told = crawled(where, tmp_path / "crawl")
    assert {each["state"] for each in told.values()} == {"visited"}
    assert sorted(asked) == sorted(["/robots.txt", *PAGES])
    assert "header: Content-Usage: train-ai=n" in json.dumps(told["/header"]["rights"])

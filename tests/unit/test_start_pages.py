"""A crawl that begins where a search engine, an earlier crawl or a list says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

import lycosa
from lycosa.cli.group import lycosa as command_line
from lycosa.crawls.start_pages import LONGEST, MOST, start_pages
from lycosa.model.errors import InputError
from lycosa.spec.files import load
from lycosa.spec.tree import CrawlSpec
from lycosa.store.paths import Paths

SAMPLE = f"recorded:{Path(__file__).parents[2] / 'examples' / 'sample-web'}"
START = "http://schools.wiki.example/wp/Biosphere.html"


@contextmanager
def engine(status: int, body: bytes, kind: str = "application/json") -> Iterator[tuple[str, list[str]]]:
    """A search engine on this machine that always gives one answer; its URL, and what it was asked."""
    asked: list[str] = []

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *about: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/search?q={{topic}}&format=json", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_engine_that_answers_as_searxng_does_is_asked_once() -> None:
    hits = {
        "query": "coral reef",
        "results": [{"url": f"http://r{n}.example/", "title": "R"} for n in range(30)],
    }
    hits["results"][1] = {"url": "javascript:alert(1)"}  # type: ignore[call-overload]
    with engine(200, json.dumps(hits).encode()) as (url, asked):
        found = start_pages(url, "coral & reef")
    assert asked == ["/search?q=coral+%26+reef&format=json"]
    assert found[:2] == ["http://r0.example/", "http://r2.example/"]
    assert len(found) == MOST


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (403, b"", "it answered 403; does it give JSON"),
        (500, b"", "it answered 500"),
        (200, b"{nonsense", "is no JSON"),
        (200, b'{"results": 7}', "names no page for 'coral'"),
        (200, b"[]", "names no page for 'coral'"),
        (200, b" " * (LONGEST + 10), "its answer is longer than"),
    ],
)
def test_what_goes_wrong_is_told_in_a_line(status: int, body: bytes, said: str) -> None:
    with engine(status, body) as (url, _), pytest.raises(InputError, match=said) as told:
        start_pages(url, "coral")
    assert "\n" not in str(told.value)


def test_nobody_answers() -> None:
    with engine(200, b"") as (url, _):
        pass
    with pytest.raises(InputError, match="connect"):
        start_pages(url, "coral")


def test_a_topic_without_words_cannot_be_searched_for() -> None:
    with pytest.raises(InputError, match="has no words to search for"):
        start_pages("http://127.0.0.1:9/?q={topic}", "")


@pytest.mark.parametrize(
    "text",
    [
        "# mine\nhttp://a.example/\n\nnothing\n http://b.example  # good\n",
        '["http://a.example/", 7, "http://b.example"]',
        '[{"url": "http://a.example"}, {"link": 1}, {"url": "http://b.example/"}]',
    ],
)
def test_a_list_in_a_file(text: str, tmp_path: Path) -> None:
    place = tmp_path / "list"
    place.write_text(text, "utf-8")
    assert start_pages(str(place), "") == ["http://a.example/", "http://b.example/"]


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file or directory; give the URL of a search engine"):
        start_pages(str(tmp_path / "none"), "coral")


def test_the_best_pages_of_an_earlier_crawl_and_what_is_kept_of_it(tmp_path: Path) -> None:
    earlier, later = tmp_path / "earlier", tmp_path / "later"
    with lycosa.crawl("dinosaur fossil", [START], web=SAMPLE, pages=40, out=earlier) as folder:
        best = [hit.url for hit in folder.search("dinosaur OR egg", MOST)]
        relevant = [row.final_url for row in folder.best(MOST)]
    assert lycosa.start_pages(str(earlier), "Dinosaur egg") == best
    assert lycosa.start_pages(str(earlier), "") == relevant
    options = ["--web", SAMPLE, "--pages", "30", "--out", later, "--seeds-from", earlier, "-q", "--same-host"]
    told = CliRunner().invoke(command_line, ["crawl", "dinosaur egg", *map(str, options)])
    assert told.exit_code == 0, told.stderr
    spec = load(Paths(later).specification, CrawlSpec)
    assert spec.seeds == tuple(best)
    assert spec.seeds_from == (str(earlier),)
    assert spec.scope.hosts == ("schools.wiki.example",)
    with lycosa.open(later) as folder:
        assert {row.url for row in folder.rows(text=False) if row.depth == 0} == set(best)

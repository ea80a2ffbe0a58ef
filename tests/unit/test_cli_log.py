"""Logs at the command line, and what they say of a crawl of the sample web."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.unit.test_logs import line
from tests.worlds import response

import lycosa
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.cli.group import lycosa as main
from lycosa.model.errors import FolderError, InputError
from lycosa.model.url import Url
from lycosa.sources.discovery import discover, is_private, quantiles
from lycosa.sources.experience import experience_of
from lycosa.sources.logs import LogReader
from lycosa.spec.tree import PolitenessSpec, TopicSpec
from lycosa.strategies.intelligent.intelligent import Intelligent

WEB = Path(__file__).parents[2] / "examples" / "sample-web"
SITE = "http://schools.wiki.example"
START = f"{SITE}/wp/Biosphere.html"


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def crawl(out: Path, pages: int = 30, made_by: str = "intelligent", **topic: tuple[str, ...]) -> Path:
    spec = TopicSpec(keywords=("dinosaur", "fossil"), **topic)
    kind = PolitenessSpec(delay=0.1)
    web = f"recorded:{WEB}"
    lycosa.crawl(spec, [START], web=web, strategy=made_by, pages=pages, out=out, politeness=kind).close()
    return out


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl(tmp_path_factory.mktemp("logs") / "crawl")


# -- at the command line -------------------------------------------------------------------------------------


def test_show_tells_counts_and_defects(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_text("\n".join([line("/a"), "broken", line("/b", 1), line("/x.png", 2)]))
    told = run("log", "show", path)
    assert told.exit_code == 0
    assert "cannot be read  1, the first:" in told.output
    assert "line 2: it is in none of" in told.output
    account = json.loads(run("log", "show", path, "--json", "--keep-assets").output)
    assert (account["views"], account["broken"], account["sessions"]) == (3, 1, 1)


def test_an_empty_log_and_none_at_all(tmp_path: Path) -> None:
    path = tmp_path / "empty.log"
    path.touch()
    assert "lines           0" in run("log", "show", path).output
    absent = run("log", "show", tmp_path / "absent.log")
    assert (absent.exit_code, absent.output.count("\n")) == (2, 1)


def test_make_discover_and_crawl(tmp_path: Path, crawled: Path) -> None:
    made = tmp_path / "made.log"
    assert run("log", "make", WEB, START, "--users", 6, "-o", made).exit_code == 0
    assert made.read_text().startswith("10.")
    told = run("log", "discover", made, "--crawl", crawled, "-o", tmp_path / "new.tsv", "--json")
    found = json.loads(told.output)
    assert found["undiscovered"] == len(found["found"]) > 0
    first = (tmp_path / "new.tsv").read_text().splitlines()[0].split("\t")
    assert first == [
        f"{found['found'][0]['score']:.6f}",
        str(found["found"][0]["visits"]),
        found["found"][0]["url"],
    ]
    assert run("log", "discover", made, "--crawl", crawled, "-o", tmp_path / "new.toml").exit_code == 0
    done = run(
        *(
            "crawl",
            "dinosaur",
            "--topic-file",
            tmp_path / "new.toml",
            "--web",
            f"recorded:{WEB}",
            "--log",
            made,
        ),
        *("--strategy", "url-patterns:least=5", "--pages", 5, "--out", tmp_path / "from-log", "-q"),
    )
    assert done.exit_code == 0, done.output
    assert "URL patterns" in run("status", tmp_path / "from-log").output


def test_make_refuses_start_pages_that_are_not_there(tmp_path: Path) -> None:
    refused = run("log", "make", WEB, f"{SITE}/nothing", "-o", tmp_path / "x.log")
    assert refused.exit_code == 2
    assert "holds no page" in refused.output


def test_notes_on_logs_reach_the_user(tmp_path: Path) -> None:
    path = tmp_path / "other.log"
    path.write_text(line("http://other.test/a") + "\nbroken\n")
    told = run(
        *(
            "crawl",
            "dinosaur",
            START,
            "--web",
            f"recorded:{WEB}",
            "--log",
            path,
            "--strategy",
            "user-experience",
        ),
        *("--pages", 3, "--out", tmp_path / "c"),
    )
    assert told.exit_code == 0
    assert "tells of other.test, not of the start pages' hosts" in told.output
    assert "1 of 2 lines cannot be read" in told.output


# -- discovery -------------------------------------------------------------------------------------------------


def test_discovery_by_hand(tmp_path: Path) -> None:
    """A crawl of one page knows that page and what it links to; of four others two are open to all."""
    folder = crawl(tmp_path / "c", pages=1, made_by="breadth-first")
    reader = LogReader()
    paths = ["/wp/Biosphere.html", "/wp/Earth.html", "/new", "/new", "/old", "/r?token=1", "/wp/Water.html"]
    reader.read("log", [line(path, 10 * minute) for minute, path in enumerate(paths)], SITE)
    found = discover(reader.told()[0], folder)
    known = {"Biosphere", "Earth", "Water"}
    assert (found.urls, found.private) == (5, 1)
    assert found.undiscovered_share == pytest.approx((5 - len(known)) / 5)
    assert [(each.url, each.visits) for each in found.found] == [(f"{SITE}/new", 2), (f"{SITE}/old", 1)]
    assert [each.score for each in found.found] == pytest.approx([1.0, 0.63093], abs=1e-5)  # ln 2 / ln 3
    # The crawl is taken to have begun with the first view: it knew the links of its first page an hour before /wp/Water
    # was visited, and ten minutes before /wp/Earth.
    assert found.lag_quantiles["10%"] == pytest.approx(-1.0, abs=0.01)
    assert found.lag_quantiles["50%"] == pytest.approx(-1 / 6, abs=0.01)
    assert found.later == 0
    assert (found.hosts, found.known_hosts) == (1, 1)


def test_quantiles_are_of_the_spans() -> None:
    assert quantiles([]) == {}
    assert quantiles([3_600_000 * hours for hours in range(10)])["50%"] == 5.0


@pytest.mark.parametrize(
    ("path", "private"),
    [
        ("/a?session_id=1", True),
        ("/a?access-token=1", True),
        ("/a?x=0f3a5b7c9d0e1f2a3b4c5d6e7f", True),
        ("/share/0f3a5b7c9d0e1f2a3b4c5d6e7f", True),
        ("/a;jsessionid=12", True),
        ("/user@example.org", True),
        ("/a?page=2&sort=name", False),
        ("/the-history-of-aspirin-since-1899", False),
        ("/wp/Dinosaur.html", False),
    ],
)
def test_what_is_private(path: str, private: bool) -> None:
    assert bool(is_private(Url(f"https://example.org{path}"))) is private


def test_what_the_archived_robots_txt_forbids_is_left_out(tmp_path: Path) -> None:
    folder = crawl(tmp_path / "c", pages=1, made_by="breadth-first")
    reader = LogReader()
    reader.read("log", [line("/secret/a"), line("/open/b"), line("http://other.example/c")], SITE)
    log = reader.told()[0]
    assert (discover(log, folder).forbidden, discover(log, folder).without_robots) == (0, 2)
    rules = b"User-agent: *\nDisallow: /secret/\n"
    archive = WarcArchive.open(folder / "archive", Provenance(crawl_id="c"))
    archive.write(response(Url(f"{SITE}/robots.txt"), rules, 200, ("Content-Type", "text/plain")))
    archive.close()
    found = discover(log, folder)
    assert (found.forbidden, found.without_robots, found.known_hosts) == (1, 1, 1)
    assert [each.url for each in found.found] == ["http://other.example/c", f"{SITE}/open/b"]


def test_there_must_be_views_and_a_crawl(tmp_path: Path) -> None:
    reader = LogReader()
    with pytest.raises(InputError, match="no page views"):
        discover(reader.told()[0], tmp_path)
    reader.read("log", [line("/a")], SITE)
    with pytest.raises(FolderError, match="no crawl here"):
        discover(reader.told()[0], tmp_path)


# -- experience --------------------------------------------------------------------------------------------------


def test_experience_of_an_earlier_crawl(tmp_path: Path, crawled: Path) -> None:
    given = experience_of(crawled)
    assert given.strategy == "intelligent"
    assert Intelligent(given)._known.base.pages == 30
    folder = crawl(tmp_path / "again", 5, "intelligent+explore:epsilon=0.1", learn_from=(str(crawled),))
    assert experience_of(folder).strategy == "intelligent"


def test_experience_of_another_strategy_is_refused_in_one_line(tmp_path: Path, crawled: Path) -> None:
    with pytest.raises(InputError, match="'user-experience' cannot learn from a crawl by 'intelligent'"):
        crawl(tmp_path / "other", 5, "user-experience", learn_from=(str(crawled),))
    with pytest.raises(InputError, match="no crawl here to learn from"):
        crawl(tmp_path / "none", 5, learn_from=(str(tmp_path),))
    with pytest.raises(InputError, match="give --learn-from once"):
        crawl(tmp_path / "two", 5, learn_from=(str(crawled), str(tmp_path)))

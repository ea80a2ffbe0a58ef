"""A crawl and its search engine feed each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import lycosa
from lycosa.cli.group import lycosa as commands
from lycosa.model.errors import InputError
from lycosa.spec.tree import ScopeSpec
from lycosa.uses.symbiosis import OPERATOR, Round, symbiosis

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    folder = lycosa.crawl(
        "dinosaur fossil",
        ["http://schools.wiki.example/wp/Biosphere.html"],
        web=f"recorded:{SAMPLE}",
        strategy="breadth-first",
        pages=25,
        out=tmp_path / "crawl",
    )
    folder.close()
    return tmp_path / "crawl"


def test_answers_get_better_as_their_links_are_crawled(crawled: Path) -> None:
    told: list[Round] = []
    rounds = symbiosis(crawled, "fossil", rounds=2, pages=20, tell=told.append)
    assert told == rounds
    assert [each.number for each in rounds] == [0, 1, 2]
    assert [each.pages for each in rounds] == [25, 45, 65]
    assert rounds[-1].relevance > rounds[0].relevance
    assert rounds[1].fresh > 0
    with lycosa.open(crawled) as folder:
        relevances = {row.final_url: row.relevance for row in folder.rows(text=False)}
        assert folder.status().pages == 65
    top = [relevances[url] for url in rounds[-1].answers]
    assert rounds[-1].relevance == pytest.approx(sum(top) / 10)
    assert rounds[-1].precision == sum(value >= 0.1 for value in top) / 10


def test_the_links_of_answers_were_put_to_the_front_and_the_journal_says_who_did_it(crawled: Path) -> None:
    before = symbiosis(crawled, "fossil", rounds=1, pages=5)[0]
    with lycosa.open(crawled) as folder:
        rows = list(folder.rows(text=False))
        kinds = folder.history.kinds()
    assert kinds["operated"] == 1
    assert {row.via for row in rows[25:28]} <= set(before.answers)
    assert all(row.score == 1.0 for row in rows[25:28])
    assert OPERATOR == "symbiosis"


@pytest.mark.parametrize("strategy", ["hunter", "best-first", "shark", "opic", "wire", "evolved"])
def test_the_links_of_answers_are_visited_first_whatever_the_strategy(tmp_path: Path, strategy: str) -> None:
    folder = lycosa.crawl(
        "dinosaur fossil",
        ["http://schools.wiki.example/wp/Biosphere.html"],
        web=f"recorded:{SAMPLE}",
        strategy=strategy,
        pages=25,
        out=tmp_path / "crawl",
    )
    folder.close()
    before = symbiosis(tmp_path / "crawl", "energy", rounds=1, pages=12)[0]
    with lycosa.open(tmp_path / "crawl") as folder:
        rows = list(folder.rows(text=False))
    assert {(row.via in before.answers, row.score) for row in rows[25:]} == {(True, 1.0)}


def test_it_ends_when_nothing_is_left_to_crawl(tmp_path: Path) -> None:
    with lycosa.crawl(
        "dinosaur fossil",
        ["http://schools.wiki.example/wp/Fossil.html"],
        web=f"recorded:{SAMPLE}",
        pages=5,
        out=tmp_path / "crawl",
        scope=ScopeSpec(depth=1, include=("/[F][^/]*$",)),
    ) as folder:
        assert folder.status().pages < 5
    rounds = symbiosis(tmp_path / "crawl", "fossil", rounds=4, pages=5)
    assert [each.number for each in rounds] == [0]


def test_a_query_without_answers_is_told(crawled: Path) -> None:
    with pytest.raises(InputError, match="no page of the crawl answers 'xylophonist'"):
        symbiosis(crawled, "xylophonist")


def test_from_the_command_line(crawled: Path) -> None:
    args = ["symbiosis", str(crawled), "fossil", "--rounds", "1", "--pages", "5"]
    told = CliRunner().invoke(commands, [*args, "--json"])
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert [row["number"] for row in rows] == [0, 1]
    assert CliRunner().invoke(commands, args).stdout.splitlines()[0].startswith("round   pages")

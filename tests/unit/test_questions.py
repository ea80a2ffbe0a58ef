"""Questions: which pages a crawl would be told about, and what the commands say."""

from __future__ import annotations

import json
from math import log, sqrt
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import lycosa
from lycosa.cli.group import lycosa as commands
from lycosa.crawls.answers import Question
from lycosa.scoring.topics.uncertainty import ALIKE, doubt, influence, to_ask, worth

SAMPLE = f"recorded:{Path(__file__).parents[2] / 'examples' / 'sample-web'}"
START = "http://schools.wiki.example/wp/Biosphere.html"


def test_doubt_worked_by_hand() -> None:
    assert [doubt(r, 0.2, 0.6) for r in (0.0, 0.1, 0.2, 0.3, 0.6)] == pytest.approx([0, 0.5, 1, 0.75, 0])
    assert [doubt(p, 0.5, 1.0) for p in (0.0, 0.4, 0.5, 0.9)] == pytest.approx(
        [1 - abs(2 * p - 1) for p in (0.0, 0.4, 0.5, 0.9)]
    )
    assert doubt(0.1, 0.2, 0.1) == 0.5  # the best of a crawl that has no relevant page yet
    assert doubt(0.2, 0.2, 0.2) == 1.0
    assert doubt(0.0, 0.0, 0.0) == 1.0  # every page counts, and none is better than any other


def test_influence_and_worth_worked_by_hand() -> None:
    assert influence([1, 2, 4]) == 1.75
    assert influence([]) == 0.0
    assert worth(0.5, 0.0) == 0.5
    assert worth(0.5, 1.75) == pytest.approx(0.5 * (1 + log(2.75)))


def test_what_to_ask_worked_by_hand() -> None:
    texts = [{"a": 1.0}, {"a": 1.0, "b": 1.0}, {"a": 2.0}, {"c": 1.0}]
    # After the first, the second is worth .9 · (1 - 1/√2) = .26, the third says the same, the last is worth .3.
    assert to_ask([1.0, 0.9, 0.95, 0.3], texts, [], 9) == [0, 3, 1]
    assert to_ask([1.0, 0.9, 0.95, 0.3], texts, [], 2) == [0, 3]
    # With c answered: 1, .9, .95 · (1 - 0), and the last has its answer.
    assert to_ask([1.0, 0.9, 0.95, 0.3], texts, [{"c": 5.0}], 9) == [0, 1]
    assert to_ask([0.5, 0.5], [{"a": 1.0}, {"b": 1.0}], [], 1) == [0]
    assert to_ask([0.0], [{"a": 1.0}], [], 1) == []
    assert to_ask([], [], [], 3) == []
    assert 1 / sqrt(2) < ALIKE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("asked") / "c"
    lycosa.crawl("dinosaur fossil", [START], web=SAMPLE, strategy="hunter", pages=60, out=where).close()
    return where


def questions(folder: Path, most: int = 5) -> list[Question]:
    with lycosa.open(folder) as crawl:
        return crawl.questions(most)


def said(*args: object, answers: str = "") -> Result:
    return CliRunner().invoke(commands, list(map(str, args)), input=answers)


def test_questions_are_doubtful_unlike_and_the_same_each_time(folder: Path) -> None:
    asked = questions(folder)
    assert asked == questions(folder)
    assert asked[:2] == questions(folder, 2)
    assert len({question.title for question in asked}) == len(asked) == 5
    assert all(question.doubt >= 0.5 for question in asked)
    assert all(0 <= question.influence <= question.waiting for question in asked)
    assert any(question.waiting for question in asked)
    assert all(question.extract for question in asked)
    with lycosa.open(folder) as crawl:
        best = crawl.best(1)[0].relevance
        for question in asked:
            assert question.doubt == doubt(question.relevance, 0.1, best)
            assert question.relevance == crawl.why(question.url).relevance


def test_ask_says_how_to_answer_and_asks_no_more_what_was_answered(tmp_path: Path) -> None:
    where = tmp_path / "c"
    lycosa.crawl("dinosaur fossil", [START], web=SAMPLE, strategy="hunter", pages=60, out=where).close()
    [first] = questions(where, 1)
    told = said("ask", where, "-n", "1").stdout
    assert f" 1  {first.title}\n    {first.url}\n" in told
    assert f"    lycosa mark {where} {first.url} --good  # or --bad\n" in told
    assert json.loads(said("ask", where, "-n", "1", "--json").stdout)["url"] == first.url

    told = said("mark", where, first.url, "--good").stdout
    assert told == f"{first.url}: marked good\nit counts when the crawl goes on: lycosa resume {where}\n"
    assert first.url not in {question.url for question in questions(where)}
    assert "marked       1 good, 0 bad, 1 mark to be heard by lycosa resume\n" in said("status", where).stdout
    assert "marked     good\n" in said("why", where, first.url).stdout

    told = said("ask", where, "--interactive", answers="what?\nn\ns\nq\n").stdout
    answered = [question.url for question in questions(where)]
    with lycosa.open(where) as crawl:
        assert [(mark.url == first.url, mark.good) for mark in crawl.marks()] == [
            (True, True),
            (False, False),
        ]
        assert crawl.marks()[1].url not in answered
    assert "1 of 5" in told
    assert "3 of 5" in told
    assert "4 of 5" not in told
    assert "marked bad" in told

    assert said("resume", where, "--pages", "61", "-q").exit_code == 0
    assert ">1 good<small>1 bad<" in (where / "report.html").read_text()
    assert "marked       1 good, 1 bad\n" in said("status", where).stdout
    assert json.loads(said("status", where, "--json").stdout)["marks"] == {"good": 1, "bad": 1, "waiting": 0}
    assert "no longer marked" in said("mark", where, first.url, "--forget").stdout


def test_status_of_a_crawl_that_nobody_marked(folder: Path) -> None:
    told = said("status", folder)
    assert told.exit_code == 0
    assert "marked" not in told.stdout


def test_what_cannot_be_marked_or_asked_is_told_in_a_line(folder: Path, tmp_path: Path) -> None:
    for args, what in (
        (("mark", folder, START), "say what they are: --good, --bad or --forget"),
        (
            ("mark", folder, "http://nowhere.test/", "--bad"),
            "http://nowhere.test/: is no page of the crawl; only",
        ),
        (("mark", tmp_path / "none", START, "--bad"), "no crawl here"),
        (("ask", folder, "--interactive", "--json"), "--interactive and --json: give one of them"),
    ):
        told = said(*args)
        assert told.exit_code == 2
        assert told.stderr.startswith("lycosa: ")
        assert what in told.stderr
        assert told.stderr.count("\n") == 1


def test_without_a_page_in_doubt_nothing_is_asked(tmp_path: Path) -> None:
    where = tmp_path / "c"
    lycosa.crawl("zyzzyva", [START], web=SAMPLE, pages=5, out=where).close()
    assert said("ask", where).stdout == "no page is in doubt: there is nothing to ask\n"
    assert questions(where) == []

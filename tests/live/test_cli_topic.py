"""`lycosa topic`, and crawls that its models, predicates and functions judge, on the sample web."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lycosa.cli.group import lycosa as commands

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
WEB = f"recorded:{SAMPLE}"
START = "http://schools.wiki.example/wp/Biosphere.html"
TOPICAL = "dinosaur fossil {} reptile bones extinct"
OTHERS = "car engine {} wheel brake road"


def run(*words: str | Path | int) -> Result:
    return CliRunner().invoke(commands, list(map(str, words)))


def done(*words: str | Path | int) -> Result:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Folders `yes` and `no` of a few pages each."""
    for name, text in (("yes", TOPICAL), ("no", OTHERS)):
        (tmp_path / name).mkdir()
        for i, word in enumerate(("museum", "river", "tail", "small", "north", "world")):
            (tmp_path / name / f"{i}.txt").write_text(text.format(word))
    return tmp_path


@pytest.fixture
def model(pages: Path) -> Path:
    file = pages / "model.json"
    done(
        "topic",
        "train",
        "--kind",
        "nb",
        "--positive",
        pages / "yes",
        "--negative",
        pages / "no",
        "--out",
        file,
    )
    return file


@pytest.mark.parametrize("kind", ["rocchio", "lewis", "logistic"])
def test_train_test_and_show(pages: Path, kind: str) -> None:
    file = pages / "m.json"
    sides = ("--positive", pages / "yes", "--negative", pages / "no")
    trained = done("topic", "train", "--kind", kind, *sides, "--out", file, "--folds", 3).output
    assert "6 positive and 6 negative pages" in trained
    assert "cross-validated over 3 folds" in trained
    shown = json.loads(done("topic", "show", file, "--json").stdout)
    assert shown["kind"] == kind
    assert set(list(shown["deciding"]["for"])[:5]) == {"dinosaur", "fossil", "reptil", "bone", "extinct"}
    assert shown["quality"]["precision"] == shown["quality"]["recall"] == 1.0
    tested = json.loads(done("topic", "test", file, *sides, "--json").stdout)
    assert (tested["pages"], tested["accuracy"], tested["folds"]) == (12, 1.0, 0)
    assert "Brier" in done("topic", "test", file, *sides).output


def test_pages_from_a_list_of_urls_of_a_recorded_web(tmp_path: Path) -> None:
    urls = tmp_path / "urls.txt"
    names = ("Dinosaur", "Fossil", "Biosphere", "No_such_page")
    urls.write_text("# a list\n" + "".join(f"http://schools.wiki.example/wp/{n}.html\tx\n" for n in names))
    for i in range(3):
        (tmp_path / f"{i}.txt").write_text(OTHERS.format(i))
    others = [word for i in range(3) for word in ("--negative", tmp_path / f"{i}.txt")]
    file = tmp_path / "m.json"
    told = done(
        *("topic", "train", "--kind", "nb", "--positive", f"@{urls}", *others),
        *("--web", WEB, "--folds", 0, "--out", file, "--json"),
    )
    made = json.loads(told.stdout)
    assert (made["positives"], made["negatives"], made["quality"]) == (3, 3, None)
    assert "1 page left out, the first: page http://schools.wiki.example/wp/No_such_page.html" in told.stderr


def test_a_crawl_is_judged_by_a_model_and_why_tells_the_terms(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "crawl"
    done("crawl", START, "--model", model, "--web", WEB, "--pages", 15, "--out", out, "-q")
    model.unlink()  # the folder keeps what it needs
    done("resume", out, "--pages", 20, "-q")
    rows = json.loads(done("status", out, "--json").stdout)
    assert rows["pages"] == 20
    assert rows["mean_relevance"] > 0
    told = json.loads(done("why", out, START, "--json").stdout)
    assert 0.0 <= told["relevance"] <= 1.0
    assert set(told["relevance_parts"]) & {"dinosaur", "fossil", "extinct", "reptil", "road", "river"}


def test_a_crawl_is_judged_by_a_predicate(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "crawl"
    expression = f'word("fossil") and classifier("{model}") > .5 and not url(r"Talk:")'
    done("crawl", START, "--predicate", expression, "--web", WEB, "--pages", 15, "--out", out, "-q")
    told = json.loads(done("why", out, START, "--json").stdout)
    assert told["relevance"] in (0.0, 1.0)
    assert set(told["relevance_parts"]) == {"word('fossil')", f"classifier('{model}')", "url('Talk:')"}


FUNCTION = """
def judge(page):
    if "Biosphere" in page.url:
        raise ValueError("cannot judge the biosphere")
    return float("nan") if "Life" in page.title else 0.5
"""


def test_faults_of_a_function_are_told_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_judges.py").write_text(FUNCTION)
    monkeypatch.syspath_prepend(tmp_path)
    out = tmp_path / "crawl"
    words = ("crawl", START, "--function", "my_judges:judge", "--web", WEB, "--pages", 5)
    told = done(*words, "--out", out).output
    assert "a page could not be judged and counts as irrelevant" in told
    assert "ValueError: cannot judge the biosphere" in told
    status = json.loads(done("status", out, "--json").stdout)
    assert status["pages"] == 5
    assert status["facts"]["pages that could not be judged"] >= 1
    why = json.loads(done("why", out, START, "--json").stdout)
    assert why["relevance_parts"] == {"ValueError: cannot judge the biosphere": 0.0}
    halted = run(*words, "--out", tmp_path / "halted", "--on-fault", "halt")
    assert halted.exit_code == 1
    assert "cannot be judged: ValueError: cannot judge the biosphere; once that is mended: lycosa resume" in (
        halted.output
    )
    mended = FUNCTION.replace("Biosphere", "Nothing").replace('"Life" in page.title', "False")
    (tmp_path / "my_judges.py").write_text(mended)
    import sys

    monkeypatch.delitem(sys.modules, "my_judges")
    done("resume", tmp_path / "halted", "-q")
    assert json.loads(done("status", tmp_path / "halted", "--json").stdout)["mean_relevance"] == 0.5


def test_running_frequencies_survive_a_resume(tmp_path: Path) -> None:
    """Twelve pages in one go, or six and six: the same relevances."""
    words = ("crawl", "dinosaur fossil", START, "--weighting", "tf-idf", "--web", WEB, "-q")
    done(*words, "--pages", 12, "--out", tmp_path / "whole")
    done(*words, "--pages", 6, "--out", tmp_path / "half")
    done("resume", tmp_path / "half", "--pages", 12, "-q")
    rows = [
        [
            json.loads(line)["relevance"]
            for line in done("export", tmp_path / name, "--to", "jsonl").stdout.splitlines()
        ]
        for name in ("whole", "half")
    ]
    assert sorted(rows[0]) == pytest.approx(sorted(rows[1]))
    assert len(rows[0]) == 12


def test_mistakes_are_one_line(pages: Path, model: Path) -> None:
    sides = ("--positive", pages / "yes", "--negative", pages / "no")
    (pages / "none").mkdir()
    for words, told in (
        (("topic", "train", "--positive", pages / "none", "--negative", pages / "no"), "has no files"),
        (
            ("topic", "train", "--positive", pages / "yes/0.txt", "--negative", pages / "no"),
            "1 positive pages",
        ),
        (
            ("topic", "train", "--positive", f"@{pages}/gone", "--negative", pages / "no"),
            "the list cannot be",
        ),
        (("topic", "train", "--positive", pages / "yes", "--negative", pages / "yes"), "as positive and as"),
        (("topic", "train", *sides, "--out", pages / "yes" / "0.txt"), "exists and is no topic model"),
        (("topic", "show", pages / "yes" / "0.txt"), "is no topic model"),
        (
            ("crawl", START, "--web", WEB, "--predicate", "wrd('x')", "--out", pages / "c"),
            "did you mean 'word'",
        ),
    ):
        result = run(*words)
        assert (result.exit_code, len(result.stderr.strip().splitlines()[-1:])) == (2, 1), result.output
        assert told in result.stderr
    model.write_text(model.read_text().replace('"format": 1', '"format": 9'))
    result = run("crawl", START, "--web", WEB, "--model", model, "--out", pages / "c")
    assert result.exit_code == 2
    assert "a topic model of format 9, this lycosa reads 1; train it again" in result.stderr

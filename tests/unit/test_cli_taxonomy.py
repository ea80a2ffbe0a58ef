"""`lycosa taxonomy classify`: examples put into categories, corrected, marked, written and crawled with."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lycosa.cli.group import lycosa
from lycosa.cli.taxonomy import Candidate, Placed, asked
from lycosa.sources.taxonomy import outline_in

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
WP = "http://schools.wiki.example/wp/"
TREE = {
    "Nature/Dinosaurs": ["Allosaurus.html", "Tyrannosaurus.html", "Stegosaurus.html"],
    "Nature/Earth": ["Earth.html", "Volcano.html"],
    "Countries": ["England.html", "France.html", "Germany.html"],
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    place = tmp_path / "tree.json"
    place.write_text(
        json.dumps({"categories": {path: [WP + page for page in pages] for path, pages in TREE.items()}})
    )
    return place


def run(*words: object) -> Result:
    return CliRunner().invoke(lycosa, [str(word) for word in words])


def classify(tree: Path, *more: object) -> Result:
    like = ("--like", f"{WP}Iguanodon.html", "--like", f"{WP}Spain.html")
    return run("taxonomy", "classify", tree, *like, "--web", f"recorded:{SAMPLE}", *more)


def test_examples_are_shown_in_their_categories(tree: Path) -> None:
    result = classify(tree)
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.output.splitlines()]
    assert lines[0] == [f"{WP}Iguanodon.html"]
    assert lines[1][:2] == ["*", "1"]
    assert lines[1][-1] == "Nature/Dinosaurs"
    assert ["*", "1", lines[5][2], "Countries"] == lines[5]
    assert "mark categories with --good PATH or --accept" in result.output


def test_the_result_is_a_taxonomy_that_builds_on_the_first(tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    place = f"{WP}Spain.html=Nature/Earth"
    result = classify(tree, "--place", place, "--good", "Nature/Dinosaurs", "-o", out)
    assert result.exit_code == 0, result.output
    outline = outline_in(out)
    assert outline.good == ("Nature/Dinosaurs",)
    assert outline.pages["Nature/Dinosaurs"][-1] == f"{WP}Iguanodon.html"
    assert outline.pages["Nature/Earth"][-1] == f"{WP}Spain.html"
    crawl = (
        "--web",
        f"recorded:{SAMPLE}",
        "--pages",
        15,
        "--delay",
        "0.1s",
        "-q",
        "--out",
        tmp_path / "crawl",
    )
    assert run("crawl", "--taxonomy", out, "--strategy", "focused", f"{WP}Fossil.html", *crawl).exit_code == 0
    status = json.loads(run("status", tmp_path / "crawl", "--json").stdout)
    assert status["topic"] == "what mine.toml judges"
    assert sum(int(line.split()[0]) for line in status["facts"]["best categories"]) == 15
    why = run("why", tmp_path / "crawl", f"{WP}Fossil.html")
    assert "Nature/Dinosaurs" in why.output, why.output


def test_accepting_marks_the_examples_categories_and_json_tells_all(tree: Path) -> None:
    result = classify(tree, "--accept", "--json")
    told = json.loads(result.stdout)
    assert told["good"] == ["Nature/Dinosaurs", "Countries"]
    assert told["examples"][0]["candidates"][0]["probability"] > 0.5
    assert [each["category"] for each in told["examples"]] == ["Nature/Dinosaurs", "Countries"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--place", "x.html=Countries"), "'x.html' is no example; give it with --like as well"),
        (
            ("--place", f"{WP}Spain.html=Contries"),
            "there is no category 'Contries'; did you mean 'Countries'?",
        ),
        (("--good", "Nature", "--good", "Nature/Earth"), "'Nature' lies above 'Nature/Earth'"),
        (("-o", "out.toml"), "no category is marked as good"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tree: Path, more: Sequence[str], says: str) -> None:
    result = classify(tree, *more)
    assert result.exit_code == 2
    assert says in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def answers(*given: str) -> Callable[[str, str], str]:
    """Answers of a person; an empty one takes what is offered."""
    left = iter(given)
    return lambda question, default: next(left) or default


def test_the_dialogue_corrects_and_marks(capsys: pytest.CaptureFixture[str]) -> None:
    paths = {"": (), "A": (), "A/x": (), "A/y": (), "B": ()}
    candidates = (Candidate("A/x", 0.7), Candidate("B", 0.2))
    found = [Placed(example=name, category="A/x", candidates=candidates) for name in ("one", "two", "three")]
    corrected, good = asked(found, paths, answers("", "2", "A/z", "A/y", "1, A", "1,3"))
    assert [each.category for each in corrected] == ["A/x", "B", "A/y"]
    assert good == ["A/x", "A/y"]
    said = capsys.readouterr().out
    assert "there is no category 'A/z'" in said
    assert "'A' lies above 'A/x'" in said


def test_what_was_left_out_is_told_when_a_crawl_begins(tree: Path, tmp_path: Path) -> None:
    content = json.loads(tree.read_text())
    content["categories"]["Countries"].append(f"{WP}Atlantis.html")
    tree.write_text(json.dumps({**content, "good": ["Nature/Dinosaurs"]}))
    more = ("--web", f"recorded:{SAMPLE}", "--pages", 1, "--out", tmp_path / "crawl")
    result = run("crawl", "--taxonomy", tree, f"{WP}Fossil.html", *more)
    assert result.exit_code == 0
    assert f"these example pages could not be had: {WP}Atlantis.html" in result.output

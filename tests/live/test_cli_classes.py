"""`lycosa classes` on files and on the sample web."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.sharedcrawls import shared_crawl

from lycosa.archive.collection import Collection
from lycosa.cli.group import lycosa as commands
from lycosa.crawls.folder import CrawlFolder
from lycosa.model.nodes import Members, Node
from lycosa.model.url import Url
from lycosa.read.html import read
from lycosa.sharing.by_topic import ByTopic
from lycosa.sources.classes import read_classes
from lycosa.spec.tree import ClusterSpec, CrawlSpec, TopicSpec

EXAMPLES = Path(__file__).parents[2] / "examples"
SAMPLE = (EXAMPLES / "sample-taxonomy.toml", "--level", 2, "--web", f"recorded:{EXAMPLES / 'sample-web'}")
ANIMALS = "dinosaur fossil {} reptile bones extinct"
CARS = "car engine {} wheel brake road"


def run(*words: str | Path | int) -> Result:
    return CliRunner().invoke(commands, list(map(str, words)))


def done(*words: str | Path | int) -> Result:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of pages for each of two classes, and a page that is of both."""
    for name, text in (("animals", ANIMALS), ("cars", CARS)):
        (tmp_path / "pages" / name).mkdir(parents=True)
        for i, word in enumerate(("museum", "river", "tail", "small", "north", "world", "green", "loud")):
            (tmp_path / "pages" / name / f"{i}.txt").write_text(text.format(word))
    return tmp_path / "pages"


@pytest.mark.parametrize("kind", ["nb", "nb-root", "lewis", "rocchio", "svm"])
def test_train_show_and_test(folder: Path, kind: str) -> None:
    file = folder.parent / "c.json.zst"
    options = ("--kind", kind, "--least", 2, "--short-words", 3, "--out", file)
    trained = done("classes", "train", folder, *options).output
    assert "8 pages of 2 classes" in trained
    assert "on pages that were set aside" in trained
    shown = json.loads(done("classes", "show", file, "--json").stdout)
    assert (shown["kind"], shown["names"], shown["pages"]) == (
        kind,
        ["animals", "cars"],
        {"animals": 4, "cars": 4},
    )
    assert shown["digest"] == read_classes(file).digest
    assert set(shown["telling"]["animals"][:5]) <= {"dinosaur", "fossil", "reptil", "bone", "extinct"}
    assert (shown["quality"]["pages"], shown["quality"]["accuracy"]) == (8, 1.0)
    tested = done("classes", "test", file, folder, "--json")
    assert (json.loads(tested.stdout)["pages"], json.loads(tested.stdout)["untold"]) == (8, 0)
    assert "8 pages left out, as the model was trained on them" in tested.stderr
    assert "recall" in done("classes", "test", file, folder).output


def test_the_sample_web_by_rules(tmp_path: Path) -> None:
    file = tmp_path / "c.json.zst"
    told = done(
        *("classes", "train", *SAMPLE, "--least", 3, "--aside", "25%", "--out", file),
        *("--gate", "words", "--foreign", "ELSEWHERE", "--short", "Nature/Matter"),
    ).output
    assert "21 pages of 7 classes" in told
    assert "fewer than 50 words are in Nature/Matter, those of fewer than 10 % common English" in told
    shown = json.loads(done("classes", "show", file, "--json").stdout)
    assert shown["names"][-1] == "ELSEWHERE"
    assert shown["quality"]["accuracy"] > 0.5
    again = tmp_path / "again.json.zst"
    done("classes", "train", *SAMPLE, "--least", 3, "--aside", 0, "--out", again)
    assert json.loads(done("classes", "show", again, "--json").stdout)["quality"] is None
    done("classes", "train", *SAMPLE, "--least", 2, "--out", again)  # takes the place of classes


def test_what_is_left_out_is_told(folder: Path) -> None:
    table = folder.parent / "t.csv"
    table.write_text(
        "url,class\nhttp://a.test/1,A\nhttp://a.test/1,B\nhttp://a.test/2,B\nhttp://a.test/3,A\n"
    )
    told = run("classes", "train", table, "--web", f"recorded:{EXAMPLES / 'sample-web'}")
    assert told.exit_code == 2
    assert (
        "at least two classes need 10 pages of 50 words to learn from; the largest have: A 0, B 0"
        in told.output
    )
    (folder / "few").mkdir()
    (folder / "few" / "1.txt").write_text(CARS)
    (folder / "cars" / "short.txt").write_text("car")
    file = folder.parent / "c.json.zst"
    told = done("classes", "train", folder, "--least", 2, "--short-words", 3, "--aside", 0, "--out", file)
    assert "classes left out that have fewer than 2 pages to learn from: few (1)" in told.stderr
    assert "1 page with too few words to learn from left out" in told.stderr
    (folder / "cars" / "new.txt").write_text(CARS.format("strange"))
    tested = done("classes", "test", file, folder)
    assert "classes left out that the model does not have: few" in tested.stderr
    assert "of cars" not in tested.output


def test_other_files_are_left_alone(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    for out, said in ((file, "exists and is no file of classes"), (tmp_path, "is a folder")):
        told = run("classes", "train", folder, "--out", out)
        assert (told.exit_code, said in told.output) == (2, True), told.output
    assert file.read_text() == "mine"
    assert "is no file of classes" in run("classes", "show", file).output
    assert run("classes", "train", folder, "--out", "-", "--json").exit_code == 2


def test_nothing_is_tested_on_what_was_learned(folder: Path) -> None:
    file = folder.parent / "c.json.zst"
    done("classes", "train", folder, "--least", 2, "--short-words", 3, "--aside", 0, "--out", file)
    told = run("classes", "test", file, folder)
    assert told.exit_code == 2
    assert (
        "no page is left to test on: of 16 16 are in classes that the model has, and 0 are new to it"
        in told.output
    )


def test_a_crawl_is_shared_by_trained_classes(tmp_path: Path) -> None:
    """Each node keeps the pages of its classes, and those of no class that it found."""
    file = tmp_path / "c.json.zst"
    done("classes", "train", *SAMPLE, "--least", 3, "--aside", 0, "--out", file)
    classes = read_classes(file)
    spec = CrawlSpec(
        web=str(SAMPLE[-1]),
        seeds=("http://schools.wiki.example/wp/Biosphere.html",),
        topic=TopicSpec(keywords=("life",)),
        strategy="breadth-first",
        cluster=ClusterSpec(classes=str(file)),
    )
    path = shared_crawl(tmp_path / "shared", spec, lambda members: ByTopic(members, classes), pages=40)
    recording, kept = Collection.open([EXAMPLES / "sample-web"]), dict[str, set[int | None]]()
    for name in ("n0", "n1", "n2"):
        with CrawlFolder.open(path / "nodes" / name) as folder:
            rows = list(folder.rows())
        bodies = {row.url: found.body for row in rows if (found := recording.find(row.url)) is not None}
        kept[name] = {classes.best(read(body, Url(url)).terms) for url, body in bodies.items()}
    members = Members(epoch=1, names=tuple(map(Node, kept)))
    for place, owner in enumerate(ByTopic(members, classes).owners):
        assert all(place not in of for name, of in kept.items() if name != owner), classes.names[place]
    assert sum(map(len, kept.values())) >= 5  # of 7 classes

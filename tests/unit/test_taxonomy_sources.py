"""Taxonomies read from JSON, TOML and folders, and what is wrong with some."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.worlds import TableWeb, html, response, u

from lycosa.crawl.inputs import Taxonomy
from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import InputError
from lycosa.sources import taxonomy
from lycosa.sources.reading import Reading
from lycosa.sources.taxonomy import examples_below, outline_in, read_taxonomy
from lycosa.spec.tree import TopicSpec

WEB = TableWeb({u(name): response(u(name), html(f"{name} lion word")) for name in "abcdefgh"})

NESTED = {
    "name": "everything",
    "path": "everything",
    "pages": [],
    "children": [
        {"name": "Animals", "children": [
            {"name": "Birds", "pages": [u("a"), u("b")]},
            {"name": "Fish", "pages": [u("c")]},
            {"name": "Snails"},
        ]},
        {"name": "Cars", "path": "everything.Cars", "pages": [u("d"), u("e")]},
    ],
}  # fmt: skip


def reading_of(place: Path, *good: str) -> Reading:
    return Reading(TopicSpec(taxonomy=str(place), good=good), WEB, None, VirtualClock())


def read(place: Path, *good: str) -> Taxonomy:
    found = asyncio.run(read_taxonomy(reading_of(place, *good)))
    assert found is not None
    return found


def written(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_a_nested_json_file(tmp_path: Path) -> None:
    found = read(written(tmp_path / "t.json", NESTED), "Animals/Birds")
    assert [(c.path, len(c.examples)) for c in found.categories] == [
        ("", 0),
        ("Animals", 0),
        ("Animals/Birds", 2),
        ("Animals/Fish", 1),
        ("Animals/Snails", 0),
        ("Cars", 2),
    ]
    assert found.good == ("Animals/Birds",)
    assert found.categories[2].examples[0] == {"lion": 1, "word": 1}
    assert examples_below(found)["Animals"] == 3


def test_a_toml_file_with_paths_settings_and_marks(tmp_path: Path) -> None:
    (tmp_path / "wren.txt").write_text("wren song")
    place = written(
        tmp_path / "t.toml",
        'good = ["Animals/Birds"]\nfeatures = 7\nselection = "information-gain"\ntextbook = true\n'
        '[categories]\n"Animals/Birds" = ["wren.txt", "http://a.test/"]\n"Cars" = ["http://d.test/"]\n',
    )
    found = read(place)
    assert [c.path for c in found.categories] == ["", "Animals", "Animals/Birds", "Cars"]
    assert found.categories[2].examples[0] == {"wren": 1, "song": 1}
    assert (found.good, found.features, found.selection, found.textbook) == (
        ("Animals/Birds",),
        7,
        "information-gain",
        True,
    )
    assert read(place, "Animals").good == ("Animals",)  # what the topic marks counts instead


def test_folders_of_pages(tmp_path: Path) -> None:
    for name in ("Animals/Birds/wren.txt", "Animals/Birds/owl.html", "Cars/.hidden", "Cars/van.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"about {Path(name).stem}")
    found = read(tmp_path, "Animals")
    assert [(c.path, len(c.examples)) for c in found.categories] == [
        ("", 0),
        ("Animals", 0),
        ("Animals/Birds", 2),
        ("Cars", 1),
    ]


def test_one_taxonomy_builds_on_another(tmp_path: Path) -> None:
    written(tmp_path / "base.json", NESTED)
    more = 'builds_on = "base.json"\ngood = ["Cars"]\n[categories]\n"Cars" = ["http://f.test/", "http://e.test/"]\n'
    found = outline_in(written(tmp_path / "more.toml", more))
    assert found.pages["Cars"] == (u("d"), u("e"), u("f"))
    assert found.good == ("Cars",)
    written(tmp_path / "base.json", {**NESTED, "builds_on": "more.toml"})
    with pytest.raises(InputError, match="builds on itself"):
        outline_in(tmp_path / "more.toml")


def test_a_mark_within_the_tree(tmp_path: Path) -> None:
    marked = {"children": [{"name": "A", "good": True}, {"name": "B"}]}
    assert outline_in(written(tmp_path / "t.json", marked)).good == ("A",)


def test_pages_that_cannot_be_had_are_left_out_and_told(tmp_path: Path) -> None:
    tree = {**NESTED, "categories": {"Cars": [u("missing"), str(tmp_path / "none.txt")]}}
    place = written(tmp_path / "t.json", tree)
    reading = reading_of(place, "Animals/Birds")
    found = asyncio.run(read_taxonomy(reading))
    assert found is not None
    assert examples_below(found)["Cars"] == 2
    assert reading.notes == [
        f"taxonomy {place}: these categories have no example page and are left out: Animals/Snails",
        f"taxonomy {place}: these categories have one example page only, which tells little: Animals/Fish",
        f"taxonomy {place}: these example pages could not be had: {u('missing')}, {tmp_path}/none.txt",
    ]


def test_of_many_pages_some_are_read_evenly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taxonomy, "EXAMPLES", 3)
    tree = {"categories": {"All": [u(name) for name in "abcdef"], "Other": [u("g"), u("h")]}}
    before = len(WEB.asked)
    read(written(tmp_path / "t.json", tree), "All")
    assert WEB.asked[before:] == [u(name) for name in "acegh"]


@pytest.mark.parametrize(
    ("good", "says"),
    [
        ((), "no category is marked as good; mark what the crawl is for with --good"),
        (("Animals/Brids",), "there is no category 'Animals/Brids'; did you mean 'Animals/Birds'?"),
        (("birds",), "there is no category 'birds'; did you mean 'Animals/Birds'?"),
        (("Zebra",), "at the top there are: Animals, Cars"),
        (("Animals/Birds", "Animals"), "'Animals' lies above 'Animals/Birds'; mark one of them"),
        (("", "Cars"), "'root' lies above 'Cars'"),
        (("Animals/Snails",), "'Animals/Snails' has no example pages; give at least 2"),
        (("Animals/Fish",), "'Animals/Fish' has 1 example page; give at least 2"),
        (("Animals", "Cars"), "all pages are in good categories"),
    ],
)
def test_marks_that_cannot_be_used(tmp_path: Path, good: tuple[str, ...], says: str) -> None:
    with pytest.raises(InputError) as error:
        read(written(tmp_path / "t.json", NESTED), *good)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.json", "{", "taxonomy .*t.json: Input data was truncated"),
        ("t.json", '{"children": [{"name": "a/b"}]}', "below 'the root' is named 'a/b'"),
        ("t.json", '{"kinder": []}', "unknown field `kinder`"),
        ("t.toml", "goood = []", "line 1: there is no key 'goood' here; did you mean 'good'"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read(written(tmp_path / name, content), "a")


def test_a_missing_file_and_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"taxonomy .*none.json: cannot be read: No such file"):
        read(tmp_path / "none.json", "a")
    with pytest.raises(InputError, match="has no folders; make one for each category"):
        read(tmp_path, "a")


def test_good_without_a_taxonomy() -> None:
    reading = Reading(TopicSpec(good=("Cars",)), WEB, None, VirtualClock())
    with pytest.raises(InputError, match="of which taxonomy"):
        asyncio.run(read_taxonomy(reading))

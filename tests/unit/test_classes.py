"""Classes of pages: known answers worked by hand, rules, files, and the same answers everywhere."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
import zstandard
from tests.worlds import made_page, u

from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.scoring.learning.class_training import KINDS, learned, parted
from lycosa.scoring.learning.classes import (
    FINE,
    MOST_COUNTED,
    Classes,
    ClassKind,
    Rules,
    common_share,
    loaded,
    saved,
)
from lycosa.scoring.learning.quality import Mistake, class_quality_of
from lycosa.scoring.words.terms import Counts
from lycosa.sources.classes import Made, labelled_in, mark_of, packed, read_classes, read_made, unpacked

EACH = Rules(least=0)
"""However short a page is."""

ENGLISH = "The ships that were built in those years would carry more people than any other and they were also fast. "
GERMAN = (
    "Die Schiffe aus jenen Jahren konnten mehr Leute befördern als alle anderen und sie waren auch schnell. "
)


def page(text: str = "", **facts: object) -> Page:
    return made_page(Request(url=u("a"), order=1), text=text, **facts)


def of_counts(terms: Counts) -> Page:
    return page(terms=terms)


def classes(kind: ClassKind, rules: Rules = EACH, **texts: Sequence[Counts]) -> Classes:
    return Classes(learned(kind, texts), rules)


# -- each kind -----------------------------------------------------------------------------------------------

LETTERS: dict[str, list[Counts]] = {"A": [{"a": 1}, {"a": 1, "b": 1}], "B": [{"b": 1}, {"c": 1}]}
"""θ_A = (3, 2, 1) / 6 and θ_B = (1, 2, 2) / 5 of the terms a, b, c."""


def test_naive_bayes_with_every_word() -> None:
    """a b: 3/6 · 2/6 against 1/5 · 2/5, .1667 against .08. Twice each: the squares of these."""
    model = classes("nb", **LETTERS)
    assert model.posterior(of_counts({"a": 1, "b": 1}))[0] == pytest.approx(0.1667 / 0.2467, abs=1e-3)
    assert model.posterior(of_counts({"a": 2, "b": 2}))[0] == pytest.approx(0.0277778 / 0.0341778, abs=1e-4)
    assert model.of(of_counts({"c": 1})) == 1


def test_naive_bayes_with_the_root_of_words() -> None:
    """Of four words two are evidence: as if each of a and b were there once."""
    model = classes("nb-root", **LETTERS)
    assert model.posterior(of_counts({"a": 2, "b": 2}))[0] == pytest.approx(0.675676, abs=1e-4)


def test_lewis_goes_by_the_presence_of_words() -> None:
    """jazz is in both pages of one class and none of the other: 2.5/3 against .5/3, 5 to 1, however often it stands
    there; swing alone says as much for the other one."""
    model = classes("lewis", jazz=[{"jazz": 1}, {"jazz": 9}], swing=[{"swing": 1}, {"swing": 1}])
    both = model.posterior(of_counts({"jazz": 7}))
    assert both[0] == pytest.approx(25 / 26, abs=1e-4)  # jazz is there, 5 to 1, and swing is not, 5 to 1
    assert model.posterior(of_counts({"jazz": 1, "swing": 3})) == pytest.approx([0.5, 0.5], abs=1e-4)


def test_lewis_tells_many_classes_apart() -> None:
    """Words that are rare in a page are evidence too: nothing is divided by the largest weight."""
    texts = {f"class {i}": [{"the": 50, f"word{i}": 1, "and": 30}] * 3 for i in range(13)}
    model = Classes(learned("lewis", texts), EACH)
    told = [model.of(of_counts({"the": 50, f"word{i}": 1, "and": 30})) for i in range(13)]
    assert [model.names[place] for place in told if place is not None] == [f"class {i}" for i in range(13)]


def test_rocchio_by_the_larger_cosine() -> None:
    """KAT §4.3: A = (1, 0), B = (.5, .5). 16 A - 4 B = (14, -2), clipped to (14, 0); 16 B - 4 A = (4, 8).

    idf: 1 + ln(4/3) of x, 1 + ln 4 of y. x x y is 2 · 1.2877 = 2.575 for A and (2.575 · 4 + 2.386 · 8) / √80 = 3.286
    for B.
    """
    model = classes("rocchio", A=[{"x": 1}, {"x": 3}], B=[{"x": 1}, {"y": 1}])
    x, y = 1 + math.log(4 / 3), 1 + math.log(4)
    for_a, for_b = 2 * x, (2 * x * 4 + y * 8) / math.sqrt(80)
    assert model.posterior(of_counts({"x": 2, "y": 1}))[0] == pytest.approx(for_a / (for_a + for_b), abs=1e-4)
    assert [model.of(of_counts(terms)) for terms in ({"x": 1}, {"y": 1}, {"x": 2, "y": 1})] == [0, 1, 1]


@pytest.mark.parametrize("names", [2, 5])
def test_a_support_vector_machine_of_two_classes_and_of_more(names: int) -> None:
    pytest.importorskip("sklearn")
    texts = {f"c{i}": [{f"w{i}": n, "common": 2, f"other{n}": 1} for n in (1, 2, 3, 4)] for i in range(names)}
    model = Classes(learned("svm", texts), EACH)
    told = [model.posterior(of_counts({f"w{i}": 2, "common": 1})) for i in range(names)]
    assert [each.index(max(each)) for each in told] == list(range(names))
    assert all(max(each) > 1 / names for each in told)


@pytest.mark.parametrize("kind", KINDS)
def test_words_that_speak_for_a_class_are_named(kind: ClassKind) -> None:
    texts = {"jazz": [{"swing": 3, "band": 1}] * 2, "cars": [{"wheel": 3, "band": 1}] * 2}
    model = Classes(learned(kind, texts))
    assert model.telling(0, 1) == ["wheel"]
    assert model.names == ("cars", "jazz")


def test_too_little_to_learn_from_is_refused() -> None:
    with pytest.raises(InputError, match="1 classes"):
        learned("nb", {"A": [{"a": 1}] * 2})
    with pytest.raises(InputError, match="class 'B': 1 pages"):
        learned("nb", {"A": [{"a": 1}] * 2, "B": [{"b": 1}]})
    with pytest.raises(InputError, match="no kind of classes 'knn'"):
        learned("knn", {})  # type: ignore[arg-type]


# -- rules ---------------------------------------------------------------------------------------------------


def test_a_page_without_known_words_is_in_no_class() -> None:
    model = classes("nb", **LETTERS)
    assert model.of(of_counts({"zebra": 90})) is None
    assert model.posterior(of_counts({"zebra": 90})) == [0.5, 0.5]


@pytest.mark.parametrize(("short", "told"), [("", None), ("B", 1), ("OTHER", 2)])
def test_a_short_page_is_where_the_rules_put_it(short: str, told: int | None) -> None:
    model = classes("nb", Rules(least=50, short=short), **LETTERS)
    assert model.of(of_counts({"a": 49})) == told
    assert model.of(of_counts({"a": 50})) == 0
    if told is not None:
        assert model.posterior(of_counts({"a": 49}))[told] == 1.0
    assert model.names == ("A", "B", *(["OTHER"] if short == "OTHER" else []))
    assert len(model.posterior(of_counts({"a": 50}))) == len(model.names)


def test_the_gate_by_common_words() -> None:
    assert common_share(GERMAN * 3) < 100 < 400 < common_share(ENGLISH * 3)
    assert common_share("") == 0
    model = classes("nb", Rules(least=5, gate="words", english=200), **LETTERS)
    assert model.names == ("A", "B", "WORLD")
    assert model.of(page(GERMAN * 3, terms={"a": 60})) == 2
    assert model.of(page(ENGLISH * 3, terms={"a": 60})) == 0
    assert model.of(page(GERMAN, terms={"a": 4})) is None  # the length is asked about first


@pytest.mark.parametrize(("language", "told"), [("de", 2), ("en", 0), ("", 0)])
def test_the_gate_by_the_detector(language: str, told: int) -> None:
    model = classes("nb", Rules(least=0, gate="detector"), **LETTERS)
    assert model.of(page(GERMAN, terms={"a": 1}, language=language)) == told


# -- the same everywhere -------------------------------------------------------------------------------------


def test_no_damped_count_depends_on_the_last_bit_of_a_logarithm() -> None:
    """Whatever a machine's logarithm makes of the last digits, the rounded ones are the same."""
    parts = [FINE * (1.0 + math.log(n)) for n in range(2, MOST_COUNTED + 1)]
    assert min(abs(part - math.floor(part) - 0.5) for part in parts) > 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_training_does_not_go_by_the_order_in_which_words_were_counted(kind: ClassKind) -> None:
    texts = {
        "A": [{"a": 3, "b": 1, "d": 2}, {"a": 1, "d": 1, "c": 1}, {"b": 2, "a": 1}],
        "B": [{"c": 3, "b": 1, "d": 2}, {"c": 1, "d": 1, "a": 1}, {"b": 2, "c": 7}],
    }
    turned = {name: [dict(reversed(text.items())) for text in texts[name]] for name in reversed(list(texts))}
    assert Classes(learned(kind, texts)).digest == Classes(learned(kind, turned)).digest


def test_another_process_has_the_same_digest() -> None:
    program = (
        "from lycosa.scoring.learning.classes import Classes\n"
        "from lycosa.scoring.learning.class_training import learned\n"
        "words = 'abcdefghij'\n"
        "texts = {n: [{w + m: ord(w) % 5 + 1 for w in set(words)} for m in 'xyz'] for n in {'A' + c for c in words}}\n"
        "print(Classes(learned('rocchio', texts)).digest)\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_the_digest_tells_what_answers_depend_on() -> None:
    plain = classes("nb", **LETTERS)
    digests = {
        plain.digest,
        classes("nb-root", **LETTERS).digest,
        classes("nb", Rules(least=1), **LETTERS).digest,
        classes("nb", Rules(least=0, gate="words"), **LETTERS).digest,
        classes("nb", A=[{"a": 1}, {"a": 1, "b": 1}], B=[{"b": 1}, {"c": 2}]).digest,
        Classes(msgspec.structs.replace(plain.learned, names=("A", "C")), EACH).digest,
    }
    assert len(digests) == 6


def test_the_known_digest_of_a_small_model() -> None:
    """It changes when words are cut or stemmed otherwise, or the rules change: raise `FORMAT` for the latter."""
    assert classes("nb", **LETTERS).digest == KNOWN_DIGEST


KNOWN_DIGEST = "59ee1a643350fa7ac60895947b2c7f173eb1d7041e04fef4731ed7b0bb6073aa"


# -- files ---------------------------------------------------------------------------------------------------

MADE = Made(pages={"A": 2, "B": 2}, learned_from=(mark_of("http://a.test/"),))


def test_a_file_says_the_same(tmp_path: Path) -> None:
    model = classes("rocchio", Rules(least=0, short="B", gate="words"), **LETTERS)
    file = tmp_path / "classes.json.zst"
    file.write_bytes(packed(model, MADE))
    again, made = read_made(file)
    assert (again.digest, again.names, again.rules, made) == (model.digest, model.names, model.rules, MADE)
    assert read_classes(file).digest == model.digest
    assert np.array_equal(again.learned.weights, model.learned.weights)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"is": "lycosa topic model"}, "is no file of classes"),
        ({"format": 99}, "classes of format 99, this lycosa reads 1; train them again"),
        ({"words": "0"}, "cut into words otherwise"),
        ({"bias": [1, 2]}, "its content is not that of its digest"),
        ({"weights": [[1], [2, 3]]}, "is damaged"),
        ({"kind": "knn"}, "is damaged"),
    ],
)
def test_what_cannot_be_used_is_refused(change: dict[str, object], said: str) -> None:
    content = {**msgspec.json.decode(msgspec.json.encode(saved(classes("nb", **LETTERS)))), **change}
    with pytest.raises(InputError, match=f"^it: .*{said}"):
        loaded(content, "it")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no classes",
        zstandard.compress(b"no json"),
        zstandard.compress(b"[1]"),
        zstandard.compress(b"{}"),
        packed(classes("nb", **LETTERS), MADE)[:-20],
    ],
)
def test_a_file_that_is_none_is_refused(body: bytes) -> None:
    with pytest.raises(InputError, match="it: is no file of classes, or damaged"):
        unpacked(body, "it")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.zst: the classes cannot be read: No such file"):
        read_classes(tmp_path / "none.zst")


# -- what people say of pages --------------------------------------------------------------------------------


def test_labels_of_a_taxonomy_by_level(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(
        '[categories]\n"Nature/Birds" = ["http://a.test/1", "http://a.test/2"]\n'
        '"Nature/Fish" = ["http://a.test/2", "fish.html"]\n"People" = ["http://a.test/3"]\n'
    )
    top = labelled_in(file)
    assert top.pages == {
        "Nature": ("http://a.test/1", "http://a.test/2", str(tmp_path / "fish.html")),
        "People": ("http://a.test/3",),
    }
    below = labelled_in(file, level=2)
    assert (set(below.pages), below.several) == ({"Nature/Birds", "Nature/Fish", "People"}, 1)
    assert below.pages["Nature/Birds"] == ("http://a.test/1",)


def test_labels_of_a_table_and_of_folders(tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_text("url\tclass\tkind\nhttp://a.test/1\tB\tx\nhttp://a.test/2\tA\ty\n")
    assert labelled_in(table).pages == {"A": ("http://a.test/2",), "B": ("http://a.test/1",)}
    assert set(labelled_in(table, column="kind").pages) == {"x", "y"}
    for name in ("A", "B"):
        (tmp_path / "top" / name).mkdir(parents=True)
        (tmp_path / "top" / name / "1.txt").write_text("one")
    assert labelled_in(tmp_path / "top").pages == {
        name: (str(tmp_path / "top" / name / "1.txt"),) for name in ("A", "B")
    }


def test_pages_are_parted_by_their_names_alone() -> None:
    names = [f"http://a.test/{i}" for i in range(101)]
    to_learn, aside = parted(names, 500, 0.5)
    assert (len(to_learn), len(aside), set(to_learn) | set(aside)) == (51, 50, set(names))
    assert parted(names[::-1], 500, 0.5) == (to_learn, aside)
    assert parted(names, 20, 0.5) == (to_learn[:20], aside[:20])
    assert parted(names, 500, 0.5, seed=1)[0] != to_learn
    assert parted(names, 500, 0.0)[1] == []


# -- quality -------------------------------------------------------------------------------------------------


def test_quality_of_several_classes() -> None:
    """A: 3 of 4 right, one as B. B: one of 2 right, one in no class: 4 of 6, and (3/4 + 1/2) / 2."""
    told = class_quality_of([0, 0, 0, 1, 1, None], [0, 0, 0, 0, 1, 1], ("A", "B", "C"))
    assert (told.pages, told.untold) == (6, 1)
    assert told.accuracy == pytest.approx(4 / 6)
    assert told.balanced_accuracy == pytest.approx(0.625)
    assert [(each.recall, each.precision) for each in told.classes] == [(0.75, 1.0), (0.5, 0.5), (0.0, 0.0)]
    assert told.mistakes == (Mistake(pages=1, of="A", told="B"),)

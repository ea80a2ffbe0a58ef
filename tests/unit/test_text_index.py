"""Full-text search: what is found, in which order, and that no query breaks it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.errors import FolderError, InputError
from lycosa.model.url import Url
from lycosa.store.full_text import FORMAT, TextIndex
from lycosa.store.query import match_of

A, B, C = (Url(f"http://{name}.test/") for name in "abc")


@pytest.fixture
def index(tmp_path: Path) -> TextIndex:
    index = TextIndex(tmp_path / "text.db")
    index.add(
        [
            (
                1,
                A,
                "Wolf spiders",
                "They hunt on the ground and carry their young. Café culture is rare among them.",
            )
        ]
    )
    index.add(
        [
            (
                2,
                B,
                "Orb weavers",
                "A spider that waits in a web, unlike the wolf: a web spider, a spider indeed.",
            )
        ]
    )
    index.add(
        [
            (
                5,
                C,
                "Numerical analysis",
                "Iterative methods converge; hunting for roots by bisection AND Newton.",
            )
        ]
    )
    return index


def found(index: TextIndex, query: str) -> list[Url]:
    return [hit.url for hit in index.search(query)]


def test_words_are_found_by_their_stems_and_without_accents(index: TextIndex) -> None:
    assert set(found(index, "hunted")) == {A, C}
    assert found(index, "cafe") == [A]
    assert found(index, "CONVERGING") == [C]


def test_all_words_must_occur_and_phrases_stand_together(index: TextIndex) -> None:
    assert set(found(index, "spider wolf")) == {A, B}
    assert found(index, '"wolf spider"') == [A]
    assert found(index, '"web spider" waits') == [B]
    assert found(index, "spider -web") == [A]
    assert found(index, "bisec*") == [C]


def test_a_word_in_the_title_counts_more(index: TextIndex) -> None:
    assert found(index, "spiders") == [A, B]
    index.add([(6, Url("http://d.test/"), "Something else", "analysis " + "word " * 20)])
    hits = index.search("analysis")
    assert [hit.step for hit in hits] == [5, 6]
    assert hits[0].rank > hits[1].rank > 0


def test_snippets_show_the_match(index: TextIndex) -> None:
    (hit,) = index.search("bisection")
    assert hit.snippet == "Iterative methods converge; hunting for roots by «bisection» AND Newton."
    assert (hit.step, hit.title) == (5, "Numerical analysis")


def test_words_that_mean_something_to_the_engine_are_only_words(index: TextIndex) -> None:
    assert set(found(index, '"AND"')) == {A, C}
    assert found(index, 'bisection "and newton') == [C]
    assert found(index, "NEAR(spider") == []
    assert found(index, "title:spider") == []
    assert found(index, "orb-weavers") == [B]
    assert found(index, "weavers-orb") == []
    assert match_of('a"b" c*') == '"a" AND "b" AND "c" *'


@pytest.mark.parametrize("query", ["", "  ", '"', '""', "-", "*", "-web", "( )"])
def test_a_query_without_words_is_refused(index: TextIndex, query: str) -> None:
    with pytest.raises(InputError, match="nothing to search for"):
        index.search(query)


def test_no_query_breaks_it(tmp_path: Path) -> None:
    index = TextIndex(tmp_path / "text.db")
    index.add([(1, A, "t", "x")])

    @given(
        st.text(alphabet=st.sampled_from("ab\"*-+^():{}&|\\' \tANDORNOT\0é中"), max_size=12)
        | st.text(max_size=12)
    )
    def ask(query: str) -> None:
        with contextlib.suppress(InputError):
            assert {hit.url for hit in index.search(query)} <= {A}

    ask()
    index.close()


def test_text_that_cannot_be_stored_as_it_is_does_no_harm(index: TextIndex) -> None:
    index.add([(8, Url("http://d.test/"), "half \ud800 pair", "zero\0character")])
    assert found(index, "zero character pair") == [Url("http://d.test/")]
    assert index.text_of(8) == "zero character"


def test_texts_are_kept_and_the_index_knows_where_it_stands(tmp_path: Path, index: TextIndex) -> None:
    assert index.last_step == 5
    assert len(index) == 3
    assert index.text_of(3) is None
    index.close()
    again = TextIndex(tmp_path / "text.db")
    assert again.last_step == 5
    text = again.text_of(5)
    assert text is not None
    assert text.startswith("Iterative")
    assert set(again.texts([1, 2, 3])) == {1, 2}
    again.close()


def test_it_knows_what_read_its_texts_while_that_is_one_reader(tmp_path: Path, index: TextIndex) -> None:
    index.note_reader("this one")
    assert index.read_by == ""  # what was there before was read by nobody knows whom
    with TextIndex(tmp_path / "new.db") as new:
        assert new.read_by == ""
        new.note_reader("an older one")
        new.note_reader("this one")  # it has no text yet
        new.add([(1, A, "t", "x")])
        assert new.read_by == "this one"
        new.note_reader("this one")
        assert new.read_by == "this one"
        new.note_reader("another one")
        assert new.read_by == ""
        new.note_reader("this one")
        assert new.read_by == ""


def test_a_page_fetched_again_takes_the_place_of_the_one_before(index: TextIndex) -> None:
    index.add([(7, A, "Moved", "Nothing to see here.")])
    assert found(index, "young") == []
    assert found(index, "nothing") == [A]
    assert index.text_of(1) is None
    index.add([(7, A, "Moved", "Nothing to see here.")])
    index.add([(2, B, "Orb weavers", "replayed")])
    assert len(index) == 3
    assert found(index, "weaver") == [B]


def test_pages_enter_together_or_not_at_all(tmp_path: Path) -> None:
    def pages() -> Iterator[tuple[int, Url, str, str]]:
        yield 2, B, "second", "two"
        raise InputError("cut short")

    with TextIndex(tmp_path / "index" / "text.db") as index:
        index.add([(1, A, "first", "one")])
        with pytest.raises(InputError):
            index.add(pages())
        with TextIndex(tmp_path / "index" / "text.db", read_only=True) as reader:
            assert reader.last_step == 1
            assert found(reader, "second") == []
            index.add([(2, B, "second", "two")])
            assert found(reader, "second") == [B]


def test_missing_and_foreign_indexes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="no full-text index here"):
        TextIndex(tmp_path / "text.db", read_only=True)
    index = TextIndex(tmp_path / "text.db")
    index._connection.execute("UPDATE meta SET value = '99'")
    index.close()
    with pytest.raises(FolderError, match=f"format 99, this lycosa uses {FORMAT}; use a newer lycosa"):
        TextIndex(tmp_path / "text.db")


def test_an_older_index_is_made_anew(tmp_path: Path, index: TextIndex) -> None:
    index._connection.execute("UPDATE meta SET value = '1'")
    index.close()
    with pytest.raises(FolderError, match=r"format 1.*it is made anew where it may be written"):
        TextIndex(tmp_path / "text.db", read_only=True)
    with TextIndex(tmp_path / "text.db") as again:
        assert (again.last_step, len(again)) == (0, 0)
        again.add([(1, A, "Wolf spiders", "hunt")])
        assert found(again, "spider") == [A]


def test_or_not_and_parentheses(index: TextIndex) -> None:
    assert set(found(index, "cafe OR bisection")) == {A, C}
    assert set(found(index, "wolf web OR newton")) == {B, C}
    assert found(index, "(wolf OR newton) (web OR roots) NOT bisection") == [B]
    assert found(index, "spider NOT web") == found(index, "spider AND -web") == [A]
    assert found(index, "hunting -(bisection OR newton)") == [A]
    assert found(index, "(spider)") == found(index, "spider")
    assert set(found(index, "or not")) == set()


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("spider OR", "nothing beside OR"),
        ("OR spider", "nothing beside OR"),
        ("AND spider", "nothing before AND"),
        ("spider AND", "nothing behind AND"),
        ("spider NOT", "nothing behind AND, NOT"),
        ("NOT spider", "only to leave out"),
        ("web OR -spider", "only to leave out"),
        ("(spider", "is opened that is not closed"),
        ("spider) web", "is closed that was not opened"),
        ("spider ()", "between parentheses"),
        ("(" * 30 + "spider" + ")" * 30, "more than 20 parentheses"),
    ],
)
def test_what_cannot_be_understood_is_told_in_a_line(index: TextIndex, query: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as told:
        index.search(query)
    assert "\n" not in str(told.value)


SPACELESS = {
    "Chinese": ("狼蛛", "狼蛛是蜘蛛，以GPU加速的追踪捕食昆虫。", ["蜘蛛", "昆虫", "GPU加速", "gpu 捕食"], "虫昆"),
    "Japanese": ("コモリグモ", "コモリグモは巣を張らないクモ。", ["クモ", "張らない", "巣"], "モク"),
    "Thai": ("แมงมุม", "แมงมุมหมาป่าไม่ชักใยที่พื้นดิน", ["แมงมุม", "หมาป่า", "พื้นดิน"], "ที"),
    "Khmer": ("ពីងពាង", "ពីងពាងជាសត្វមានជើងប្រាំបី", ["សត្វ", "ជើង"], "ជាង"),
}  # fmt: skip


@pytest.mark.parametrize("language", SPACELESS)
def test_scripts_without_blanks_are_searched_by_their_signs(index: TextIndex, language: str) -> None:
    title, text, queries, absent = SPACELESS[language]
    url = Url("http://d.test/")
    index.add([(9, url, title, text)])
    for query in [title, *queries, f"{queries[0]} {queries[1]}", f"nowhere OR {queries[0]}"]:
        assert found(index, query) == [url], query
    assert found(index, absent) == []
    (hit,) = index.search(queries[1])
    assert hit.title == title
    assert hit.snippet.replace("«", "").replace("»", "").strip("…") in text
    assert index.text_of(9) == text
    index.add([(10, url, "again", "something else")])
    assert found(index, queries[0]) == []


def test_words_keep_their_marks(index: TextIndex) -> None:
    index.add([(9, Url("http://d.test/"), "हिन्दी", "मकड़ी जाल बुनती है")])
    assert found(index, "मकड़ी") == [Url("http://d.test/")]
    assert found(index, "मकड") == []

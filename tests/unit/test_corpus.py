"""A crawl as a corpus: which pages an export leaves out, what it names a copy, and what its card tells."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.unit.test_damaged_records import START, crawled
from tests.unit.test_rows import ROW

import lycosa
from lycosa.cli.group import lycosa as command
from lycosa.crawls.answers import PageRow
from lycosa.crawls.corpus.filters import Filters
from lycosa.crawls.corpus.firsts import Copy, Firsts, Known
from lycosa.crawls.corpus.selected import Selected
from lycosa.crawls.corpus.selection import Choice, Selection, selection
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.frames import columns_of
from lycosa.crawls.interface import Folder
from lycosa.crawls.session import resume
from lycosa.drive.simulated import unwatched
from lycosa.model.commands import Enqueue
from lycosa.model.errors import InputError
from lycosa.model.events import Operated
from lycosa.model.nodes import Node
from lycosa.model.records import Millis
from lycosa.model.spaceless import word_count
from lycosa.model.url import Url
from lycosa.report.card import Card, CrawlTold, FileTold, Tally
from lycosa.report.card_text import as_markdown
from lycosa.scoring.words.repetition import repeated_lines, repeated_runs
from lycosa.store.full_text import TextIndex
from lycosa.store.history import Row

PAGES = 30


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("corpus") / "crawl", pages=PAGES)


@pytest.fixture
def folder(path: Path) -> Iterator[Folder]:
    with lycosa.open(path) as crawl:
        yield crawl


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, ["export", *map(str, arguments)])


class TestRepetition:
    def test_known_answers(self) -> None:
        # 4 + 4 + 2 characters in lines, of which the second four stood before.
        assert repeated_lines("abcd\nabcd\nef") == pytest.approx(0.4)
        # Of twelve words of one letter the last five, and no other, are a run that stood before.
        assert repeated_runs("a b c d e f g a b c d e") == pytest.approx(5 / 12)
        # The same words in other letters: case says nothing.
        assert repeated_runs("a b c d e f g A B C D E") == pytest.approx(5 / 12)
        # Runs overlap: of seven equal words all but the first stand in a run that stood before.
        assert repeated_runs("a a a a a a a") == pytest.approx(6 / 7)

    @pytest.mark.parametrize("text", ["", "\n \n", "one", "one two three four five"])
    def test_a_short_text_repeats_nothing(self, text: str) -> None:
        assert repeated_lines(text) == repeated_runs(text) == 0


class TestFirsts:
    def known(self, n: int, text: str, digest: str = "") -> Known:
        return Known(url=Url(f"http://a.test/{n}"), digest=digest or str(n), text=text)

    def test_bytes_text_and_nearly_the_same_words(self) -> None:
        text = " ".join(f"w{n}" for n in range(400))
        firsts = Firsts()
        first = Url("http://a.test/0")
        assert firsts.copy(self.known(0, text)) == Copy()
        assert firsts.copy(self.known(1, "other words", digest="0")) == Copy(duplicate_of=first)
        assert firsts.copy(self.known(2, text)) == Copy(duplicate_of=first)
        assert firsts.copy(self.known(3, text.replace("w200", "x"))) == Copy(near_duplicate_of=first)
        assert firsts.copy(self.known(4, text[: len(text) // 2])) == Copy()
        assert firsts.copy(self.known(5, "")) == Copy(), "no word: a copy by its bytes alone"
        assert firsts.copy(self.known(6, "")) == Copy()

    def test_the_same_words_in_another_order_are_no_copy(self) -> None:
        """Their fingerprints are equal: it is the runs of words that tell them apart."""
        words = [f"w{n}" for n in range(400)]
        firsts = Firsts()
        firsts.copy(self.known(0, " ".join(words)))
        assert firsts.copy(self.known(1, " ".join(words[::2] + words[1::2]))) == Copy()


class TestFilters:
    ROW = replace(
        ROW,
        text="one two three four",
        language="en",
        language_confidence=0.7,
        boilerplate=0.4,
        licences=("https://creativecommons.org/licenses/by/4.0/",),
    )

    @pytest.mark.parametrize(
        ("rules", "broken"),
        [
            ({}, ""),
            ({"min_words": 4, "max_words": 4}, ""),
            ({"min_words": 5}, "min_words"),
            ({"max_words": 3}, "max_words"),
            ({"max_words": 0}, "max_words"),
            ({"language_confidence": 0.7}, ""),
            ({"language_confidence": 0.71}, "language_confidence"),
            ({"max_boilerplate": 0.4}, ""),
            ({"max_boilerplate": 0.39}, "max_boilerplate"),
            ({"max_repetition": 0.0}, ""),
            ({"licence": ("*/by/*", "*/nothing/*")}, ""),
            ({"licence": ("*/by-nc/*",)}, "licence"),
        ],
    )
    def test_the_rule_that_a_page_breaks(self, rules: dict[str, Any], broken: str) -> None:
        assert Filters(**rules).refused(self.ROW) == broken

    def test_repetition(self) -> None:
        twice = replace(self.ROW, text="so it is\nso it is")
        assert Filters(max_repetition=0.5).refused(twice) == ""
        assert Filters(max_repetition=0.49).refused(twice) == "max_repetition"

    def test_what_the_journal_tells_is_told_without_reading(self, folder: Folder) -> None:
        def unread(visits: Iterator[tuple[Node, Row]]) -> Any:
            assert next(visits, None) is None, "was read"
            yield from ()

        visits = [(Node(""), visit) for visit in folder.history.rows()]  # type: ignore[attr-defined]
        rows = Selected(iter(visits), unread, selection({"min_relevance": 1.0}))
        assert list(rows) == []
        assert rows.left_out == {"min_relevance": PAGES}

    def test_rows_without_the_names_of_copies(self, folder: CrawlFolder) -> None:
        visits = 2 * [(Node(""), visit) for visit in folder.history.rows()]

        def selected(**rules: Any) -> Selected:
            def written(some: Iterator[tuple[Node, Row]]) -> Iterator[PageRow]:
                return (folder.exported(row) for _, row in some)

            return Selected(iter(visits), written, selection({"text": False, **rules}))

        named = list(selected())
        assert sum(row.duplicate_of is not None for row in named) == PAGES
        assert list(selected().unnamed()) == [replace(row, duplicate_of=None) for row in named]
        with pytest.raises(ValueError, match="distinct leaves rows out"):
            selected(distinct=True).unnamed()


class TestTexts:
    """Texts are taken from the full-text index as far as it has them."""

    def test_an_index_changes_no_row(self, path: Path, tmp_path: Path) -> None:
        place = copied(path, tmp_path)
        with lycosa.open(place) as crawl:
            before = list(crawl.rows())
            crawl.index_pages()
            assert list(crawl.rows()) == before
        shutil.rmtree(place / "archive")
        with lycosa.open(place) as crawl:
            assert list(crawl.rows()) == before

    def test_texts_of_another_reader_are_read_again(self, path: Path, tmp_path: Path) -> None:
        place = copied(path, tmp_path)
        with lycosa.open(place) as crawl:
            crawl.index_pages()
            with TextIndex(crawl.paths.index) as index:
                index.note_reader("another one")
        shutil.rmtree(place / "archive")
        with lycosa.open(place) as crawl:
            assert {row.text for row in crawl.rows()} == {""}

    def test_a_damaged_index_costs_no_text(self, path: Path, tmp_path: Path) -> None:
        place = copied(path, tmp_path)
        with lycosa.open(place) as crawl:
            before = list(crawl.rows())
            crawl.index_pages()
            with closing(sqlite3.connect(crawl.paths.index)) as index, index:
                index.execute("UPDATE pages SET packed = x'00' WHERE step % 2")
            assert list(crawl.rows()) == before


def copied(path: Path, place: Path) -> Path:
    shutil.copytree(path, place / "crawl")
    shutil.rmtree(place / "crawl" / "index", ignore_errors=True)
    return place / "crawl"


class TestSelection:
    def test_keyword_arguments_are_the_fields(self) -> None:
        assert set(Choice.__annotations__) == set(Selection.__struct_fields__)

    @pytest.mark.parametrize(
        ("choice", "said"),
        [
            ({"max_repetition": 1.5}, "max_repetition: Expected `float` <= 1.0"),
            ({"text": "some"}, "text: Invalid enum value 'some'"),
            ({"text": False, "min_words": 3}, "min_words needs the texts"),
            ({"text": False, "licence": ["*"]}, "licence needs the texts"),
        ],
    )
    def test_what_cannot_be_is_told(self, folder: Folder, choice: Choice, said: str) -> None:
        with pytest.raises(InputError, match=said.replace("*", r"\*")):
            folder.rows(**choice)

    @pytest.mark.parametrize(
        "choice",
        [
            {"min_words": 400},
            {"distinct": True, "text": "main"},
            {"language": ["en"], "language_confidence": 0.9},
            {"max_boilerplate": 0.3, "text": "all"},
            {"max_repetition": 0.05, "min_relevance": 0.1},
        ],
    )
    def test_all_accounted_for(self, folder: Folder, choice: Choice) -> None:
        found = folder.selected(**choice)
        assert len(list(found)) + found.left_out.total() == PAGES
        assert found.left_out.keys() <= {*choice, "duplicate", "near_duplicate"}

    @pytest.mark.parametrize("text", [False, True, "main", "markdown"])
    def test_fewer_pages_same_rows(self, folder: Folder, text: Any) -> None:
        bare = {"duplicate_of": None, "near_duplicate_of": None}
        everything = {row.step: replace(row, **bare) for row in folder.rows(text=text)}
        some = [replace(row, **bare) for row in folder.rows(text=text, min_relevance=0.1, distinct=True)]
        assert 0 < len(some) < len(everything)
        assert all(everything[row.step] == row for row in some)

    def test_texts(self, folder: Folder) -> None:
        whole, main, marked, none = (
            {row.url: row for row in folder.rows(text=text)} for text in ("all", "main", "markdown", False)
        )
        assert whole == {row.url: row for row in folder.rows()}
        for url, row in main.items():
            assert 0 < len(row.text) <= len(whole[url].text)
            assert row.boilerplate is not None
            assert marked[url] == replace(row, text=marked[url].text)
            assert none[url].text == ""
            assert none[url].boilerplate is None
        assert any(row.text.startswith("#") or "\n#" in row.text for row in marked.values())

    def test_a_rule_that_needs_the_main_text_leaves_the_whole_text(self, folder: Folder) -> None:
        plain = {row.url: row.text for row in folder.rows()}
        found = list(folder.rows(text="all", max_boilerplate=0.5))
        assert found
        assert all(row.text == plain[row.url] and (row.boilerplate or 0) <= 0.5 for row in found)


def test_visits_of_a_page_that_is_the_same_are_copies(tmp_path: Path) -> None:
    crawled(tmp_path / "crawl", pages=5)
    again = Operated(commands=(Enqueue(url=Url(START), score=1e9, refetch=True),), by="a person")

    async def go_on() -> None:
        session = await resume(tmp_path / "crawl", pages=6)
        session.crawl.hear(again, session.clock.now())
        await session.run(unwatched)

    asyncio.run(go_on())
    with lycosa.open(tmp_path / "crawl") as crawl:
        found = crawl.selected(text=False, all_visits=True)
        visits = list(found)
        copies = [row for row in visits if row.duplicate_of is not None]
        assert [row.duplicate_of for row in copies] == [row.url for row in copies] == [START]
        assert found.given["duplicate"] == 1
        assert len(list(crawl.rows(text=False, all_visits=True, distinct=True))) == len(visits) - 1


class TestCommand:
    def test_a_card_tells_what_the_file_holds(self, path: Path, tmp_path: Path) -> None:
        out = tmp_path / "pages.jsonl"
        rules = ("--text", "main", "--distinct", "--min-words", "1000", "--language", "English")
        told = run(path, "--to", "jsonl", *rules, "-o", out)
        assert told.exit_code == 0, told.output
        rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
        card = json.loads((tmp_path / "pages.jsonl.card.json").read_text("utf-8"))
        assert card["pages"] == len(rows) == PAGES - sum(card["left_out"].values()) < PAGES
        assert card["words"] == sum(word_count(row["text"]) for row in rows)
        assert card["file"]["sha256"] == sha256(out.read_bytes()).hexdigest()
        assert card["file"]["bytes"] == out.stat().st_size
        assert card["languages"] == {"en": len(rows)}
        assert list(card["columns"]) == list(rows[0]) == list(columns_of(type(ROW)))
        assert all(card["columns"].values()), "each column is explained"
        assert card["command"].startswith("lycosa export ")
        assert "--language English" in card["command"]
        assert card["crawl"]["web"] == "recorded:sample-web"
        left = card["left_out"]
        assert f"{len(rows)} pages, {sum(left.values())} left out" in told.stderr
        text = (tmp_path / "pages.jsonl.card.md").read_text("utf-8")
        assert f"| min\\_words | {left['min_words']} |" in text
        assert card["cite"].split(",")[0] in text

    @pytest.mark.parametrize("kind", ["csv", "parquet"])
    def test_cards_of_other_formats_have_their_digests(self, path: Path, tmp_path: Path, kind: str) -> None:
        out = tmp_path / f"pages.{kind}"
        run(path, "--to", kind, "--no-text", "-o", out)
        card = json.loads((tmp_path / f"pages.{kind}.card.json").read_text("utf-8"))
        assert card["file"]["sha256"] == sha256(out.read_bytes()).hexdigest()
        assert card["pages"] == PAGES

    def test_standard_output_has_a_card_where_one_is_named(self, path: Path, tmp_path: Path) -> None:
        told = run(path, "--to", "jsonl", "--no-text", "--card", tmp_path / "about.md")
        card = json.loads((tmp_path / "about.json").read_text("utf-8"))
        assert card["file"]["sha256"] == sha256(told.stdout_bytes).hexdigest()
        assert {file.name for file in tmp_path.iterdir()} == {"about.md", "about.json"}

    @pytest.mark.parametrize(
        ("rules", "said"),
        [
            (("--no-text", "--text", "main"), "--no-text and --text main exclude each other"),
            (("--no-text", "--min-words", "9"), "min_words needs the texts"),
            (("--language", "Klingon"), "Klingon"),
            (("--max-repetition", "2"), "no share"),
        ],
    )
    def test_what_cannot_be_is_told(self, path: Path, rules: tuple[str, ...], said: str) -> None:
        told = run(path, "--to", "jsonl", *rules)
        assert told.exit_code != 0
        assert said in told.stderr

    def test_a_wacz_has_no_rules(self, path: Path, tmp_path: Path) -> None:
        told = run(path, "--to", "wacz", "--distinct", "-o", tmp_path / "c.wacz")
        assert told.exit_code != 0
        assert "a WACZ is the whole archive" in told.stderr


def test_a_tally_counts_what_pages_have() -> None:
    rule = {"vocabulary": "AIPREF", "written": "train-ai=n", "place": "header"}
    rows = [
        replace(ROW, text="one two", rights=json.dumps([rule, rule]), licences=("by", "by"), kind="Article"),
        replace(ROW, text="three", language="", fetched_at=Millis(5)),
    ]
    tally = Tally()
    assert list(tally.counted(rows)) == rows
    assert (tally.pages, tally.words, tally.first, tally.last) == (2, 3, 0, 5)
    assert tally.rights == {"AIPREF: train-ai=n": 1, "not known": 1}
    assert tally.licences == {"by": 1, "not known": 1}
    assert tally.languages == {"en": 1, "not known": 1}
    assert tally.kinds == {"Article": 1, "not known": 1}


def test_what_pages_say_cannot_change_a_card() -> None:
    evil = 'a | b\n---\n# <script>alert(1)</script> [x](javascript:x) `"'
    card = Card(
        file=FileTold(name="p.jsonl", format="jsonl", bytes=1, sha256="0", written_at="2026-11-20"),
        pages=1,
        words=1,
        crawl=CrawlTold(
            name=evil,
            topic=evil,
            strategy="",
            start_pages=(evil,),
            web="live",
            began_at="",
            ended_at="",
            pages=1,
            lycosa="",
        ),
        lycosa="",
        command="",
        selection=Selection(licence=(evil,), at=Millis(0)),
        fetched=None,
        left_out={},
        copies={},
        languages={"en": 1},
        hosts={},
        licences={evil: 1},
        rights={evil: 1},
        media_types={evil: 1},
        kinds=dict(Counter([evil])),
        number_of_hosts=1,
        columns={},
        types={},
        unread=(evil,),
        cite=evil,
    )
    text = as_markdown(card)
    front, _, rest = text.removeprefix("---\n").partition("\n---\n")
    assert "<script" not in rest
    assert "](" not in rest.replace("\\](", "")
    assert json.loads(front.split("\n")[0].partition(": ")[2]).startswith("Web pages on a | b --- #")
    tables = [line for line in rest.split("\n") if line.startswith("|")]
    assert all(line.replace("\\|", "").count("|") == 3 for line in tables)

"""What visits change for people who search, on an index of a few pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawls.quality import Engine, Noticed, Standing, gain
from lycosa.model.errors import InputError
from lycosa.model.url import Url
from lycosa.sources.queries import Asked, QueryLog, read_queries
from lycosa.store.full_text import TextIndex

REEF = (Asked(words="reef", share=1.0),)
ATOLL, BANK, CAY, LAGOON = (Url(f"http://{name}.test/") for name in ("atoll", "bank", "cay", "lagoon"))
WORDS = st.lists(st.sampled_from(["reef", "coral", "fish", "sand", "boat"]), max_size=8).map(" ".join)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TextIndex]:
    with TextIndex(tmp_path / "text.db") as index:
        yield index


def filled(index: TextIndex) -> TextIndex:
    """Four answers to `reef`: the shorter the text, the better."""
    index.add(
        [
            (1, ATOLL, "", "reef"),
            (2, BANK, "", "reef with one"),
            (3, CAY, "", "reef with one two three"),
            (4, LAGOON, "", "reef with one two three four five six"),
            *((n, Url(f"http://other.test/{n}"), "", "something else") for n in range(5, 20)),
        ]
    )
    return index


class TestGains:
    def test_from_the_first_place_to_the_fourth(self) -> None:
        """V(1) - V(4) = 1 - 1/8, of the best answer."""
        assert gain(1.0, Standing(rank=1, score=1.0), Standing(rank=4, score=0.2)) == pytest.approx(0.875)
        assert gain(0.5, Standing(), Standing(rank=4, score=0.4)) == pytest.approx(0.5 * 0.125 * 0.4)

    def test_a_page_falls_behind_the_others(self, index: TextIndex) -> None:
        engine = Engine(filled(index), REEF)
        assert [url for url, _ in index.ranked("reef", 4)] == [ATOLL, BANK, CAY, LAGOON]
        text = "reef with many more words than on any other page about it here"
        noticed = engine.take_in([(20, ATOLL, "", text)])[20]
        assert noticed.gain == pytest.approx(0.875)
        assert 0 < noticed.standing < 0.125, "the fourth, and not as good an answer as the first"
        assert [url for url, _ in index.ranked("reef", 4)] == [BANK, CAY, LAGOON, ATOLL]

    def test_a_new_page_gains_what_it_is_looked_at(self, index: TextIndex) -> None:
        engine = Engine(filled(index), (*REEF, Asked(words="no such word", share=0.5)))
        noticed = engine.take_in([(20, Url("http://new.test/"), "", "reef")])[20]
        assert noticed.gain == noticed.standing == pytest.approx(2**-1.5), (
            "as good as the first, behind it by its step"
        )

    def test_a_page_in_no_querys_answers_gains_nothing(self, index: TextIndex) -> None:
        engine = Engine(filled(index), REEF)
        noticed = engine.take_in([(20, Url("http://other.test/7"), "", "a whole other text")])
        assert noticed == {20: Noticed(gain=0.0, standing=0.0)}

    def test_the_same_text_again_gains_nothing(self, index: TextIndex) -> None:
        """But for the order of equal answers, which is that of their steps."""
        engine = Engine(filled(index), REEF)
        assert engine.take_in([(20, BANK, "", "reef with one")])[20].gain == 0

    @given(texts=st.lists(WORDS, min_size=1, max_size=6), again=WORDS)
    def test_gains_are_at_most_what_all_queries_are(
        self, tmp_path_factory: pytest.TempPathFactory, texts: list[str], again: str
    ) -> None:
        queries = tuple(Asked(words=words, share=0.5) for words in ("reef", "coral fish"))
        with TextIndex(tmp_path_factory.mktemp("index") / "text.db") as index:
            engine = Engine(index, queries)
            engine.take_in([(n, Url(f"http://reef.test/{n}"), "", text) for n, text in enumerate(texts, 1)])
            gains = engine.take_in([(100, Url("http://reef.test/1"), "", again)])
        assert 0 <= gains[100].gain <= 1 + 1e-12
        if "reef" not in texts[0] + again and "coral" not in texts[0] + again:
            assert gains[100].gain == 0


class TestQueryLogs:
    def read(self, folder: Path, text: str) -> QueryLog:
        path = folder / "queries.tsv"
        path.write_text(text, "utf-8")
        return read_queries(path)

    def test_counts_and_plain_lines(self, tmp_path: Path) -> None:
        log = self.read(tmp_path, '3\tCoral Reef\ncoral  reef\n\n1\tfish OR boat\n"wolf spider"\n')
        assert [(each.words, each.share) for each in log.queries] == [
            ("coral reef", 4 / 6),
            ('"wolf spider"', 1 / 6),
            ("fish OR boat", 1 / 6),
        ]
        assert log.left_out == 0

    def test_what_no_index_can_answer_is_left_out(self, tmp_path: Path) -> None:
        log = self.read(tmp_path, "reef\n?!\nOR\nnot\ta number\n0\tnever\n")
        assert {each.words for each in log.queries} == {"reef", "not a number"}
        assert log.left_out == 2

    @pytest.mark.parametrize("text", ["", "\n\n", "!!\n", "0\treef\n"])
    def test_a_log_without_queries_is_refused(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(InputError, match="no query here"):
            self.read(tmp_path, text)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="cannot be read"):
            read_queries(tmp_path / "none")

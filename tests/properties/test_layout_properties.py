"""Reading order: nothing is lost, and nothing is told twice."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lycosa.read.layout import Row, Sheet, Word, body_size, paragraphs, sheet, with_running
from lycosa.read.printed import joined

places = st.floats(0, 600, allow_nan=False).map(lambda x: round(x, 1))
words = st.builds(
    lambda text, left, wide, base, size, bold: Word(text, left, left + wide, base, size, bold),
    st.sampled_from(["silk", "web", "spi-", "der", "12", "蜘蛛", "http://a.org/"]),
    places,
    st.floats(1, 200).map(lambda x: round(x, 1)),
    places,
    st.sampled_from([6.0, 9.0, 10.0, 18.0]),
    st.booleans(),
)
pages = st.lists(st.lists(words, max_size=40), max_size=4)


def sheets(drawn: list[list[Word]]) -> tuple[Sheet, ...]:
    return with_running([sheet(some, number, 612, 792) for number, some in enumerate(drawn)])


@given(pages)
def test_every_word_is_read_once(drawn: list[list[Word]]) -> None:
    made = sheets(drawn)
    for one, some in zip(made, drawn, strict=True):
        assert Counter(word for row in one.rows for word in row.words) == Counter(some)
    in_paragraphs = [word for part in paragraphs(made) for row in part.rows for word in row.words]
    assert Counter(in_paragraphs) == Counter(word for some in drawn for word in some)


@given(pages)
def test_running_heads_are_paragraphs_of_their_own(drawn: list[list[Word]]) -> None:
    for part in paragraphs(sheets(drawn)):
        assert len({row.running for row in part.rows}) == 1
        assert not part.running or len(part.rows) == 1


@given(pages)
def test_the_size_of_the_text_is_one_that_occurs(drawn: list[list[Word]]) -> None:
    sizes = {word.size for some in drawn for word in some}
    assert body_size(sheets(drawn)) in (sizes or {0.0})


@given(st.lists(words, min_size=1, max_size=10))
def test_joined_rows_have_all_their_words(some: list[Word]) -> None:
    rows = [Row((word,), 0) for word in some]
    assert joined(rows, lambda text, _: f"{text} ") == " ".join(word.text for word in some)

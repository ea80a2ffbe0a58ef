"""Known answers of the text arithmetic, worked by hand."""

from __future__ import annotations

import pickle
from math import log, sqrt

import pytest

from lycosa.scoring.words.stopwords import DIALOG, ENGLISH, KUCUK
from lycosa.scoring.words.terms import (
    PLAIN,
    Counted,
    Vocabulary,
    cosine,
    counts,
    document_frequencies,
    idf,
    norm,
    pure_idf,
    query_terms,
    stem,
    tf,
    tf_idf,
    tokens,
    weighted,
)


def test_tokens_split_hyphens_and_drop_numbers() -> None:
    assert tokens("State-of-the-art 2004 Crawlers!") == ["state", "of", "the", "art", "crawlers"]


def test_tokens_join_hyphens() -> None:
    assert tokens("State-of-the-art 2004 Crawlers!", hyphens="join") == ["stateoftheart", "crawlers"]


def test_tokens_keep_digits_on_demand() -> None:
    assert tokens("In 2004 mp3 a7", digits="keep") == ["in", "2004", "mp3", "a7"]
    assert tokens("In 2004 mp3 a7") == ["in"]


def test_single_letters_are_no_terms() -> None:
    assert tokens("a b cd") == ["cd"]


def test_text_is_normalised() -> None:
    # The ligature fi, full-width letters, a typographic apostrophe, a dash, a no-break blank.
    assert tokens("ﬁne ＡＢＣ spider’s web—silk\xa0thread") == [
        "fine",
        "abc",
        "spider",
        "web",
        "silk",
        "thread",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ПАУК плетёт паутину", ["паук", "плетёт", "паутину"]),
        ("Ωμέγα ΑΡΑΧΝΗ", ["ωμέγα", "αραχνη"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("网络爬虫", ["网络", "络爬", "爬虫"]),
        ("東京spider蜘", ["東京", "spider", "蜘"]),
        ("第3章蜘蛛", ["第", "章蜘", "蜘蛛"]),
        ("거미 그물", ["거미", "그물"]),
    ],
)
def test_scripts_other_than_latin(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_many_different_letters_fold_like_few() -> None:
    alphabet = "".join(map(chr, range(0x410, 0x430)))
    assert tokens(alphabet) == [alphabet.lower()]


def test_stop_lists() -> None:
    assert sorted(DIALOG) == ["an", "and", "by", "for", "from", "of", "the", "to", "with"]
    assert {"a", "about", "the", "www"} & KUCUK == {"a", "about", "the"}
    assert len(KUCUK) == 28
    assert 480 <= len(ENGLISH) <= 600
    assert DIALOG | KUCUK <= ENGLISH


def test_counts_are_of_stems_without_stop_words() -> None:
    assert counts("The spiders of a spider are connected; connections don't connect.") == {
        "spider": 2,
        "connect": 3,
    }


def test_counts_of_pairs_of_signs() -> None:
    assert counts("蜘蛛蜘蛛 spiders") == {"蜘蛛": 2, "蛛蜘": 1, "spider": 1}


def test_a_query_of_stop_words_keeps_them() -> None:
    assert query_terms("to be or not to be") == {"to": 2, "be": 2, "or": 1, "not": 1}
    assert query_terms("The Who") == {"the": 1, "who": 1}
    assert query_terms("the spider") == {"spider": 1}


def test_a_vocabulary_survives_pickling() -> None:
    plain = Vocabulary(DIALOG, stemming=False, digits="keep")
    again: Vocabulary = pickle.loads(pickle.dumps(plain))
    assert again.counts("the 3 spiders in 2004") == {"spiders": 1, "in": 1, "2004": 1}


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import lycosa.scoring.words.terms as terms

    monkeypatch.setattr(terms, "MEMO_SIZE", 2)
    vocabulary = Vocabulary()
    assert [vocabulary.counts("one spider, two spiders") for _ in range(3)] == [{"spider": 2}] * 3


@pytest.mark.parametrize(
    ("word", "expected"),
    [(word, "connect") for word in ("connect", "connected", "connecting", "connection", "connections")]
    + [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("motoring", "motor"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("conditional", "condit"),
        ("vietnamization", "vietnam"),
        ("adjustable", "adjust"),
        ("effective", "effect"),
        ("probate", "probat"),
        ("rate", "rate"),
        ("controll", "control"),
        ("roll", "roll"),
    ],
)
def test_porter(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_porter_is_the_original_not_porter2() -> None:
    # Porter2 gives "fair" for "fairly" and "dying" -> "die".
    assert stem("fairly") == "fairli"


def test_idf() -> None:
    assert idf(10, 2) == pytest.approx(2.609, abs=5e-4)
    assert idf(10, 10) == 1.0
    assert pure_idf(10, 10) == 0.0
    assert idf(10, 0) == idf(10, 1)


def test_tf_is_a_share() -> None:
    assert tf({"a": 3, "b": 1}) == {"a": 0.75, "b": 0.25}
    assert tf({}) == {}


def test_tf_idf_of_two_texts() -> None:
    first, second = {"a": 1, "b": 1}, {"a": 1, "c": 1}
    frequencies = document_frequencies([first, second])
    assert frequencies == {"a": 2, "b": 1, "c": 1}
    query = {"b": 1}
    assert cosine(tf_idf(first, frequencies, 2, pure_idf), query) == pytest.approx(1.0)
    expected = (1 + log(2)) / sqrt(1 + (1 + log(2)) ** 2)
    assert cosine(tf_idf(first, frequencies, 2), query) == pytest.approx(expected)
    assert expected == pytest.approx(0.8610, abs=5e-5)


def test_cosine() -> None:
    query = {"rock": 1, "climb": 1}
    assert cosine(query, {"rock": 2, "music": 1}) == pytest.approx(0.632456, abs=5e-7)
    assert cosine(query, {"climb": 2, "rock": 1, "gear": 1}) == pytest.approx(0.866025, abs=5e-7)
    assert cosine(query, {}) == cosine({}, query) == cosine({}, {}) == 0.0
    page = {"climb": 2, "rock": 1, "gear": 1}
    counted = Counted(page)
    assert cosine(query, counted) == cosine(counted, query) == cosine(query, page)
    assert cosine(query, Counted()) == 0.0
    assert norm({"a": 3, "b": 4}) == 5.0


def test_fields_are_weighted() -> None:
    fields = {"title": {"x": 1}, "h1": {"x": 1}, "body": {"x": 1}}
    assert weighted(fields) == {"x": 8.0}
    assert weighted(fields, dict.fromkeys(fields, 1.0)) == {"x": 3.0}
    assert weighted({"footnote": {"x": 2}}) == {"x": 2.0}


def test_plain_vocabulary_is_what_counts_uses() -> None:
    assert PLAIN.counts("spiders") == counts("spiders") == {"spider": 1}

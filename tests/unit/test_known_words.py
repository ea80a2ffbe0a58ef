"""What is known of words before a crawl: how common they are, and which mean nearly the same."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import log1p
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.worlds import made_page, u

import lycosa
from lycosa.compose.topic import TopicSource, load_topic
from lycosa.crawl.inputs import Query, WordFrequencies
from lycosa.lab.experiments.design import cells_of
from lycosa.lab.experiments.experiment import load_experiment
from lycosa.lab.tasks.judge import brief
from lycosa.lab.tasks.task import Task
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.scoring.topics.running_tfidf import Frequencies
from lycosa.scoring.words.terms import PRIOR_TEXTS, counts
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.sources.vectors import nearest
from lycosa.sources.words import MOST_RELATED, SHARE, related_words, shares_of, word_frequencies
from lycosa.spec.registry import strategy
from lycosa.spec.tree import KnowledgeSpec, TopicSpec
from lycosa.store.paths import Paths
from lycosa.strategies.hunter.corpus import Corpus
from lycosa.strategies.hunter.evidence import Evidence
from lycosa.strategies.hunter.hunter import Hunter

SAMPLE = f"recorded:{Path(__file__).parents[2] / 'examples' / 'sample-web'}"
START = "http://schools.wiki.example/wp/Biosphere.html"


# -- vectors -----------------------------------------------------------------------------------------------------


def as_text(path: Path, rows: Sequence[tuple[str, Sequence[float]]], head: str = "") -> Path:
    lines = [" ".join((word, *map(str, numbers))) for word, numbers in rows]
    path.write_text("\n".join([*([head] if head else []), *lines]) + "\n", encoding="utf-8")
    return path


ROWS = [("spider", [2.0, 0.0]), ("arachnid", [3.0, 4.0]), ("web", [0.0, 1.0]), ("bug", [4.0, 3.0])]
"""The cosines of spider: arachnid .6, web 0, bug .8."""


def test_nearest_words_by_hand(tmp_path: Path) -> None:
    glove = as_text(tmp_path / "glove.txt", ROWS)
    word2vec = as_text(tmp_path / "word2vec.vec", ROWS, head="4 2")
    np.save(tmp_path / "own.npy", np.array([numbers for _, numbers in ROWS]))
    (tmp_path / "own.txt").write_text("\n".join(word for word, _ in ROWS))
    for file in (glove, word2vec, tmp_path / "own.npy"):
        found = nearest(file, {"spider", "unknown"})
        assert list(found) == ["spider"]
        assert [word for word, _ in found["spider"]] == ["bug", "arachnid"]
        assert [cosine for _, cosine in found["spider"]] == pytest.approx([0.8, 0.6])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("spider 1 2\nweb 1\n", "line 2: is no word with its 2 numbers"),
        ("spider 1 x\n", "line 1: is no word with its 2 numbers"),
        ("spider 1 nan\n", "line 1: is no word with its 2 numbers"),
        ("spider\n", "line 1: is no word with its numbers"),
    ],
)
def test_what_are_no_vectors_is_told_by_line(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(text)
    with pytest.raises(InputError, match=told):
        nearest(tmp_path / "v.txt", {"spider"})


def test_an_array_must_fit_its_words(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.ones((3, 2)))
    (tmp_path / "v.txt").write_text("a\nb\n")
    with pytest.raises(InputError, match=r"has shape \(3, 2\), and v.txt has 2 words"):
        nearest(tmp_path / "v.npy", {"a"})
    (tmp_path / "w.npy").write_bytes(b"no array")
    with pytest.raises(InputError, match="is no array of vectors"):
        nearest(tmp_path / "w.npy", {"a"})
    with pytest.raises(InputError, match="cannot be read"):
        nearest(tmp_path / "none.txt", {"a"})


# -- related words -----------------------------------------------------------------------------------------------


def test_related_words_by_hand(tmp_path: Path) -> None:
    """Stems; words of the topic and phrases are left out; of two shares the greater holds."""
    thesaurus = tmp_path / "words.txt"
    thesaurus.write_text(
        "# ours\n\nSpider: arachnid, wolf spider, spiders, crawlers , web,tarantulas\nother: one\n"
    )
    vectors = as_text(tmp_path / "v.txt", ROWS)
    both = KnowledgeSpec(thesaurus=str(thesaurus), vectors=str(vectors))
    found = related_words(both, "Spider web")
    assert found["spider"] == pytest.approx(
        {"arachnid": SHARE, "crawler": SHARE, "tarantula": SHARE, "bug": SHARE * 0.8}
    )
    assert found["web"] == pytest.approx({"arachnid": SHARE * 0.8, "bug": SHARE * 0.6})
    by_stem = related_words(KnowledgeSpec(thesaurus=str(thesaurus)), "spiders web")
    assert list(by_stem) == ["spider"]
    many = tmp_path / "many.txt"
    many.write_text("spider: " + ", ".join(f"w{c}rd" for c in "abcdefghij"))
    assert len(related_words(KnowledgeSpec(thesaurus=str(many)), "spider")["spider"]) == MOST_RELATED
    assert related_words(KnowledgeSpec(), "spider") == {}
    many.write_text("spider arachnid\n")
    with pytest.raises(InputError, match=r"many\.txt, line 1: write WORD: SYNONYM, SYNONYM"):
        related_words(KnowledgeSpec(thesaurus=str(many)), "spider")


def test_related_words_are_part_of_the_query_and_count_less() -> None:
    query = Query(
        terms={"car": 2, "auto": 1}, related={"car": {"auto": 0.5, "van": 0.25}, "none": {"x": 0.5}}
    )
    words = TopicWords.of(query)
    assert words.terms == {"car": 2, "auto": 1}
    assert words.weights == {"car": 2, "auto": 1, "van": 0.5}
    assert words.query().related == {"car": {"auto": 0.5, "van": 0.25}}
    assert 0 < words.in_texts().of("a van") < words.in_texts().of("an auto") < words.in_texts().of("a car")
    plain = TopicWords.of(Query(terms={"car": 2}))
    assert plain.weights == plain.terms


def page(text: str, name: str = "p") -> Page:
    return msgspec.structs.replace(made_page(Request(url=u(name), order=0), text=text), terms=counts(text))


def test_pages_are_judged_by_related_words_too() -> None:
    source = TopicSource(keywords="car", related={"car": {"van": 0.3}})
    [query] = source.inputs()
    assert isinstance(query, Query)
    assert query.related == {"car": {"van": 0.3}}
    model = source.model()
    assert 0 < model.relevance(page("a van here")) < model.relevance(page("a car here"))
    assert TopicSource(keywords="car").model().relevance(page("a van here")) == 0


def evidence_of(texts: Sequence[str], words: dict[str, int], **known: object) -> tuple[Evidence, Corpus]:
    hunter = strategy("hunter", [Query(terms=words)])
    assert isinstance(hunter, Hunter)
    corpus = Corpus(TopicWords(words))
    evidence = Evidence(corpus, words, [], hunter.tuning, **known)  # type: ignore[arg-type]
    for number, text in enumerate(texts):
        evidence.see(corpus.add(page(text, f"p{number}")), (), 0.0, 1.0)
    evidence.learn()
    return evidence, corpus


def test_a_related_word_is_evidence_for_its_word_less_by_its_share() -> None:
    """Three pages of two words each, equally rare: the cosine with *car* is 1/√2, with *van* .3 of that."""
    texts = ["car aaa", "van bbb", "xyz ccc"]
    evidence, corpus = evidence_of(texts, {"car": 1}, related={"car": {"van": 0.3}})
    pages = [evidence._page[corpus.graph.number_of(u(f"p{n}"))][0] for n in range(3)]
    assert pages[0] == pytest.approx(1 / 2**0.5)
    assert pages[1] == pytest.approx(0.3 / 2**0.5)
    assert pages[2] == 0


def test_a_language_that_is_known_tells_what_is_rare_before_the_first_pages_do() -> None:
    """After one page that has both: ln(1 + (N + M + 1) / (df + M·p + ½)), for M ordinary texts of which p hold it."""
    shares = {"common": 0.5, "rare": 0.001}
    plain, corpus = evidence_of(["common rare"], {"common": 1, "rare": 1})
    known, _ = evidence_of(["common rare"], {"common": 1, "rare": 1}, shares=shares)
    numbers = [corpus.number(term) for term in ("common", "rare")]
    assert plain._queries.rarity[numbers[0]] == plain._queries.rarity[numbers[1]]
    expected = [log1p((1 + PRIOR_TEXTS + 1) / (1 + PRIOR_TEXTS * p + 0.5)) for p in (0.5, 0.001)]
    assert known._queries.rarity[numbers].tolist() == pytest.approx(expected)


# -- how common words are ----------------------------------------------------------------------------------------


def test_shares_by_hand() -> None:
    """1 - (1 - f)^300; the words of a stem together; stop words say nothing."""
    shares = shares_of([("the", 0.05), ("spider", 1e-5), ("Spiders", 2e-5), ("rare", 1e-9)])
    assert shares == pytest.approx({"spider": 1 - (1 - 3e-5) ** 300, "rare": 3e-7}, rel=1e-4)
    assert all(0 < share <= 1 for share in shares_of([("much", 0.9), ("more", 0.9)]).values())


def test_running_document_frequencies_begin_with_the_language() -> None:
    """1 + ln((N + 1 + M) / max(1, df + M·p))."""
    known = Frequencies({"common": 0.5})
    assert known.idf("common", here=False) == pytest.approx(
        1 + np.log((1 + PRIOR_TEXTS) / (PRIOR_TEXTS * 0.5))
    )
    assert known.idf("unheard", here=True) == pytest.approx(1 + np.log(1 + PRIOR_TEXTS))
    assert Frequencies().idf("common", here=True) == 1.0
    judged = TopicSource(
        keywords="common rare", weighting="tf-idf", given=(WordFrequencies(shares={"common": 0.5}),)
    ).model()
    assert judged.relevance(page("rare word here")) > judged.relevance(page("common word here"))


def test_words_of_english() -> None:
    pytest.importorskip("wordfreq")
    shares = word_frequencies("english").shares
    assert 0 < shares["compil"] < shares["research"] < 0.5
    assert "the" not in shares
    with pytest.raises(InputError, match="wordfreq knows no words of 'latin'"):
        word_frequencies("latin")


def test_without_the_packages_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    monkeypatch.setitem(sys.modules, "wn", None)
    with pytest.raises(InputError, match=r"pip install lycosa\[words\]"):
        word_frequencies("en")
    with pytest.raises(InputError, match=r"pip install lycosa\[wordnet\]"):
        related_words(KnowledgeSpec(thesaurus="wn:oewn:2024"), "spider")


LEXICON = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
  <Lexicon id="tiny" label="tiny" language="en" email="a@b.c" license="MIT" version="1">
    <LexicalEntry id="w1">
      <Lemma writtenForm="spider" partOfSpeech="n"/><Sense id="s1" synset="tiny-1"/>
    </LexicalEntry>
    <LexicalEntry id="w2">
      <Lemma writtenForm="wanderer" partOfSpeech="n"/><Sense id="s2" synset="tiny-1"/>
    </LexicalEntry>
    <Synset id="tiny-1" ili="" partOfSpeech="n"/>
  </Lexicon>
</LexicalResource>
"""


def test_synonyms_of_a_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wn = pytest.importorskip("wn")
    monkeypatch.setattr(wn.config, "data_directory", tmp_path / "wn")
    (tmp_path / "tiny.xml").write_text(LEXICON)
    wn.add(tmp_path / "tiny.xml", progress_handler=None)
    found = related_words(KnowledgeSpec(thesaurus="wn:tiny:1"), "wolf spiders")
    assert found == {"spider": {"wander": SHARE}}
    with pytest.raises(
        InputError, match="it is not on this machine; get it with: python -m wn download none:9"
    ):
        related_words(KnowledgeSpec(thesaurus="wn:none:9"), "spider")


# -- crawls ------------------------------------------------------------------------------------------------------


def test_a_crawl_keeps_what_it_knew_of_words_and_needs_no_file_to_go_on(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("dinosaur: reptile\n")
    topic = TopicSpec(keywords=("dinosaur", "fossil"), knowledge=KnowledgeSpec(thesaurus=str(file)))
    lycosa.crawl(topic, [START], web=SAMPLE, pages=20, out=tmp_path / "c").close()
    assert load_topic(Paths(tmp_path / "c")).related == {"dinosaur": {"reptil": SHARE}}
    file.unlink()
    with lycosa.resume(tmp_path / "c", pages=30) as crawl:
        assert crawl.status().pages == 30
        other = lycosa.crawl("dinosaur fossil", [START], web=SAMPLE, pages=30, out=tmp_path / "plain")
        assert [row.url for row in crawl.rows()] != [row.url for row in other.rows()]
        other.close()


def test_an_experiment_tells_its_crawls_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("spider: arachnid\n")
    (tmp_path / "e.toml").write_text(
        "[strategies]\nbf = 'best-first'\n[webs.w]\npath = 'web'\nknowledge = {thesaurus = 'words.txt'}\n"
        "[webs.plain]\npath = 'web'\n"
    )
    experiment = load_experiment(tmp_path / "e.toml")
    task = Task(id="t", keywords=("spider",), targets=(u("x"),), seeds={3: (u("s"),)})
    [known], [plain] = (list(cells_of(experiment, web, [task])) for web in ("w", "plain"))
    assert known.knowledge == KnowledgeSpec(thesaurus=str(tmp_path / "words.txt"))
    assert known.key("w", "t") != plain.key("w", "t")
    told = brief(task, 3, known=known.knowledge)
    assert told.related == {"spider": {"arachnid": SHARE}}
    [query] = told.source().inputs()
    assert isinstance(query, Query)
    assert query.related == told.related
    assert brief(task, 3, known=plain.knowledge) == brief(task, 3)

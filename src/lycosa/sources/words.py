"""What is known of words before a crawl: how common they are in a language, and which of them mean nearly the same.

Everything is on the user's machine already; nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import exp, log1p
from pathlib import Path

from lycosa.crawl.inputs import WordFrequencies
from lycosa.model.errors import InputError
from lycosa.read.language_names import language_code
from lycosa.scoring.words.terms import counts, tokens
from lycosa.sources.reading import Reading
from lycosa.sources.vectors import lines_of, nearest
from lycosa.spec.tree import WN, KnowledgeSpec

WORDS_A_TEXT = 300
"""Of an ordinary text: what turns the frequency of a word into the share of texts that hold it."""
MOST_RELATED = 5
"""Further terms for one term of the topic, at most, from each source."""
SHARE = 0.3
"""Of a term that a synonym counts for; of a word with a like vector, that times the cosine."""

Related = dict[str, dict[str, float]]


# -- how common words are ----------------------------------------------------------------------------------------


async def read_word_frequencies(reading: Reading) -> WordFrequencies | None:
    """Those of the language that the topic names, from the package wordfreq; None if it names none."""
    language = reading.topic.knowledge.word_frequencies
    return word_frequencies(language) if language else None


def word_frequencies(language: str) -> WordFrequencies:
    """Of a language by code or name. Raises `InputError` without wordfreq, and for a language that it has not."""
    try:
        import wordfreq  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise InputError(
            "--word-frequencies needs wordfreq; install it with: pip install lycosa[words]"
        ) from None
    code = language_code(language)
    if code not in wordfreq.available_languages("small"):  # it would take those of a language that is near
        raise InputError(f"--word-frequencies: wordfreq knows no words of {language!r}; try en")
    found: Mapping[str, float] = wordfreq.get_frequency_dict(code, "small")
    return WordFrequencies(shares=shares_of(found.items()))


def shares_of(frequencies: Iterable[tuple[str, float]]) -> dict[str, float]:
    """By stem, 1 - (1 - f)^n: the share of texts of n words that hold it, if words fell as dice do.

    f is the frequency of all words of the stem together. Stop words are left out.

    >>> {term: round(share, 3) for term, share in shares_of([("spider", 1e-5), ("spiders", 1e-5)]).items()}
    {'spider': 0.006}
    """
    total: dict[str, float] = {}
    for word, frequency in frequencies:
        for term in counts(word):
            total[term] = min(total.get(term, 0.0) + frequency, 0.5)
    return {term: 1 - exp(WORDS_A_TEXT * log1p(-f)) for term, f in total.items() if f > 0}


# -- which words mean nearly the same ----------------------------------------------------------------------------


def related_words(known: KnowledgeSpec, keywords: str) -> Related:
    """By term of the keywords, the terms that are related to it and the share of it that each counts for.

    No term of the keywords is related to another: it counts in full. Raises `InputError` for what cannot be read.
    """
    words = dict.fromkeys(word for word in tokens(keywords) if counts(word))
    own = set(counts(keywords))
    found: Related = {}
    for source in _sources(known):
        for word, others in source(words).items():
            kept = found.setdefault(next(iter(counts(word))), {})
            for term, share in _as_terms(others, own).items():
                kept[term] = max(share, kept.get(term, 0.0))
    return {term: others for term, others in found.items() if others}


Others = Iterable[tuple[str, float]]
"""Words with the shares that they count for, the nearest first."""


def _sources(known: KnowledgeSpec) -> Iterator[Callable[[Collection[str]], Mapping[str, Others]]]:
    """What tells of each of some words, where it knows it, the others."""
    if known.thesaurus.startswith(WN):
        yield lambda words: _in_wordnet(known.thesaurus.removeprefix(WN), words)
    elif known.thesaurus:
        yield lambda words: _in_thesaurus(Path(known.thesaurus), words)
    if known.vectors:
        yield lambda words: {
            word: [(other, SHARE * cosine) for other, cosine in near]
            for word, near in nearest(Path(known.vectors), words).items()
        }


def _as_terms(others: Others, own: Collection[str]) -> dict[str, float]:
    """The first few as terms; those of several words are left out, as each of them alone may mean anything."""
    terms: dict[str, float] = {}
    for other, share in others:
        found = [*counts(other)]
        if len(found) == 1 and found[0] not in own and len(terms) < MOST_RELATED:
            terms.setdefault(found[0], share)
    return terms


def _in_thesaurus(path: Path, words: Collection[str]) -> dict[str, list[tuple[str, float]]]:
    """Of a file of lines `WORD: SYNONYM, SYNONYM`, words compared by their stems."""
    wanted = {term: word for word in words for term in counts(word)}
    found: dict[str, list[tuple[str, float]]] = {}
    for number, line in enumerate(lines_of(path), 1):
        written, colon, others = line.strip().partition(":")
        if not colon and written and not written.startswith("#"):
            raise InputError(f"{path}, line {number}: write WORD: SYNONYM, SYNONYM")
        terms = [*counts(written)]
        if len(terms) == 1 and terms[0] in wanted:
            found.setdefault(wanted[terms[0]], []).extend((other, SHARE) for other in others.split(","))
    return found


def _in_wordnet(lexicon: str, words: Collection[str]) -> dict[str, list[tuple[str, float]]]:
    """Of a lexicon that the user has for the package wn: the other words of the senses of a word, the first sense
    first."""
    try:
        import wn.morphy  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise InputError("--thesaurus wn:… needs wn; install it with: pip install lycosa[wordnet]") from None
    try:
        net = wn.Wordnet(lexicon, lemmatizer=wn.morphy.Morphy())
    except wn.Error:
        raise InputError(
            f"--thesaurus wn:{lexicon}: it is not on this machine; get it with: python -m wn download {lexicon}"
        ) from None
    return {
        word: [(other, SHARE) for synset in net.synsets(word) for other in synset.lemmas()] for word in words
    }

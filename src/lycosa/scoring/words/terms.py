"""From text to weighted terms: tokens, stop words, stems, counts, TF-IDF and cosine.

Sources: Pant, Srinivasan and Menczer, "Crawling the Web" (2004), section 3 and equation 1; Menczer, Pant and
Srinivasan, ACM TOIT 4(4), 2004, equations 3 and 4; Küçük, MSc thesis, 2009, section 2.1; Porter, "An algorithm for
suffix stripping", 1980.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import groupby
from math import log, sqrt
from operator import mul
from typing import Final, Literal

from lycosa.model.compiled import compiled
from lycosa.model.spaceless import grams_of, is_spaceless
from lycosa.scoring.words.stopwords import ENGLISH

_HUNTING: Final = compiled("lycosa.scoring._hunting")

Digits = Literal["drop", "keep"]
Hyphens = Literal["split", "join"]
Counts = Mapping[str, int]
Weights = Mapping[str, float]

MIN_LENGTH = 2
"""Characters that a term has at least. A letter of a script that writes whole words by one sign is exempt."""

MAX_LENGTH = 64
"""Characters that a term has at most: what is longer is no word but coded material."""

MEMO_SIZE = 100_000
"""Distinct words remembered with their stems. Full, the memory is emptied: results never depend on it."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_HYPHENS = "-\u2010\u2011"
_ASCII = bytes(range(128))
_DIGIT = re.compile(r"\d")
# Of UTF-8: letters in lower case, digits and every byte of a character outside ASCII are kept; others become blanks.
_PLAIN_ASCII = bytes(
    b if b in _LETTERS or 48 <= b <= 57 or b >= 128 else b + 32 if 65 <= b <= 90 else 32 for b in range(256)
)
END: Final = "\x80"
"""Between texts that are cut as one: a word that no text of ASCII has, and no blank. Its byte alone is no UTF-8."""
_BETWEEN = f" {END} "
_FEW_SIGNS = 24
"""So many different characters outside ASCII are cheaper replaced one by one than by going over the whole text."""


def tokens(text: str, *, digits: Digits = "drop", hyphens: Hyphens = "split") -> list[str]:
    """The words of a text in their order, in lower case and NFKC, without punctuation and one-letter words.

    `digits="drop"` leaves out every word that holds a digit. `hyphens="join"` makes one word of the parts of a
    hyphenated one. Of a script without blanks (Chinese, Japanese, Thai, …) overlapping runs of signs come: see
    `lycosa.model.spaceless`.
    """
    return [word for word in _raw_words(text, hyphens) if _is_term(word, digits)]


def _raw_words(text: str, hyphens: Hyphens = "split") -> list[str]:
    plain, is_unspaced = _in_plain(text, hyphens)
    words = plain.decode("utf-8").split()
    return [piece for word in words for piece in grams_of(word)] if is_unspaced else words


def _in_plain(text: str, hyphens: Hyphens = "split") -> tuple[bytes, bool]:
    """The words of a text in UTF-8 between blanks; and whether some are of a script without blanks, still uncut."""
    if not text.isascii() and not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    if hyphens == "join":
        text = re.sub(rf"(?<=\w)[{_HYPHENS}](?=\w)", "", text)
    encoded = text.encode("utf-8", "replace")
    if text.isascii():
        return encoded.translate(_PLAIN_ASCII), False
    signs = set(encoded.translate(None, _ASCII).decode("utf-8"))
    if len(signs) > _FEW_SIGNS:
        encoded = text.lower().encode("utf-8", "replace")
        signs = set(encoded.translate(None, _ASCII).decode("utf-8"))
    for sign in signs:
        if (plain := _plain(sign)) != sign:
            encoded = encoded.replace(sign.encode("utf-8"), plain.encode("utf-8"))
    return encoded.translate(_PLAIN_ASCII), any(map(_is_unspaced, signs))


def words_in(text: str) -> bytes:
    """The words of a text, those too that `tokens` leaves out, in UTF-8 between blanks."""
    plain, is_unspaced = _in_plain(text)
    return " ".join(_raw_words(text)).encode() if is_unspaced else plain


@cache
def _plain(sign: str) -> str:
    """A blank for punctuation, symbols and control signs, which part words; letters and marks in lower case."""
    return " " if unicodedata.category(sign)[0] in "PSZC" else sign.lower()


_is_unspaced = cache(is_spaceless)


def _is_term(word: str, digits: Digits) -> bool:
    if digits == "drop" and not word.isalpha() and _DIGIT.search(word):
        return False
    return MIN_LENGTH <= len(word) <= MAX_LENGTH or (len(word) == 1 and _is_unspaced(word))


@cache
def _porter() -> Callable[[str], str]:
    import Stemmer  # type: ignore[import-untyped,import-not-found,unused-ignore]

    # Its own memory, which it sorts whenever it is full, costs more than stemming; words have one here.
    stem: Callable[[str], str] = Stemmer.Stemmer("porter", 0).stemWord
    return stem


def stem(word: str) -> str:
    """The stem of a lower-case word by Porter's original algorithm of 1980 (not Porter2)."""
    return _porter()(word)


class Vocabulary:
    """How words become terms: which are left out, and whether they are stemmed.

    `counts` of the same text are the same whatever was counted before: the memory only saves time.
    Pickled, it leaves its memory behind.
    """

    def __init__(
        self, stopwords: Collection[str] = ENGLISH, *, stemming: bool = True, digits: Digits = "drop"
    ) -> None:
        self._stopwords = frozenset(stopwords)
        self._stemming = stemming
        self._digits: Digits = digits
        self._memory = _Memory(self._term_of)

    def __reduce__(self) -> tuple[Callable[..., Vocabulary], tuple[frozenset[str], bool, Digits]]:
        return _vocabulary, (self._stopwords, self._stemming, self._digits)

    def counts(self, text: str) -> dict[str, int]:
        """How often each term occurs in the text, terms in the order of their first occurrence."""
        if len(self._memory) >= MEMO_SIZE:
            self._memory.clear()
        counted: dict[str, int] = {}
        known = counted.get
        for term in map(self._memory.__getitem__, _raw_words(text)):
            counted[term] = known(term, 0) + 1
        counted.pop("", None)
        return counted

    def memory(self) -> dict[str, str]:
        """Words with their terms, "" for those left out: a dict that learns a word when it is asked for one that it
        lacks. The words are those of `tokens`, and those that it leaves out."""
        if len(self._memory) >= MEMO_SIZE:
            self._memory.clear()
        return self._memory

    def sequence(self, text: str) -> list[str]:
        """The terms of the text one after the other; words that are left out leave no gap."""
        if len(self._memory) >= MEMO_SIZE:
            self._memory.clear()
        return list(filter(None, map(self._memory.__getitem__, _raw_words(text))))

    def sequences(self, texts: Sequence[str]) -> list[list[str]]:
        """`sequence` of each. A hundred short texts of plain ASCII take a third of the time, as they are cut as one."""
        memory = self.memory()
        several = self.words_of(texts).split(_BETWEEN.encode("latin-1")) if texts else []
        return [list(filter(None, map(memory.__getitem__, words.decode().split()))) for words in several]

    def words_of(self, texts: Sequence[str]) -> bytes:
        """The words of each, whose terms `memory` knows, in UTF-8 between blanks; with the byte of `END` alone between
        texts."""
        runs: list[bytes] = []
        for is_plain, some in groupby(texts, str.isascii):
            if is_plain:
                runs.append(_BETWEEN.join(some).encode("latin-1").translate(_PLAIN_ASCII))
            else:
                runs += map(words_in, some)
        return _BETWEEN.encode("latin-1").join(runs)

    def query(self, text: str) -> dict[str, int]:
        """Like `counts`; but of a query that has stop words only ("to be or not to be") these are kept."""
        return self.counts(text) or self.of_all_words().counts(text)

    def of_all_words(self) -> Vocabulary:
        """The same, with stop words."""
        return Vocabulary((), stemming=self._stemming, digits=self._digits)

    def _term_of(self, word: str) -> str:
        if not _is_term(word, self._digits) or word in self._stopwords:
            return ""
        return _porter()(word) if self._stemming else word


class _Memory(dict[str, str]):
    """Words with their terms, empty for those left out. Learns a word when asked for it."""

    def __init__(self, learn: Callable[[str], str]) -> None:
        super().__init__()
        self._learn = learn

    def __missing__(self, word: str) -> str:
        term = self._learn(word)
        if len(word) <= MAX_LENGTH:
            self[word] = term
        return term


def _vocabulary(stopwords: frozenset[str], stemming: bool, digits: Digits) -> Vocabulary:
    return Vocabulary(stopwords, stemming=stemming, digits=digits)


PLAIN = Vocabulary()
"""English stop words left out, Porter stems: what `Page.terms` is made with."""

ALL_WORDS = PLAIN.of_all_words()
"""Porter stems of all words."""


def counts(text: str) -> dict[str, int]:
    """Counts of the stemmed words of a text, English stop words left out."""
    return PLAIN.counts(text)


def query_terms(text: str) -> dict[str, int]:
    """Counts of a query's stemmed words; stop words are kept where there is nothing else."""
    return PLAIN.query(text)


PRIOR_TEXTS = 20
"""So many ordinary texts stand for what is known of a language before the first page. Ours."""


def idf(documents: float, containing: float) -> float:
    """1 + ln(N / max(1, df)): the weight of a term that `containing` of `documents` texts hold. At least 1."""
    return 1.0 + log(documents / max(1, containing))


def pure_idf(documents: int, containing: int) -> float:
    """ln(N / max(1, df)): 0 for a term that every text holds."""
    return log(documents / max(1, containing))


def document_frequencies(texts: Iterable[Counts]) -> dict[str, int]:
    """In how many of the texts each term occurs."""
    frequencies: dict[str, int] = {}
    for terms in texts:
        for term in terms:
            frequencies[term] = frequencies.get(term, 0) + 1
    return frequencies


def together(texts: Iterable[Counts]) -> dict[str, int]:
    """The counts of all texts taken as one, terms in the order of their first occurrence."""
    total: dict[str, int] = {}
    for terms in texts:
        for term, n in terms.items():
            total[term] = total.get(term, 0) + n
    return total


def tf(terms: Counts) -> dict[str, float]:
    """n(d, t) / Σ_t n(d, t): the share of each term. Empty for an empty text. (Küçük 2009, eq. 2-2)"""
    total = sum(terms.values())
    return {term: n / total for term, n in terms.items()} if total else {}


def tf_idf(
    terms: Counts,
    frequencies: Mapping[str, int],
    documents: int,
    weight: Callable[[int, int], float] = idf,
) -> dict[str, float]:
    """f_kd · idf(N, df_k) of each term of a text (Menczer et al. 2004, eq. 3).

    `frequencies` are those of `document_frequencies` over `documents` texts; an unknown term counts as df = 1.
    """
    return {term: n * weight(documents, frequencies.get(term, 0)) for term, n in terms.items()}


def norm(weights: Weights) -> float:
    """Euclidean length of a vector."""
    return sqrt(sum(w * w for w in weights.values()))


class Counted(dict[str, int]):
    """Counts that change no more, and that much is compared with: what a cosine asks of them is worked out once."""

    @cached_property
    def squared(self) -> int:
        """The square of their Euclidean length."""
        return sum(map(mul, self.values(), self.values()))


def cosine(one: Weights, other: Weights) -> float:
    """Σ f_kq f_kp / √(Σ f_kp² Σ f_kq²), in [0, 1] for weights that are not negative; 0 if either is empty.

    (Pant et al. 2004, eq. 1)
    """
    if len(one) > len(other):
        one, other = other, one
    dot = sum(w * other[term] for term, w in one.items() if term in other)
    if not dot:
        return 0.0
    return min(1.0, dot / sqrt(_squared(one) * _squared(other)))


def _squared(weights: Weights) -> float:
    if isinstance(weights, Counted):
        return weights.squared
    if _HUNTING is not None and isinstance(weights, dict):
        found: int | None = _HUNTING.squared(weights)
        if found is not None:
            return found
    own = weights.values()
    squared: float = sum(map(mul, own, own))
    return squared


FIELD_WEIGHTS: Mapping[str, float] = {
    "title": 4.0,
    "h1": 3.0,
    "h2": 2.0,
    "h3": 2.0,
    "bold": 1.5,
    "meta": 1.0,
    "body": 1.0,
    "external_anchor": 3.0,
    "internal_anchor": 1.0,
}
"""Where a word stands says how much it counts. All weights 1 give plain term frequency."""


def weighted(fields: Mapping[str, Counts], weights: Mapping[str, float] = FIELD_WEIGHTS) -> dict[str, float]:
    """tf'(k) = Σ_field w_field · tf_field(k); a field without a weight counts once. (Küçük 2009, section 2.1.4)"""
    total: dict[str, float] = {}
    for field, terms in fields.items():
        weight = weights.get(field, 1.0)
        for term, n in terms.items():
            total[term] = total.get(term, 0.0) + weight * n
    return total

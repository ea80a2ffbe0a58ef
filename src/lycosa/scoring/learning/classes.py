"""Classes of pages: a frozen model that tells of each page in which of several classes it is.

Who shares a crawl by topics must get the same answer on every machine. So all kinds of classifier are brought to one
form in whole numbers, whose sums depend neither on an order nor on a library:

    s_c(d) = b_c · L(d) + Σ_t x_t(d) · w_tc,        the class of d is argmax_c s_c(d)

| kind | x_t | L | w_tc | b_c |
| --- | --- | --- | --- | --- |
| nb | n_t | 1 | log θ_ct | log P(c) |
| nb-root | n_t | √Σ n_t | log θ_ct | log P(c) |
| lewis | 1, if it is there | 1 | what presence does, against absence | log P(c), all words absent |
| rocchio | n_t | - | idf_t · w_c(t), w_c of length 1 | 0 |
| svm | (1 + ln n_t) · idf_t | √Σ x_t² | of the hyperplane | of the hyperplane |

(Chung and Clarke, "Topic-oriented collaborative crawling", CIKM 2002, section 5)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from hashlib import sha256
from itertools import repeat
from math import exp, isqrt, log
from typing import Any, Final, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Record
from lycosa.scoring.words.stopwords import COMMON_ENGLISH
from lycosa.scoring.words.terms import Counts, Vocabulary, counts

Whole = NDArray[np.int64]
ClassKind = Literal["nb", "nb-root", "lewis", "rocchio", "svm"]

MARK, FORMAT = "lycosa classes", 1
"""What a file of classes says it is, and the version of its layout and of these rules."""

UNIT: Final = 2**16
"""Weights and biases are whole numbers of this part."""
FINE: Final = 2**8
"""What is computed of a text's counts is in whole numbers of this part."""
THOUSAND: Final = 1000

MOST_COUNTED: Final = 999
"""More occurrences of one word than this are no further evidence to a support vector machine."""
_DAMPED: Final = np.array([0, *(round(FINE * (1.0 + log(n))) for n in range(1, MOST_COUNTED + 1))], np.int64)

LOOKED_AT: Final = 4_000
"""Characters in which common words are counted: some 600 words, whose share is sure to 2 in a hundred."""

_TEXT_OF_TRIAL = """State-of-the-art 2004 Crawlers! Connected, connecting; ponies don't agree: naïve Übung ﬁnd
x86 e-mail Œuvre ÉTÉ 日本語の文章 ไทย ἀρχή co\u2011operate 9th generalizations oscillators relational"""


@cache
def rules_for_words() -> str:
    """Names how texts become terms: it is another one whenever a text of trial is cut or stemmed otherwise."""
    told = msgspec.msgpack.encode(sorted(counts(_TEXT_OF_TRIAL).items()))
    return sha256(told).hexdigest()[:16]


class _Scores(NamedTuple):
    sums: Whole
    """s_c(d), by class."""
    length: int
    """L(d)."""


class Rules(Record, frozen=True, kw_only=True):
    """What is settled before words are weighed. First comes the length, then the language."""

    least: int = 50
    """A page with fewer words, stop words not counted, cannot be told by its words …"""
    short: str = ""
    """… and is in this class; empty: in none."""
    gate: Literal["", "words", "detector"] = ""
    """Who tells whether a page is in English: the share of common words in it, or what `Page.language` says (unknown
    counts as English). Empty: nobody is asked."""
    foreign: str = "WORLD"
    """The class of pages that are not in English."""
    english: int = 100
    """So many of a thousand words, at least, are common ones in an English page."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Classes that are told by rule; they need not have been learned."""
        return tuple(filter(None, (self.short, self.foreign if self.gate else "")))


class Learned(Record, frozen=True, kw_only=True):
    """What training came to, in whole numbers: see the head of this module."""

    kind: ClassKind
    names: tuple[str, ...]
    terms: tuple[str, ...]
    """Sorted."""
    weights: Whole
    """By term, then by class."""
    bias: Whole
    idfs: tuple[int, ...] = ()
    """By term, of the kinds that weigh words by it, in whole numbers of `FINE`."""
    sharpness: int = THOUSAND
    """In thousandths: by how much scores are multiplied before they become probabilities."""


class Classes:
    """Tells the class of a page. Static: it does not learn from what it sees.

    A page that cannot be told (too short, or without any known word) is in no class, unless the rules give it one.

    Cost: some 30 µs a page of 150 distinct words and 15 classes, and .2 ms more for the gate by common words. Memory:
    8 bytes a term and class, and some 100 a term.

    Invariants, each the name of a property test:

    * the order of words does not matter: `of` and `posterior` are the same for the same counts in any order.
    * one digest one answer: what is saved and loaded again has the same digest and answers alike.
    * the likeliest is told: the class of a page is one of those with the largest posterior.
    """

    def __init__(self, learned: Learned, rules: Rules | None = None) -> None:
        self.learned = learned
        self.rules = rules or Rules()
        self.names = tuple(dict.fromkeys((*learned.names, *self.rules.classes)))
        self._rows = {term: row for row, term in enumerate(learned.terms)}
        self._idfs = np.array(learned.idfs, np.int64)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that answers depend on. Models of one digest answer alike on every machine."""
        learned = self.learned
        content = (
            (FORMAT, rules_for_words(), learned.kind, learned.names, learned.terms),
            (learned.weights.tolist(), learned.bias.tolist(), learned.idfs, learned.sharpness),
            (msgspec.structs.astuple(self.rules), _common_words() if self.rules.gate == "words" else ()),
        )
        return sha256(msgspec.msgpack.encode(content)).hexdigest()

    def of(self, page: Page) -> int | None:
        """The place of a page's class in `names`; None: it cannot be told. Of equal classes the first."""
        told = self._told(page)
        return int(told.sums.argmax()) if isinstance(told, _Scores) else told

    def posterior(self, page: Page) -> list[float]:
        """Pr(class | page), in the order of `names`; they add up to 1.

        A page of which a rule decides is in its class for certain; one that cannot be told is anywhere. rocchio's are
        shares of cosines, and not calibrated.
        """
        told = self._told(page)
        if isinstance(told, _Scores):
            return [*self._shares(told), *[0.0] * (len(self.names) - len(self.learned.names))]
        if told is None:
            return [1.0 / len(self.names)] * len(self.names)
        return [float(place == told) for place in range(len(self.names))]

    def best(self, terms: Counts) -> int | None:
        """The class of a text by its words alone; None if it has no known one."""
        told = self._scores(terms)
        return None if told is None else int(told.sums.argmax())

    def telling(self, of: int, most: int) -> list[str]:
        """The terms that speak most for a class, against the mean of the others."""
        if of >= len(self.learned.names):
            return []
        weights = self.learned.weights
        others = (weights.sum(axis=1) - weights[:, of]) / max(1, weights.shape[1] - 1)
        ahead = (weights[:, of] - others).tolist()
        ranked = sorted(range(len(ahead)), key=lambda row: (-ahead[row], row))
        return [self.learned.terms[row] for row in ranked[:most] if ahead[row] > 0]

    def _told(self, page: Page) -> _Scores | int | None:
        """What the words of a page say, or the class that a rule gives it; None: it cannot be told."""
        rules = self.rules
        if sum(page.terms.values()) < rules.least:
            return self._place(rules.short)
        if rules.gate and not is_english(page, rules):
            return self._place(rules.foreign)
        told = self._scores(page.terms)
        return self._place(rules.short) if told is None else told

    def _place(self, name: str) -> int | None:
        return self.names.index(name) if name else None

    def _scores(self, terms: Counts) -> _Scores | None:
        """None for a text without known words."""
        found = np.fromiter(map(self._rows.get, terms, repeat(-1)), np.int64, len(terms))
        known = found >= 0
        if not known.any():
            return None
        rows = found[known]
        x, length = self._weighed(rows, np.fromiter(terms.values(), np.int64, len(terms))[known])
        learned = self.learned
        return _Scores(learned.bias * length + x @ learned.weights.take(rows, axis=0), length)

    def _weighed(self, rows: Whole, n: Whole) -> tuple[Whole, int]:
        """x_t(d) of the known terms, and L(d), in the same unit."""
        kind = self.learned.kind
        if kind == "lewis":
            return np.ones_like(n), 1
        if kind == "svm":
            x = _DAMPED[np.minimum(n, MOST_COUNTED)] * self._idfs[rows]
            return x, isqrt(int(x @ x))
        if kind == "nb-root":
            return n * FINE, isqrt(int(n.sum()) * FINE * FINE)
        return n, 1

    def _shares(self, told: _Scores) -> list[float]:
        """Pr(class | words) of the learned classes."""
        sums = told.sums.tolist()
        if self.learned.kind == "rocchio":
            weights = [float(each) for each in sums] if any(sums) else [1.0] * len(sums)
        else:
            highest, unit = max(sums), told.length * UNIT * THOUSAND / self.learned.sharpness
            weights = [exp((each - highest) / unit) for each in sums]
        total = sum(weights)
        return [weight / total for weight in weights]


# -- the language --------------------------------------------------------------------------------------------------

_EVERY_WORD = Vocabulary((), stemming=False)


@cache
def _common_words() -> tuple[str, ...]:
    return tuple(sorted(COMMON_ENGLISH))


def common_share(text: str) -> int:
    """How many of a thousand words of a text are common English ones; 0 of an empty text.

    Of a long text the middle is looked at, where prose is rather than at the ends.
    """
    start = max(0, len(text) - LOOKED_AT) // 2
    words = _EVERY_WORD.sequence(text[start : start + LOOKED_AT])
    return sum(map(COMMON_ENGLISH.__contains__, words)) * THOUSAND // len(words) if words else 0


def is_english(page: Page, rules: Rules) -> bool:
    """What the gate of the rules says."""
    if rules.gate == "detector":
        return page.language in ("", "en")
    return common_share(page.text) >= rules.english


# -- saved and loaded ----------------------------------------------------------------------------------------------


def saved(classes: Classes) -> dict[str, Any]:
    """The model as plain values."""
    learned = classes.learned
    return {
        "is": MARK,
        "format": FORMAT,
        "digest": classes.digest,
        "words": rules_for_words(),
        "kind": learned.kind,
        "names": learned.names,
        "rules": msgspec.to_builtins(classes.rules),
        "sharpness": learned.sharpness,
        "bias": learned.bias.tolist(),
        "terms": learned.terms,
        "idfs": learned.idfs,
        "weights": learned.weights.tolist(),
    }


def loaded(content: Mapping[str, Any], name: str = "the classes") -> Classes:
    """Take back what `saved` returned. Raises `InputError` that begins with `name` for what this version cannot use."""
    if content.get("is") != MARK:
        raise InputError(f"{name}: is no file of classes; make one with lycosa classes train")
    if (version := content.get("format")) != FORMAT:
        raise InputError(f"{name}: classes of format {version}, this lycosa reads {FORMAT}; train them again")
    if content.get("words") != rules_for_words():
        raise InputError(
            f"{name}: was made where texts are cut into words otherwise; train the classes again here"
        )
    try:
        learned = Learned(
            kind=converted(content["kind"], ClassKind),
            names=tuple(content["names"]),
            terms=tuple(content["terms"]),
            weights=np.array(content["weights"], np.int64).reshape(len(content["terms"]), -1),
            bias=np.array(content["bias"], np.int64),
            idfs=tuple(content["idfs"]),
            sharpness=content["sharpness"],
        )
        made = Classes(learned, converted(content["rules"], Rules))
    except (KeyError, TypeError, ValueError, OverflowError, msgspec.ValidationError) as error:
        raise InputError(
            f"{name}: is damaged ({type(error).__name__}: {error}); train the classes again"
        ) from None
    if made.digest != content.get("digest"):
        raise InputError(
            f"{name}: is damaged (its content is not that of its digest); train the classes again"
        )
    return made

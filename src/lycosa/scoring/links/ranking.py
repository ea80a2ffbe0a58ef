"""Ranking functions of links, over features of the pages that link to them, as a genetic algorithm can evolve them.

After Johnson, Tsioutsiouliklis and Giles, "Evolving strategies for focused web crawling", ICML 2003, who combine text
and link analysis in one function with evolved parameters. Which features, and their form, are lycosa's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.records import Record

Numbers = NDArray[np.float64]

FEATURES: Final = (
    "greatest relevance",
    "mean relevance",
    "sum of relevances",
    "pages linking here",
    "relevant pages linking here",
    "anchor",
    "URL",
    "context",
    "siblings",
    "nearness",
    "hub",
)
"""Of the known in-links of a URL, all in [0, 1]; see `lycosa.strategies.parts.in_links` for how each is told."""

BITS_A_NUMBER: Final = 8
NUMBERS: Final = 3 * len(FEATURES) + 1
BITS: Final = BITS_A_NUMBER * NUMBERS
"""Of a chromosome: weight, exponent and threshold of each feature, then from which relevance on pages are relevant."""

FORMAT: Final = 1


class Term(Record, frozen=True, kw_only=True):
    """What one feature f adds to a score: weight · f^exponent, nothing where f is below the threshold."""

    weight: Annotated[float, msgspec.Meta(ge=-1, le=1)]
    exponent: Annotated[float, msgspec.Meta(ge=0.25, le=4)] = 1.0
    threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0


class RankingFunction:
    """F(u) = Σ_i w_i · f_i(u)^e_i · [f_i(u) ≥ t_i], the sum over the features of a URL u.

    Parameters: a term for each of `FEATURES`, in their order; `community`, in [0, 1], from which relevance on a page
    belongs to the topic's community.

    Invariants, each the name of a property test:

    * finite: features in [0, 1] give a score between the sums of the negative and of the positive weights.
    * there and back: `of_content(content())` scores as before.
    """

    def __init__(self, terms: Sequence[Term], community: float = 0.1) -> None:
        self.terms, self.community = tuple(terms), community
        self._weights = np.array([term.weight for term in terms])
        self._exponents = np.array([term.exponent for term in terms])
        self._thresholds = np.array([term.threshold for term in terms])

    def scores(self, features: Numbers) -> Numbers:
        """n × len(FEATURES) numbers in [0, 1] to n scores."""
        scores: Numbers = self.parts(features).sum(axis=1)
        return scores

    def parts(self, features: Numbers) -> Numbers:
        """What each feature adds."""
        grown: Numbers = np.power(features, self._exponents) * self._weights
        grown[features < self._thresholds] = 0.0
        return grown

    def content(self) -> dict[str, Any]:
        """Plain values, as in a ranking file."""
        terms = {name: msgspec.to_builtins(term) for name, term in zip(FEATURES, self.terms, strict=True)}
        return {"kind": "ranking", "format": FORMAT, "community": self.community, "features": terms}

    @classmethod
    def of_content(cls, content: Mapping[str, Any], name: str = "ranking") -> RankingFunction:
        """Raises `InputError`, which begins with `name`, for what is no ranking or one of another version."""
        if content.get("kind") != "ranking":
            raise InputError(f"{name}: is no ranking; make one with `lycosa evolve`")
        if content.get("format") != FORMAT:
            raise InputError(
                f"{name}: written in format {content.get('format')!r}, this lycosa reads {FORMAT}; evolve it again"
            )
        try:
            terms = converted(content.get("features"), dict[str, Term])
            community = converted(content.get("community"), Annotated[float, msgspec.Meta(ge=0, le=1)])
        except msgspec.ValidationError as error:
            raise InputError(f"{name}: {error}") from None
        if set(terms) != set(FEATURES):
            odd = sorted(set(terms) ^ set(FEATURES))
            raise InputError(f"{name}: features do not fit: {', '.join(odd)}; evolve it again")
        return cls([terms[feature] for feature in FEATURES], community)

    @classmethod
    def of_bits(cls, bits: int) -> RankingFunction:
        """From a chromosome of `BITS` bits.

        Numbers are read in Gray code, so that neighbours differ in one bit. A weight is evenly spread in [-1, 1], an
        exponent evenly on a logarithmic scale from 1/4 to 4; half of all thresholds are 0, the others spread in (0, 1].
        """
        numbers = [_from_gray(bits >> BITS_A_NUMBER * i & 255) for i in range(NUMBERS)]
        terms = [
            Term(
                weight=round(numbers[3 * i] / 127.5 - 1.0, 6),
                exponent=round(2.0 ** (4.0 * numbers[3 * i + 1] / 255.0 - 2.0), 6),
                threshold=round(max(0, numbers[3 * i + 2] - 127) / 128.0, 6),
            )
            for i in range(len(FEATURES))
        ]
        return cls(terms, round(numbers[-1] / 255.0, 6))


def _from_gray(gray: int) -> int:
    """The number whose reflected binary (Gray) code this is."""
    number = gray
    while gray := gray >> 1:
        number ^= gray
    return number


def best_first_ranking() -> RankingFunction:
    """The function that orders links as best-first does: by the greatest relevance of the pages that link here."""
    return RankingFunction([Term(weight=float(name == FEATURES[0])) for name in FEATURES])

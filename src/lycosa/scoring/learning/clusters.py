"""Clusters of texts that are about the same, their number, and the words that tell what each is about.

Sources: Dhillon and Modha, "Concept decompositions for large sparse text data using clustering", Machine Learning 42,
2001 (spherical k-means); Deerwester et al., "Indexing by latent semantic analysis", JASIS 41(6), 1990; Halko,
Martinsson and Tropp, SIAM Review 53(2), 2011, algorithm 4.4 (the singular vectors, by random projection); Arthur and
Vassilvitskii, SODA 2007 (k-means++); Hruschka et al., "Evolving clusters in gene-expression data", Information Sciences
176, 2006 (the simplified silhouette); Popescul and Ungar, "Automatic labeling of document clusters", 2000.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from lycosa.scoring.words.terms import Counts, Vocabulary, stem

if TYPE_CHECKING:
    from scipy import sparse

Floats = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int32]

MOST_TERMS: Final = 20_000
LEAST_PAGES: Final = 2
"""Texts that a term stands in at least."""
COMMON: Final = 0.5
"""Terms of more than this share of the texts say nothing."""
DIMENSIONS: Final = 50
ROUNDS: Final = 30
STARTS: Final = 3
NUMBERS: Final = (4, 6, 8, 10, 12, 16, 20, 24)
"""Of clusters, among which one is chosen. A person has to look through them."""
LEARNED_FROM: Final = 10_000
"""Texts that clusters are learned from, at most: the others are put into the nearest."""
JUDGED_FROM: Final = 3_000
"""Of these, how many the number of clusters is chosen by."""
LABELLED_FROM: Final = 3_000
"""Of these, how many are counted for labels."""
EACH: Final = 8
"""Texts that there are for each cluster, at least."""
LABEL: Final = 4
"""Words and phrases of a label."""
IN_LABEL: Final = 3
"""Texts of a cluster that a word of its label stands in, at least."""
NONE: Final = -1
"""The cluster of a text that has none of the words."""

WORDS: Final = Vocabulary(stemming=False)
"""How the words of labels are told apart: those that say something, as they are written."""


class TermSpace:
    """Texts as unit vectors: w_t = (1 + ln n_t) · ln(N / N_t), for the terms that most texts have, those of more than
    half the texts left out."""

    def __init__(self, places: Mapping[str, int], idf: Floats) -> None:
        self.places, self.idf = places, idf

    @classmethod
    def of(cls, texts: Sequence[Counts]) -> TermSpace:
        with_term: dict[str, int] = {}
        for text in texts:
            for term in text:
                with_term[term] = with_term.get(term, 0) + 1
        least, most = LEAST_PAGES, max(LEAST_PAGES, COMMON * len(texts))
        kept = [(-n, term) for term, n in with_term.items() if least <= n <= most]
        chosen = sorted(kept)[:MOST_TERMS]
        idf = np.log(len(texts) / np.array([-n for n, _ in chosen], np.float32))
        return cls({term: place for place, (_, term) in enumerate(chosen)}, idf.astype(np.float32))

    def vectors(self, texts: Iterable[Counts]) -> sparse.csr_matrix:
        """One row a text; of a text without a known term zeros."""
        from scipy import sparse

        places = self.places
        columns: list[int] = []
        counts: list[int] = []
        ends = [0]
        for text in texts:
            for term, n in text.items():
                place = places.get(term)
                if place is not None:
                    columns.append(place)
                    counts.append(n)
            ends.append(len(columns))
        values = 1 + np.log(np.array(counts, np.float32))
        shape = (len(ends) - 1, len(places))
        made = sparse.csr_matrix((values * self.idf[columns], columns, ends), shape, dtype=np.float32)
        lengths = np.sqrt(made.multiply(made).sum(axis=1)).A1
        return sparse.diags(1 / np.maximum(lengths, 1e-12), dtype=np.float32) @ made


def directions(vectors: sparse.csr_matrix, most: int, rng: np.random.Generator) -> Floats:
    """The main directions of vectors, one a column, at most so many: right singular vectors."""
    wanted = min(most, min(vectors.shape))
    probe = rng.standard_normal((vectors.shape[1], min(wanted + 10, min(vectors.shape)))).astype(np.float32)
    found = np.linalg.qr(vectors @ probe)[0]
    for _ in range(2):
        found = np.linalg.qr(vectors @ (vectors.T @ found))[0]
    _, _, right = np.linalg.svd((vectors.T @ found).T, full_matrices=False)
    return np.ascontiguousarray(right[:wanted].T, np.float32)


def unit(points: Floats) -> Floats:
    """Of length 1, zeros apart."""
    found: Floats = points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-12)
    return found


class Partition(NamedTuple):
    labels: Labels
    centres: Floats
    cohesion: float
    """The sum of the cosines between points and their centres."""


def spherical(points: Floats, k: int, rng: np.random.Generator, starts: int = STARTS) -> Partition:
    """The best of some runs of spherical k-means: each point to the centre of the greatest cosine, each centre to the
    direction of the sum of its points."""
    return max((_run(points, k, rng) for _ in range(starts)), key=lambda found: found.cohesion)


def _run(points: Floats, k: int, rng: np.random.Generator) -> Partition:
    centres = _first_centres(points, k, rng)
    before = -np.inf
    for _ in range(ROUNDS):
        cosines = points @ centres.T
        labels = cosines.argmax(axis=1).astype(np.int32)
        best = cosines[np.arange(len(points)), labels]
        sums = _sums(points, labels, k)
        empty = np.flatnonzero(np.bincount(labels, minlength=k) == 0)
        sums[empty] = points[
            np.argsort(best, kind="stable")[: len(empty)]
        ]  # a new start where points are far off
        centres = unit(sums)
        if best.sum() - before <= 1e-4 * abs(before):
            break
        before = best.sum()
    cosines = points @ centres.T
    return Partition(cosines.argmax(axis=1).astype(np.int32), centres, float(cosines.max(axis=1).sum()))


def _sums(points: Floats, labels: Labels, k: int) -> Floats:
    from scipy import sparse

    of = sparse.csr_matrix(
        (np.ones(len(labels), np.float32), (labels, np.arange(len(labels)))), (k, len(labels))
    )
    found: Any = of @ points
    return np.asarray(found)


def _first_centres(points: Floats, k: int, rng: np.random.Generator) -> Floats:
    """k-means++: each further one by chance, in proportion to the squared distance from the nearest so far."""
    chosen = [int(rng.integers(len(points)))]
    far = 1 - points @ points[chosen[0]]
    for _ in range(k - 1):
        weights = np.maximum(far, 0).astype(np.float64)
        total = weights.sum()
        at = int(rng.choice(len(points), p=weights / total)) if total > 0 else int(rng.integers(len(points)))
        chosen.append(at)
        far = np.minimum(far, 1 - points @ points[at])
    return points[chosen]


def silhouette(points: Floats, found: Partition) -> float:
    """The simplified silhouette: the mean of (b - a) / max(a, b), a the distance 1 - cos from the own centre, b from
    the nearest other; 0 of a point that is alone in its cluster."""
    far = 1 - points @ found.centres.T
    rows = np.arange(len(points))
    own = far[rows, found.labels].copy()
    far[rows, found.labels] = np.inf
    other = far.min(axis=1)
    widths = (other - own) / np.maximum(np.maximum(own, other), 1e-12)
    alone = np.bincount(found.labels)[found.labels] == 1
    return float(np.mean(np.where(alone, 0.0, widths)))


class Clusters:
    """What was learned of texts: where each one belongs, and what its cluster is about.

    Invariants, each the name of a property test:

    * repeatable: the same texts and seed give the same clusters.
    * each in the nearest: a text is in the cluster whose centre has the greatest cosine with it.
    """

    def __init__(
        self, space: TermSpace, axes: Floats, centres: Floats, labels: Sequence[Sequence[str]]
    ) -> None:
        self.labels = labels
        """Of each cluster the words and phrases that tell it best, the best first."""
        self._space, self._axes, self._centres = space, axes, centres

    def assign(self, texts: Iterable[Counts]) -> Labels:
        """The cluster of each text; `NONE` of one that has none of the words."""
        points = np.asarray(self._space.vectors(texts) @ self._axes)
        found: Labels = (points @ self._centres.T).argmax(axis=1).astype(np.int32)
        found[~points.any(axis=1)] = NONE
        return found


def learn(
    texts: Sequence[Sequence[str]], *, seed: int = 0, numbers: Sequence[int] = NUMBERS
) -> Clusters | None:
    """The clusters of texts, each given by its `WORDS` in their order; None of texts too few to tell.

    Spherical k-means in the space of the main directions of the texts (latent semantic analysis). There are as many
    clusters as have the greatest simplified silhouette, of `numbers` those with at least `EACH` texts each.
    """
    rng = np.random.default_rng(seed)
    if len(texts) > LEARNED_FROM:
        texts = [texts[place] for place in np.sort(rng.choice(len(texts), LEARNED_FROM, replace=False))]
    possible = [k for k in numbers if EACH * k <= len(texts)]
    if not possible:
        return None
    space = TermSpace.of(counted := [_stemmed(text) for text in texts])
    if not space.places:
        return None
    vectors = space.vectors(counted)
    axes = directions(vectors, DIMENSIONS, rng)
    points = np.asarray(vectors @ axes)
    has_words = points.any(axis=1)
    points = unit(points)
    some = points[has_words]
    if len(some) < EACH * possible[0]:
        return None
    found = spherical(some, _number(some, possible, seed), rng)
    nearest = np.full(len(texts), NONE, np.int32)
    nearest[has_words] = (some @ found.centres.T).argmax(axis=1)
    apart = -(-len(texts) // LABELLED_FROM)
    told = labels(texts[::apart], nearest[::apart], len(found.centres))
    return Clusters(space, axes, found.centres, told)


def _stemmed(words: Sequence[str]) -> Counts:
    return Counter(map(_stems.__getitem__, words))


class _Stems(dict[str, str]):
    def __missing__(self, word: str) -> str:
        if len(self) > 200_000:
            self.clear()
        self[word] = found = stem(word)
        return found


_stems = _Stems()


def _number(points: Floats, possible: Sequence[int], seed: int) -> int:
    """How many clusters part the points best."""
    rng = np.random.default_rng(seed)
    if len(points) > JUDGED_FROM:
        points = points[np.sort(rng.choice(len(points), JUDGED_FROM, replace=False))]
    return max(possible, key=lambda k: silhouette(points, spherical(points, k, np.random.default_rng(seed))))


def labels(texts: Sequence[Sequence[str]], clusters: Labels, n: int) -> list[list[str]]:
    """Of each of n clusters the words and phrases of two words that are frequent in it and predict it:

        score(w, c) = p(w | c) · p(w | c) / p(w)

    with the shares of texts that have w. Words are counted by their stems, and told as they are written most often. A
    phrase stands for its words if it scores at least half as much as the better of them.
    """
    sizes = Counter(clusters.tolist())
    anywhere: Counter[tuple[str, ...]] = Counter()
    within: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(n)]
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for words, cluster in zip(texts, clusters.tolist(), strict=True):
        stems = [_stems[word] for word in words]
        here = {(each,) for each in stems} | {pair for pair in pairwise(stems) if pair[0] != pair[1]}
        anywhere.update(here)
        if cluster != NONE:
            within[cluster].update(here)
        for word, of in zip(words, stems, strict=True):
            written[of][word] += 1
    return [
        _label(
            {
                each: (count / sizes[place]) ** 2 / (anywhere[each] / len(texts))
                for each, count in within[place].items()
                if count >= IN_LABEL
            },
            written,
        )
        for place in range(n)
    ]


def _label(scores: Mapping[tuple[str, ...], float], written: Mapping[str, Counter[str]]) -> list[str]:
    words = sorted((each for each in scores if len(each) == 1), key=lambda each: (-scores[each], each))
    phrases = sorted((each for each in scores if len(each) == 2), key=lambda each: (-scores[each], each))
    best: dict[str, tuple[str, ...]] = {}
    for phrase in phrases:
        for each in phrase:
            best.setdefault(each, phrase)
    told: list[tuple[str, ...]] = []
    used: set[str] = set()
    for word in words:
        longer = best.get(word[0], word)
        chosen = longer if 2 * scores[longer] >= scores[word] and used.isdisjoint(longer) else word
        if used.isdisjoint(chosen):
            told.append(chosen)
            used.update(chosen)
        if len(told) == LABEL:
            break
    return [" ".join(_as_written(each, written) for each in some) for some in told]


def _as_written(term: str, written: Mapping[str, Counter[str]]) -> str:
    """How texts write a stem most often."""
    return min(written[term].items(), key=lambda each: (-each[1], each[0]))[0]

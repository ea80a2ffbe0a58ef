"""Clusters that are learned from pages, beside the categories that people put them into.

    LYCOSA_SHARED=FOLDER python -m benchmarks.clusters

On webkb and wikispeedia: of each half of the categories the pages, clusters as `lycosa browse` learns them, and k-means
of scikit-learn on tf·idf with as many clusters. How well clusters and categories go together is told by normalised
mutual information and purity. The way and its numbers were chosen on the first half. Also: the CPU time of 100,000
texts.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.portal import Pages
from benchmarks.sharing.classes import labelled
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import normalized_mutual_info_score

from lycosa.scoring.learning.clusters import WORDS, learn
from lycosa.scoring.words.terms import PLAIN

WEBS = {"webkb": "labels.tsv", "wikispeedia": "taxonomy.json"}
SEEDS = 3


def purity(labels: Sequence[int], clusters: Sequence[int]) -> float:
    """The share of pages that are in the category which most pages of their cluster have."""
    most: dict[int, Counter[int]] = {}
    for label, cluster in zip(labels, clusters, strict=True):
        most.setdefault(cluster, Counter())[label] += 1
    return sum(max(each.values()) for each in most.values()) / len(labels)


def measure(name: str, half: int) -> None:
    place = Path(os.environ["LYCOSA_SHARED"]) / "webs" / name
    given = labelled(name, place, place / WEBS[name])
    categories = sorted(given.pages)[half::2]
    of = {page: label for label, category in enumerate(categories) for page in given.pages[category]}
    texts = [given.web.text(page) for page in of]
    labels = list(of.values())
    words = [WORDS.sequence(text) for text in texts]
    counts = [PLAIN.counts(text) for text in texts]
    ours, theirs = [], []
    for seed in range(SEEDS):
        clusters = learn(words, seed=seed)
        assert clusters is not None
        ours.append(clusters.assign(counts).tolist())
        k = len(clusters.labels)
        vectors = TfidfVectorizer(stop_words="english", max_df=0.5, min_df=2).fit_transform(texts)
        theirs.append(KMeans(k, n_init=3, random_state=seed).fit_predict(vectors).tolist())
    cells = [
        f"{np.mean([score(labels, each) for each in some]):.3f}"
        for score in (normalized_mutual_info_score, purity)
        for some in (ours, theirs)
    ]
    which = ("chosen on", "reported")[half]
    print(
        f"| {name} | {which} | {len(texts):,} | {len(categories)} | {k} | {' | '.join(cells)} |", flush=True
    )
    if half:
        TOLD.append(f"{name}: " + "; ".join(", ".join(label) for label in clusters.labels[:6]))


TOLD: list[str] = []


def timed(texts: int) -> None:
    source = Pages(1)
    made = [" ".join(source.text()) for _ in range(texts)]
    begun = time.process_time()
    step = max(1, texts // 10_000)
    clusters = learn([WORDS.sequence(text) for text in made[::step]])
    assert clusters is not None
    for first in range(0, texts, 1_000):
        clusters.assign([PLAIN.counts(text) for text in made[first : first + 1_000]])
    print(
        f"\n{texts:,} texts of {sum(map(len, made)) // texts:,} characters: {time.process_time() - begun:.0f} s of CPU."
    )


def main() -> None:
    print("| web | categories | pages | of them | clusters | NMI | k-means' | purity | k-means' |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in WEBS:
        for half in (0, 1):
            measure(name, half)
    print("\nLabels of the first clusters, on the second half (last seed):\n")
    for line in TOLD:
        print(f"* {line}")
    timed(100_000)


if __name__ == "__main__":
    main()

"""What knowledge of words is worth to the hunter: how common words are in English, and words with like vectors.

    LYCOSA_SHARED=FOLDER python benchmarks/knowing.py [--tasks FOLDER] [--topics 12] [--out runs/knowing]
        [--thesaurus FILE|wn:LEXICON] [--vectors FILE]

Crawls as in judging.py, on the trying half of the topics. Without `--vectors` some are made of the pages of the
encyclopaedia (wikispeedia), and the crawls of that web, on which they would know too much, are left out: the 100
greatest singular vectors of its words in its articles (latent semantic analysis: Deerwester and others, JASIS 41(6),
1990), weighted (1 + ln n) · ln(N / df), of words in at least 5 articles.
"""

from __future__ import annotations

import argparse
import os
import sys
from array import array
from collections import Counter
from collections.abc import Mapping
from math import log
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from judging import METRICS, NOTHING, PAGES, experiment, table
from lycosa.lab.experiments.design import Design
from lycosa.lab.experiments.results import Results
from lycosa.lab.experiments.runner import run
from lycosa.lab.webs.lab_web import open_web
from lycosa.model.errors import LycosaError
from lycosa.scoring.words.terms import tokens
from lycosa.spec.tree import KnowledgeSpec

ENCYCLOPAEDIA = "wikispeedia"
LEAST_PAGES = 5
WIDTH = 100


def make_vectors(web: Path, file: Path) -> None:
    """Write the vectors of a web's words to NAME.npy and the words to NAME.txt."""
    pages = open_web([web])
    texts = [Counter(tokens(pages.page(number).text)) for number in range(len(pages))]
    holding = Counter(word for text in texts for word in text)
    words = sorted(word for word, n in holding.items() if n >= LEAST_PAGES)
    number = {word: n for n, word in enumerate(words)}
    rows, columns, weights = array("i"), array("i"), array("d")
    for row, text in enumerate(texts):
        for word, n in text.items():
            if word in number:
                rows.append(row)
                columns.append(number[word])
                weights.append((1 + log(n)) * log(len(texts) / holding[word]))
    matrix = csr_array((weights, (rows, columns)), shape=(len(texts), len(words)))
    _, strengths, vectors = svds(matrix, k=WIDTH, v0=np.ones(min(matrix.shape)))
    np.save(file, (vectors.T * strengths).astype(np.float32))
    file.with_suffix(".txt").write_text("\n".join(words) + "\n", encoding="utf-8")


def design(ways: Mapping[str, KnowledgeSpec | None], tasks: Path | None, topics: int) -> Design:
    """Each way to know something on each web; of vectors that were made of one, on the others."""
    plain = experiment({NOTHING: None}, tasks, topics)
    webs = {
        f"{name.partition(': ')[0]}: {way}": replace(web, knowledge=known)
        for name, web in plain.webs.items()
        for way, known in ways.items()
        if not (name.startswith(ENCYCLOPAEDIA) and known is not None and "own.npy" in known.vectors)
    }
    return replace(plain, name="knowing", webs=webs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=Path)
    parser.add_argument("--topics", type=int, default=12)
    parser.add_argument("--thesaurus", default="")
    parser.add_argument("--vectors", default="")
    parser.add_argument("--out", type=Path, default=Path("runs/knowing"))
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    vectors = chosen.vectors
    if not vectors:
        vectors = str(chosen.out / "own.npy")
        if not Path(vectors).exists():
            make_vectors(Path(os.environ["LYCOSA_SHARED"]) / "webs" / ENCYCLOPAEDIA, Path(vectors))
    ways: dict[str, KnowledgeSpec | None] = {
        NOTHING: None,
        "how common words are": KnowledgeSpec(word_frequencies="en"),
        "words with like vectors": KnowledgeSpec(vectors=vectors),
        "both": KnowledgeSpec(word_frequencies="en", vectors=vectors),
    }
    if chosen.thesaurus:
        ways["synonyms"] = KnowledgeSpec(thesaurus=chosen.thesaurus)
    try:
        run(design(ways, chosen.tasks, chosen.topics), chosen.out, workers=1)
        results = Results.of(chosen.out)
        for metric in ("recall@100", "auc@100", *METRICS):
            sys.stdout.write("\n".join(table(results, metric)) + "\n\n")
        seconds = sum(crawl.seconds for crawl in results.crawls)
        sys.stdout.write(
            f"{len(results.crawls)} crawls of {PAGES} pages, {seconds / 60:.0f} minutes of CPU\n"
        )
    except LycosaError as error:
        sys.exit(f"knowing.py: {error}")


if __name__ == "__main__":
    main()

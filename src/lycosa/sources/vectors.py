"""Word vectors in files that the user has: which words have vectors like those of a few others."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lycosa.model.errors import InputError

LEAST_COSINE = 0.5
"""Words of less likeness are not near."""
MOST_VECTORS = 200_000
"""So many words of a file are looked at. Such files begin with the most frequent ones."""
BLOCK = 5_000
"""Vectors held in memory at once."""

Floats = NDArray[np.float32]


def nearest(path: Path, words: Collection[str]) -> dict[str, list[tuple[str, float]]]:
    """Of each of the words that the file has, the others with a cosine of `LEAST_COSINE` or more, greatest first.

    The file is gone through twice. Raises `InputError` for what cannot be read.
    """
    own = {
        word: vector
        for names, block in _blocks(path)
        for word, vector in zip(names, block, strict=True)
        if word in words
    }
    found: dict[str, list[tuple[str, float]]] = {word: [] for word in own}
    for names, block in _blocks(path) if own else ():
        cosines = np.minimum(block @ np.stack(list(own.values())).T, 1.0)
        for column, word in enumerate(own):
            near = np.flatnonzero(cosines[:, column] >= LEAST_COSINE).tolist()
            found[word] += [(names[row], float(cosines[row, column])) for row in near if names[row] != word]
    return {word: sorted(near, key=lambda each: -each[1]) for word, near in found.items()}


def _blocks(path: Path) -> Iterator[tuple[list[str], Floats]]:
    """The words of a file and their vectors, each of length 1, `BLOCK` at a time."""
    rows = islice(_rows_of_array(path) if path.suffix == ".npy" else _rows_of_text(path), MOST_VECTORS)
    while block := list(islice(rows, BLOCK)):
        vectors = np.stack([vector for _, vector in block]).astype(np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        yield [word for word, _ in block], vectors / np.maximum(lengths, 1e-9)


def _rows_of_array(path: Path) -> Iterator[tuple[str, Floats]]:
    vocabulary = path.with_suffix(".txt")
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: is no array of vectors: {error}") from None
    words = [line.strip() for line in lines_of(vocabulary)]
    if vectors.ndim != 2 or len(words) != len(vectors):
        raise InputError(f"{path}: has shape {vectors.shape}, and {vocabulary.name} has {len(words):,} words")
    yield from zip(words, vectors, strict=True)


def _rows_of_text(path: Path) -> Iterator[tuple[str, Floats]]:
    width = 0
    for number, line in enumerate(lines_of(path), 1):
        word, *numbers = line.rstrip().split(" ")
        if number == 1 and len(numbers) == 1:  # how many words and numbers there are: word2vec's own head
            continue
        width = width or len(numbers)
        try:
            vector = np.array(numbers[-width:], dtype=np.float32)
        except ValueError:
            vector = np.zeros(0, dtype=np.float32)
        if not width or vector.shape != (width,) or not np.isfinite(vector).all():
            raise InputError(
                f"{path}, line {number}: is no word with its {width or ''} numbers".replace("  ", " ")
            )
        yield word, vector


def lines_of(path: Path) -> Iterator[str]:
    """Of a text file. Raises `InputError`."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            yield from file
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None

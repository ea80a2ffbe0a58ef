"""The clusters of a collection: learned from its index, and kept beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from lycosa.model.decoding import from_msgpack
from lycosa.model.errors import FolderError
from lycosa.model.records import Record
from lycosa.scoring.learning.clusters import LEARNED_FROM, NONE, WORDS, learn
from lycosa.scoring.words.terms import PLAIN
from lycosa.spec.files import write_whole
from lycosa.store.full_text import TextIndex

BATCH: Final = 1_000
"""Texts that are assigned at once."""


class Kept(Record, frozen=True, kw_only=True):
    """What was learned of the pages of a collection."""

    labels: tuple[tuple[str, ...], ...]
    """Of each cluster the words that tell it best."""
    clusters: Mapping[str, tuple[tuple[int, int], ...]]
    """By the node of each crawler (empty: it has none) its steps and their clusters."""

    @property
    def pages(self) -> int:
        return sum(map(len, self.clusters.values()))


def learn_clusters(indexes: Mapping[str, TextIndex]) -> Kept:
    """The clusters of all pages of some indexes, each by its node. Without clusters if there are too few pages.

    They are learned from at most `LEARNED_FROM` pages, evenly spread over the steps.
    """
    apart = max(1, -(-sum(len(index) for index in indexes.values()) // LEARNED_FROM))
    texts = [
        WORDS.sequence(f"{title}\n{text}")
        for index in indexes.values()
        for _, title, text in index.pages_since(0, apart)
    ]
    found = learn(texts)
    if found is None:
        return Kept(labels=(), clusters={})
    clusters: dict[str, tuple[tuple[int, int], ...]] = {}
    for node, index in indexes.items():
        pairs: list[tuple[int, int]] = []
        pages = index.pages_since(0)
        while batch := list(islice(pages, BATCH)):
            assigned = found.assign([PLAIN.counts(f"{title}\n{text}") for _, title, text in batch]).tolist()
            steps = [step for step, _, _ in batch]
            pairs += [pair for pair in zip(steps, assigned, strict=True) if pair[1] != NONE]
        clusters[node] = tuple(pairs)
    return Kept(labels=tuple(map(tuple, found.labels)), clusters=clusters)


def keep(found: Kept, path: Path) -> None:
    """Write what was learned. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, msgspec.msgpack.encode(found))


def kept(path: Path) -> Kept | None:
    """What was learned last; None if nothing was. Raises `FolderError`."""
    try:
        return from_msgpack(path.read_bytes(), Kept)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise FolderError(f"{path}: cannot be read ({error}); delete it, it is learned anew") from None


def names_of(found: Kept) -> Sequence[str]:
    """What the clusters are called in searches: their most telling word or phrase, numbered where two are alike."""
    names: dict[str, None] = {}
    for label in found.labels:
        name = label[0] if label else "other"
        number, plain = 2, name
        while name in names:
            name, number = f"{plain} {number}", number + 1
        names[name] = None
    return list(names)

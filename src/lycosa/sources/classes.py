"""Classes of pages: what people say of pages, to learn them from, and files of models that were trained."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.scoring.learning.classes import Classes, loaded, saved
from lycosa.scoring.learning.quality import ClassQuality
from lycosa.scoring.topics.taxonomy import ROOT
from lycosa.sources.labels import read_labels
from lycosa.sources.taxonomy import outline_in

TABLES = frozenset({".tsv", ".csv"})


class Labelled(Record, frozen=True, kw_only=True):
    """Pages, as URLs or files, by the class that people put them in."""

    pages: Mapping[str, tuple[str, ...]]
    several: int = 0
    """Pages of more than one class: they are left out."""


class Made(Record, frozen=True, kw_only=True):
    """What is told of a model besides what it answers."""

    pages: Mapping[str, int]
    """That each class was learned from."""
    seed: int = 0
    quality: ClassQuality | None = None
    """On pages that were set aside when it was trained, if any were."""
    learned_from: tuple[str, ...] = ()
    """Marks of the names of these pages, so that nobody tests on them unawares."""


def labelled_in(place: Path, *, level: int = 1, column: str = "") -> Labelled:
    """Pages by class: from a taxonomy (JSON, TOML, a folder of folders), or a table (TSV, CSV) of URLs and labels.

    Of categories below others the first `level` names make the class. `column` names the column of labels, see
    `read_labels`. Raises `InputError` for what cannot be read.
    """
    found: Mapping[str, tuple[str, ...]]
    if place.suffix.lower() in TABLES:
        found = {label.name: label.pages for label in read_labels(place, column)}
    else:
        found = outline_in(place).pages
    by_page: dict[str, dict[str, None]] = {}
    for path, pages in found.items():
        name = "/".join(path.split("/")[:level])
        for page in pages if name != ROOT else ():
            by_page.setdefault(page, {})[name] = None
    of: dict[str, list[str]] = {}
    for page, names in by_page.items():
        if len(names) == 1:
            of.setdefault(next(iter(names)), []).append(page)
    return Labelled(
        pages={name: tuple(of[name]) for name in sorted(of)},
        several=sum(len(names) > 1 for names in by_page.values()),
    )


def mark_of(page: str) -> str:
    """A short mark of a page's name: two pages in four thousand million share one."""
    return sha256(page.encode()).hexdigest()[:8]


# -- the file ------------------------------------------------------------------------------------------------------


def packed(classes: Classes, made: Made) -> bytes:
    """A file of classes: JSON, compressed by Zstandard."""
    content = {**saved(classes), "made": msgspec.to_builtins(made)}
    return zstandard.ZstdCompressor(level=12, write_checksum=True).compress(msgspec.json.encode(content))


def read_classes(file: Path) -> Classes:
    """The model in a file of `lycosa classes train`. Raises `InputError` for a file that cannot be used."""
    return unpacked(_bytes_of(file), str(file))[0]


def read_made(file: Path) -> tuple[Classes, Made]:
    """The model in a file, and what is told of it. Raises `InputError`."""
    return unpacked(_bytes_of(file), str(file))


def unpacked(body: bytes, name: str) -> tuple[Classes, Made]:
    """Take back what `packed` made. Raises `InputError` that begins with `name`."""
    content: Any
    try:
        content = msgspec.json.decode(zstandard.ZstdDecompressor().decompress(body))
        made = converted(content.pop("made"), Made)
    except (zstandard.ZstdError, msgspec.MsgspecError, KeyError, AttributeError, TypeError):
        raise InputError(
            f"{name}: is no file of classes, or damaged; make one with lycosa classes train"
        ) from None
    return loaded(content, name), made


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: the classes cannot be read: {error.strerror}") from None

"""What people have said of pages: a table of labels, or a tree of categories."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import msgspec

from lycosa.model.decoding import from_json
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url, canonical


class Label(Record, frozen=True, kw_only=True):
    """A category and the pages that carry it, those of the categories below it left out."""

    path: tuple[str, ...]
    """From the top of the hierarchy down; one word for a label without a hierarchy."""
    pages: tuple[Url, ...]

    @property
    def name(self) -> str:
        return "/".join(self.path)


def read_labels(path: Path, column: str = "") -> list[Label]:
    """Labels from a table (``.tsv``, ``.csv``) with a heading and the URL in its first column, or from a tree in JSON.

    Of a table the second column holds the labels, or the one named, or several parted by commas: each is a level below
    those before. A slash in a label parts levels of a hierarchy too.
    A tree is a node with ``name``, ``pages`` (URLs) and ``children`` (nodes); the root's own name is no level.
    Raises `InputError` that names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the labels cannot be read: {error}") from None
    found = list(_in_tree(text, path) if path.suffix == ".json" else _in_table(text, path, column))
    if not found:
        raise InputError(f"{path}: no page carries a label there")
    return found


def _in_table(text: str, path: Path, column: str) -> Iterator[Label]:
    lines = text.splitlines()
    rows = csv.reader(lines, delimiter="," if path.suffix == ".csv" else "\t")
    heading = next(rows, [])
    if len(heading) < 2:
        raise InputError(f"{path}, line 1: give a heading: url and a column of labels, parted by tabs")
    columns = column.split(",") if column else heading[1:2]
    if unknown := [name for name in columns if name not in heading[1:]]:
        raise InputError(
            f"{path}: has no column {unknown[0]!r} of labels; there are: {', '.join(heading[1:])}"
        )
    places = [heading.index(name) for name in columns]
    pages: dict[str, dict[Url, None]] = {}
    for row in rows:
        if not row:
            continue
        if len(row) <= max(places):
            raise InputError(
                f"{path}, line {rows.line_num}: has {len(row)} fields, the label is in field {max(places) + 1}"
            )
        label = "/".join(row[at].strip() for at in places if row[at].strip())
        try:
            pages.setdefault(label, {})[canonical(row[0])] = None
        except InputError as error:
            raise InputError(f"{path}, line {rows.line_num}: {error}") from None
    for label, urls in pages.items():
        if label:
            yield Label(path=tuple(part.strip() for part in label.split("/")), pages=tuple(urls))


class _Node(msgspec.Struct):
    name: str
    pages: list[str] = []
    children: list[_Node] = []


def _in_tree(text: str, path: Path) -> Iterator[Label]:
    try:
        root = from_json(text, _Node)
    except msgspec.MsgspecError as error:
        raise InputError(f"{path}: no tree of categories: {error}") from None
    waiting: list[tuple[tuple[str, ...], _Node]] = [((), root)]
    while waiting:
        above, node = waiting.pop()
        if node.pages and above:
            yield Label(path=above, pages=tuple(dict.fromkeys(map(canonical, node.pages))))
        waiting += [((*above, child.name), child) for child in reversed(node.children)]

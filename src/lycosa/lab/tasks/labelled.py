"""Tasks from what people have said of pages: a table of labels, or a tree of categories."""

from __future__ import annotations

import csv
import random
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.link_graph import Library
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url, canonical
from lycosa.scoring.words.stopwords import ENGLISH

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Label(Record, frozen=True, kw_only=True):
    """A category and the pages that carry it, those of the categories below it left out."""

    path: tuple[str, ...]
    """From the top of the hierarchy down; one word for a label without a hierarchy."""
    pages: tuple[Url, ...]

    @property
    def name(self) -> str:
        return "/".join(self.path)


class LabelRules(Record, frozen=True, kw_only=True):
    """Which categories make a topic, and how."""

    least: int = 20
    """Pages in the web that a category carries at least …"""
    most: int = 150
    """… and at most."""
    examples: float = 0.5
    """The share of its pages that become examples, whose beginnings make the description; the others are targets."""
    beginning: int = 300
    """Characters of each example page in the description."""
    prefix: str = ""
    """Put before the ids of the tasks."""
    seed: int = 20040911


# -- reading -------------------------------------------------------------------------------------------------


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
        root = msgspec.json.decode(text, type=_Node)
    except msgspec.MsgspecError as error:
        raise InputError(f"{path}: no tree of categories: {error}") from None
    waiting: list[tuple[tuple[str, ...], _Node]] = [((), root)]
    while waiting:
        above, node = waiting.pop()
        if node.pages and above:
            yield Label(path=above, pages=tuple(dict.fromkeys(map(canonical, node.pages))))
        waiting += [((*above, child.name), child) for child in reversed(node.children)]


# -- building ------------------------------------------------------------------------------------------------


def from_labels(labels: Sequence[Label], library: Library, rules: LabelRules | None = None) -> Iterator[Task]:
    """A task for each category with enough pages in the web, without start pages (see `with_seeds`).

    The keywords are the words of its path. Its pages are shuffled: the first become examples, whose beginnings make the
    hidden description, the others are the targets. Relevant is what carries the label or one below it, examples apart.
    """
    rules = rules or LabelRules()
    urls = library.graph().urls
    for label in labels:
        pages = [urls[n] for n in dict.fromkeys(map(library.index, label.pages)) if n is not None]
        words = keywords_of(label.path)
        if not rules.least <= len(pages) <= rules.most or not words:
            continue
        random.Random(f"{rules.seed}/{label.name}").shuffle(pages)
        cut = round(len(pages) * rules.examples)
        examples, targets = pages[:cut], pages[cut:]
        below = {other.name: other.pages for other in labels if _is_below(other, label)}
        relevant = dict.fromkeys([*targets, *(url for urls in below.values() for url in urls)])
        yield Task(
            id=slug(" ".join((rules.prefix, *label.path))),
            keywords=words,
            description=" ".join(_beginning(library, url, rules.beginning) for url in examples),
            targets=tuple(targets),
            relevant=tuple(url for url in relevant if url not in examples),
            examples=tuple(examples),
            labels=below,
        )


def _is_below(one: Label, other: Label) -> bool:
    return len(one.path) > len(other.path) and one.path[: len(other.path)] == other.path


def _beginning(library: Library, url: Url, length: int) -> str:
    number = library.index(url)
    assert number is not None  # it was found in the web
    return " ".join(library.page(number).text[: 4 * length].split())[:length]


def keywords_of(path: Iterable[str]) -> tuple[str, ...]:
    """The words of a path, each once, without stop words and single letters."""
    words: dict[str, str] = {}
    for word in (word for part in path for word in _WORD.findall(part)):
        if len(word) > 1 and word.lower() not in ENGLISH:
            words.setdefault(word.lower(), word)
    return tuple(words.values())


def slug(text: str) -> str:
    """A name in plain lower case with hyphens, as ids have it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:100] or "topic"

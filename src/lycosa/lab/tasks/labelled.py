"""Tasks from what people have said of pages: a table of labels, or a tree of categories."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.link_graph import Library
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.scoring.words.stopwords import ENGLISH
from lycosa.sources.labels import Label

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


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

"""Tasks for crawlers: a topic, what should be found of it, and where to start from.

The file format is one JSON object a line (``topics.jsonl``). After Menczer, Pant and Srinivasan, "Topical Web Crawlers:
Evaluating Adaptive Algorithms", ACM TOIT 4(4), 2004, sections 2.3 and 2.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from lycosa.model.decoding import from_json
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url, canonical


class Task(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A topic and what is known of it. Crawlers are given a part of it only: see `lycosa.lab.tasks.judge.Brief`.

    All URLs are canonical; of one that a file repeats, the first counts.
    """

    id: str
    """Unique in its file."""
    keywords: tuple[str, ...]
    """The topic in a few words, as crawlers get it."""
    targets: tuple[Url, ...]
    """Pages that a topical crawler should find: recall is counted on these."""
    description: str = ""
    """The topic in many words, hidden from crawlers: similarity is measured to this."""
    relevant: tuple[Url, ...] = ()
    """Pages that are on topic when they are fetched, targets included. Empty: the targets and no others."""
    examples: tuple[Url, ...] = ()
    """Pages about the topic for crawlers that learn from examples. They are neither targets nor relevant."""
    excluded: tuple[Url, ...] = ()
    """Pages that must be missing from the web for this task: they would answer it."""
    seeds: Mapping[int, tuple[Url, ...]] = {}
    """Start pages by their distance D: from each the shortest path to the nearest target has exactly D links."""
    labels: Mapping[str, tuple[Url, ...]] = {}
    """Pages by what people have said of them, hidden from crawlers: further categories, degrees of relevance."""
    cohesion: float | None = None
    """Mean TF-IDF cosine of two targets, where it was measured."""
    reachable: Mapping[int, float] = {}
    """By D, the share of the targets to which any path leads from the seeds, where it was measured."""

    def wanted(self, distance: int) -> tuple[Url, ...]:
        """The targets that count for a crawl from the seeds of this distance: all but the seeds themselves.

        With D = 0 the seeds are some of the targets, and the others are to be found. (ACM TOIT 4(4), note 2)
        """
        starts = set(self.seeds.get(distance, ()))
        return tuple(url for url in self.targets if url not in starts)

    def on_topic(self) -> tuple[Url, ...]:
        """The relevant pages, or the targets where no others are known."""
        return self.relevant or self.targets


def read_tasks(path: Path) -> list[Task]:
    """All tasks of a file. Raises `InputError`, with the number of the line, for what is none."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"{path}: the tasks cannot be read: {error.strerror}") from None
    tasks = list(_tasks(lines, path))
    if not tasks:
        raise InputError(f"{path}: holds no task; make some with: lycosa lab tasks")
    return tasks


def write_tasks(tasks: Iterable[Task], path: Path) -> None:
    """Write tasks, one a line, fields without a value left out. Raises `InputError` if that is not possible."""
    try:
        path.write_bytes(b"".join(msgspec.json.encode(task) + b"\n" for task in tasks))
    except OSError as error:
        raise InputError(f"{path}: the tasks cannot be written: {error.strerror}") from None


def task_from(line: bytes | str) -> Task:
    """A task from its line. Raises `InputError` that says what is wrong with it."""
    try:
        task = from_json(line, Task)
    except msgspec.MsgspecError as error:
        raise InputError(f"no task: {error}") from None
    if not task.id:
        raise InputError("the task has an empty id; give each a name of its own")
    if not any(word.strip() for word in task.keywords):
        raise InputError(f"task {task.id!r} has no keywords; crawlers need a word to go by")
    if not task.targets:
        raise InputError(f"task {task.id!r} has no targets; name the pages that should be found")
    if any(distance < 0 for distance in task.seeds):
        raise InputError(f"task {task.id!r} has seeds at a negative distance")
    return _in_canonical_form(task)


def _tasks(lines: Iterable[bytes], path: Path) -> Iterator[Task]:
    first: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            task = task_from(line)
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error}") from None
        if task.id in first:
            raise InputError(f"{path}, line {number}: the id {task.id!r} was used in line {first[task.id]}")
        first[task.id] = number
        yield task


def _in_canonical_form(task: Task) -> Task:
    return replace(
        task,
        targets=_urls(task.targets),
        relevant=_urls(task.relevant),
        examples=_urls(task.examples),
        excluded=_urls(task.excluded),
        seeds={distance: _urls(urls) for distance, urls in sorted(task.seeds.items())},
        labels={name: _urls(urls) for name, urls in task.labels.items()},
    )


def _urls(urls: Iterable[str]) -> tuple[Url, ...]:
    return tuple(dict.fromkeys(map(canonical, urls)))

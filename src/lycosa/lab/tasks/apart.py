"""Topics that are not the same topic twice, so that what is measured on one says something new beside the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lycosa.lab.tasks.task import Task

SHARED = 0.2
"""The share of a topic's targets that any one topic before it may have, at most."""


def apart(tasks: Iterable[Task], others: Iterable[Task] = (), shared: float = SHARED) -> Iterator[Task]:
    """Those of the tasks that are topics of their own, in their order.

    Invariants, each the name of a property test:

    * little in common: no task shares more than this share of its targets with any one of the others, or with any one
      that was kept before it.
    * one hub one topic: no task excludes a page that one of those excludes, or has the same keywords as one.
    """
    kept = list(others)
    targets = [frozenset(task.targets) for task in kept]
    hubs = {url for task in kept for url in task.excluded}
    words = {_words(task) for task in kept}
    for task in tasks:
        own = frozenset(task.targets)
        if hubs.intersection(task.excluded) or _words(task) in words:
            continue
        if any(len(own & other) > shared * len(own) for other in targets):
            continue
        targets.append(own)
        hubs.update(task.excluded)
        words.add(_words(task))
        yield task


def _words(task: Task) -> frozenset[str]:
    return frozenset(word.lower() for word in task.keywords)

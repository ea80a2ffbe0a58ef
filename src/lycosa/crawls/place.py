"""Whether a folder may take a new crawl, and how many pages the crawl in it has."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from lycosa.model.errors import FolderError, InputError
from lycosa.spec.files import unfinished
from lycosa.store.database import lock_path, writer_of
from lycosa.store.history import History
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths, SharedPaths, crawlers_in, is_shared, node_at


def fetched(path: Path) -> int:
    """The pages that the crawl in a folder has brought so far; 0 without a crawl. Raises `FolderError`."""
    return _told(path, lambda history: history.harvest(0.0)[0])


def asked(path: Path) -> int:
    """The requests that the crawl in a folder has made so far; 0 without a crawl. Raises `FolderError`."""
    return _told(path, lambda history: history.requests())


def _told(path: Path, count: Callable[[History], int]) -> int:
    journal = Paths(path).journal
    if not journal.exists():
        return 0
    with closing(Journal(journal, read_only=True)) as opened:
        return count(opened.history)


def running(path: Path) -> int | None:
    """A process that crawls here, None if there is none. Raises `FolderError` where there is no crawl."""
    journals = [each.journal for each in crawlers_in(path)]
    if not any(journal.exists() for journal in journals):
        raise FolderError(f"{path}: no crawl here; give the folder of a crawl")
    locked = [SharedPaths(path).specification, *journals]  # of a shared crawl, who leads it first
    return next((process for each in locked if (process := writer_of(each)) is not None), None)


def refuse_shared(path: Path, verb: str) -> None:
    """Raise `InputError` for a crawl that several nodes share, or a node of one: this verb is for a single one."""
    if is_shared(path):
        raise InputError(
            f"{path}: several nodes share this crawl; lycosa cluster resume {path} goes on with it"
        )
    if node_at(path):
        raise InputError(
            f"{path}: is a node of a crawl that several share, which lycosa {verb} would take for a crawl of its own; "
            f"give {path.absolute().parent.parent}"
        )


def refuse_taken(path: Path) -> None:
    """Raise `InputError` unless a new crawl may be begun here: where nothing is, or a crawl that brought no page.

    Such a crawl's start pages could not be fetched, or it was cut short: once that is mended, the same command must
    work. A folder that holds anything else besides is somebody's, and is left alone.
    """
    if not path.exists():
        return
    if not path.is_dir() or (set(path.iterdir()) - _begun(path) and not _is_fruitless(path)):
        what = f"lycosa resume {path}" if Paths(path).specification.exists() else "choose another with --out"
        raise InputError(f"{path}: exists already; {what}")


def clear(path: Path) -> None:
    """Take away what a crawl left that brought no page. Raises `OSError`."""
    for left in _begun(path) | _left(path) if _is_fruitless(path) else ():
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink(missing_ok=True)


def refuse_smaller(path: Path, *, pages: int | None, requests: int | None) -> None:
    """Raise `InputError` for a budget that is smaller than what the crawl has."""
    for what, budget, count in (("pages", pages, fetched), ("requests", requests, asked)):
        if budget is not None and (has := count(path)) > budget:
            raise InputError(
                f"{path}: has {has:,} {what} already, and the budget counts them: --{what} {has + budget}, "
                f"or --{what} +{budget}, is for {budget:,} more"
            )


def _begun(path: Path) -> set[Path]:
    """What a beginning leaves that was cut short before the journal was made."""
    paths = Paths(path)
    return {paths.inputs, paths.topic, unfinished(paths.topic), unfinished(paths.specification)}


def _left(path: Path) -> set[Path]:
    """What a crawl leaves besides."""
    paths = Paths(path)
    journal = paths.journal
    return {
        paths.specification,
        journal,
        lock_path(journal),
        *(journal.with_name(f"{journal.name}-{kind}") for kind in ("wal", "shm")),
        paths.inbox,
        paths.verdicts,
        paths.frontier,
        paths.archive,
        paths.index.parent,
        paths.dns,
        paths.report,
        paths.outlook,
        unfinished(paths.outlook),
        paths.watched,
        paths.log,
    }


def _is_fruitless(path: Path) -> bool:
    """Whether nothing is here but a crawl that brought no page, and that nobody goes on with."""
    journal = Paths(path).journal
    if not journal.exists() or set(path.iterdir()) - _begun(path) - _left(path):
        return False
    try:
        return writer_of(journal) is None and not fetched(path)
    except FolderError:
        return False

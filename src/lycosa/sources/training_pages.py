"""Pages to learn from: files, folders of files, URLs, and lists of these."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

from lycosa.model.errors import InputError
from lycosa.model.records import Page, Record
from lycosa.sources.reading import Reading, is_url


class TrainingPages(Record, frozen=True, kw_only=True):
    """Pages that could be read, and what was wrong with the others, a line each."""

    pages: tuple[Page, ...]
    problems: tuple[str, ...] = ()


def names_in(given: Iterable[str]) -> list[str]:
    """The pages that are meant: a folder stands for all files in it, `@FILE` for the lines of a list, each once.

    In a list, what follows a tab is left out, and so are empty lines and those that begin with `#`; files are found
    from the list's folder. Hidden files are left out. Raises `InputError` for what is not there.
    """
    found: list[str] = []
    for name in given:
        if name.startswith("@"):
            found += _listed(Path(name[1:]))
        elif not is_url(name) and Path(name).is_dir():
            found += _in_folder(Path(name))
        elif not (is_url(name) or Path(name).exists()):
            raise InputError(
                f"{name}: there is no such file or folder; give files, folders, URLs that begin with https://, "
                "or @FILE with one of these a line"
            )
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def _listed(file: Path) -> list[str]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: the list cannot be read: {error}") from None
    names = [line.split("\t", 1)[0].strip() for line in lines]
    return [
        name if is_url(name) else str(file.parent / name)
        for name in names
        if name and not name.startswith("#")
    ]


def _in_folder(folder: Path) -> list[str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    visible = [
        path for path in files if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    if not visible:
        raise InputError(f"{folder}: has no files; put pages into it, or name another")
    return [str(path) for path in visible]


async def read_corpus(
    reading: Reading, names: Iterable[str], progress: Callable[[], None] = lambda: None
) -> TrainingPages:
    """Read pages one after the other. One that cannot be had, or has no words, is a problem, not an error."""
    problems: list[str] = []
    pages = [page async for _, page in read_each(reading, names, problems, progress)]
    return TrainingPages(pages=tuple(pages), problems=tuple(problems))


async def read_each(
    reading: Reading,
    names: Iterable[str],
    problems: list[str],
    progress: Callable[[], None] = lambda: None,
) -> AsyncIterator[tuple[str, Page]]:
    """Pages with their names, one after the other; of those that cannot be had a line goes to `problems`."""
    for name in names:
        try:
            page = await reading.page(name)
        except InputError as error:
            problems.append(str(error).removeprefix("example "))
        else:
            yield name, page
        progress()

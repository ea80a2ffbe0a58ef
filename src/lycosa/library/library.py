"""The crawls that lie in some folders: which there are, by short names, and new ones, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from lycosa.compose.parts import gate_of
from lycosa.compose.topic import default_folder
from lycosa.crawls.answers import Added
from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.crawls.place import refuse_taken, running
from lycosa.crawls.start_pages import start_pages_of
from lycosa.library.crawling import BEGUN, Errand
from lycosa.library.new_crawl import Limits, NewCrawl
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Record
from lycosa.spec.registry import inputs_asked
from lycosa.spec.tree import CrawlSpec
from lycosa.spec.webs import LIVE
from lycosa.store.paths import by_numbers, folder_name, is_shared, paths_of

PATIENCE: Final = 20.0
"""Seconds that a crawl may take to begin, in which it reads the example pages, before nobody waits for it any more."""


class Place(Record, frozen=True, kw_only=True):
    """A crawl of the library."""

    name: str
    """By which faces call it."""
    path: Path


class Library:
    """Crawl folders, and folders of crawl folders.

    Invariants, each the name of a test:

    * one name each: no two crawls have the same.
    * nothing outside: a name leads to a crawl of these folders, or to none.
    """

    def __init__(
        self,
        places: Sequence[Path],
        *,
        home: Path | None = None,
        limits: Limits = Limits(),  # noqa: B008  frozen
        given: Mapping[str, Any] | None = None,
    ) -> None:
        """`places` are crawls' folders, or folders that hold some; `home` is where new crawls go, unless told the first
        of `places` that is no crawl's; None: there are no new crawls. `given` are options of `lycosa crawl` that hold
        for all new crawls."""
        self.places = [path.resolve() for path in places]
        self.home = home or next((path for path in self.places if not is_crawl(path)), None)
        self.limits, self._given = limits, dict(given or {})
        self._begins = threading.Lock()
        self._processes: dict[Path, subprocess.Popen[bytes]] = {}

    # -- which there are ---------------------------------------------------------------------------------------

    def crawls(self) -> list[Place]:
        """All crawls, by their names: `crawl-2` comes before `crawl-10`."""
        named = sorted(self._named().items(), key=lambda item: by_numbers(item[0]))
        return [Place(name=name, path=path) for name, path in named]

    def _named(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for path in self._paths():
            name, number = path.name, 1
            while name in found:
                number += 1
                name = f"{path.name}~{number}"
            found[name] = path
        return found

    def _paths(self) -> list[Path]:
        """In the order of the places as they were given, those in one folder by name."""
        found: dict[Path, None] = {}
        for place in self.places:
            for path in [place] if is_crawl(place) else sorted(_below(place)):
                found[path] = None
        if self.home is not None and self.home not in self.places:
            found |= dict.fromkeys(sorted(_below(self.home)))
        return list(found)

    def place(self, name: str) -> Path:
        """The folder of a crawl. Raises `FolderError` if there is none of that name."""
        try:
            return self._named()[name]
        except KeyError:
            raise FolderError(f"{name}: there is no crawl of this name here") from None

    def open(self, name: str) -> Folder:
        """Open a crawl to look at. Raises `FolderError`."""
        return open_folder(self.place(name))

    # -- new ones ----------------------------------------------------------------------------------------------

    @property
    def web(self) -> str:
        """What new crawls crawl: `live`, or a recorded web."""
        return str(self._given.get("web") or LIVE)

    def specification(self, new: NewCrawl) -> CrawlSpec:
        """What a new crawl would come to. Raises `InputError` for what cannot be crawled or is beyond the limits."""
        sources = tuple(map(self._source, new.seeds_from))
        new = msgspec.structs.replace(self.limits.kept_by(new), seeds_from=sources)
        spec = new.specification(**self._given)
        gate_of(spec)
        inputs_asked(spec.strategy)
        return spec

    def _source(self, written: str) -> str:
        """Who names start pages: a URL, or the folder of a crawl that is here."""
        return written if written.lower().startswith(("http://", "https://")) else str(self.place(written))

    def begin(self, new: NewCrawl) -> str:
        """Begin a crawl in a process of its own; its name. It goes on whatever becomes of this process.

        Raises `InputError` for what cannot be crawled or is beyond the limits, `FolderError` where nothing can be
        written.
        """
        if self.home is None:
            raise InputError("no new crawls here: give a folder for them, such as lycosa serve .")
        spec = self.specification(new)
        if spec.seeds_from:
            named = tuple(start_pages_of(spec))
            spec = self.specification(msgspec.structs.replace(new, urls=(*new.urls, *named)))
        with self._begins:
            self._refuse_more()
            path = self.home / (
                folder_name(new.name) if new.name else _free(self.home / default_folder(spec))
            )
            refuse_taken(path)
            self._send(Errand(folder=str(path), spec=spec), path)
        return self._name_of(path)

    def resume(self, name: str, *, pages: int | None = None, seconds: float | None = None) -> None:
        """Go on with a crawl in a process of its own; `pages` is the new budget in all. Raises `InputError` or
        `FolderError`."""
        path = self.place(name)
        if is_shared(path):
            raise InputError(f"{name}: several nodes share this crawl; lycosa cluster resume goes on with it")
        if name in self.running():
            raise InputError(f"{name}: runs already")
        with self.open(name) as folder:
            self.limits.refuse(folder.spec, name, pages or folder.status().budget)
        if self.limits.seconds is not None:
            seconds = min(seconds or self.limits.seconds, self.limits.seconds)
        with self._begins:
            self._refuse_more()
            self._send(Errand(folder=str(path), pages=pages, seconds=seconds), path)

    def add(self, name: str, *urls: str, by: str = "") -> Sequence[Added]:
        """Give a crawl more start pages, as `Folder.add` does, within the limits: one that may do more than these allow
        is given none. Raises `InputError` or `FolderError`."""
        with self.open(name) as folder:
            self.limits.refuse(folder.spec, name, folder.status().budget)
            self.limits.refuse_outside(urls)
            return folder.add(*urls, by=by)

    def running(self) -> list[str]:
        """The crawls that some process writes to now."""
        return [name for name, path in self._named().items() if _runs(path)]

    def _refuse_more(self) -> None:
        most = self.limits.crawls
        if most is not None and len(found := self.running()) >= most:
            raise InputError(
                f"{len(found)} crawls run, and no more are allowed here; stop one of {', '.join(found)}"
            )

    def _send(self, errand: Errand, path: Path) -> None:
        """Start the process, and wait until it has begun."""
        process = subprocess.Popen(
            [sys.executable, "-m", "lycosa.library.crawling"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(msgspec.json.encode(errand))
        stdin.close()
        said: list[bytes] = []
        listening = threading.Thread(target=lambda: said.append(stdout.readline()), daemon=True)
        listening.start()
        listening.join(PATIENCE)
        self._reap()
        self._processes[path] = process
        if said and (told := said[0].decode("utf-8", "replace").strip()) != BEGUN:
            raise InputError(told or f"{path}: the crawl could not begin; its process ended without a word")

    def _reap(self) -> None:
        """Let go of the processes that are over."""
        self._processes = {path: each for path, each in self._processes.items() if each.poll() is None}

    def _name_of(self, path: Path) -> str:
        resolved = path.resolve()
        return next((name for name, place in self._named().items() if place == resolved), path.name)


def is_crawl(path: Path) -> bool:
    """Whether this is a crawl's folder."""
    return paths_of(path).specification.exists()


def _below(place: Path) -> list[Path]:
    try:
        return [
            path for path in place.iterdir() if path.is_dir() and not path.is_symlink() and is_crawl(path)
        ]
    except OSError:
        return []


def _runs(path: Path) -> bool:
    try:
        return running(path) is not None
    except FolderError:
        return False


def _free(path: Path) -> str:
    """The name of a folder that is not there yet."""
    number, name = 1, path.name
    while path.with_name(name).exists():
        number += 1
        name = f"{path.name}-{number}"
    return name

"""All crawls of an experiment, side by side in several processes; what is finished stays finished."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec

import lycosa
from lycosa.crawl.inputs import Input
from lycosa.lab.experiments.cell import Field, Result, not_run, pack, run_cell, unpack
from lycosa.lab.experiments.design import Cell, Design, WebSpec, cells_of, tasks_of
from lycosa.lab.experiments.given_inputs import Clues, offered, offered_kinds
from lycosa.lab.experiments.runs import ended, started
from lycosa.lab.experiments.workers import carried_out
from lycosa.lab.measures.trajectory import Names
from lycosa.lab.tasks.judge import Brief, brief
from lycosa.lab.tasks.made_up import generated_lab
from lycosa.lab.tasks.stand_in import StandIn
from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.generated import GeneratedLab, generator_version
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.decoding import from_json
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.scoring.words.terms import Counts
from lycosa.spec.files import write_whole
from lycosa.spec.registry import classes_of, inputs_asked

CELLS, SPECIFICATION = "cells", "experiment.json"
LARGEST_BOUNDED = 50_000
"""Pages of a generated web on which bounds are worked out: its whole graph is drawn, which takes five seconds."""
FIELDS_KEPT = 4
"""Tasks whose view of the web each process keeps."""

AnyWeb = LabWeb | GeneratedLab

_OPENED: dict[Path, LabWeb] = {}


class Progress(Record, frozen=True, kw_only=True):
    """How far a run is."""

    done: int
    of: int
    kept: int
    """Of those done: finished by an earlier run."""
    problems: int
    seconds: float
    """Since this run began."""

    @property
    def seconds_left(self) -> float | None:
        """As the crawls of this run took so far; None before the first is home."""
        made = self.done - self.kept
        return self.seconds / made * (self.of - self.done) if made else None


class Order(Record, frozen=True, kw_only=True):
    """What a process that crawls is told: nothing by which it could judge, but for a stand-in that marks pages."""

    cell: Cell
    brief: Brief
    web: WebSpec
    """Without its tasks."""
    excluded: tuple[Url, ...]
    file: Path
    """Where the result goes."""
    code: str
    clues: Clues | None = None
    """What inputs besides words are made of, where the strategy asks for some."""
    stand_in: StandIn | None = None
    """Who is asked about pages. Neither the crawl nor its strategy is given it."""


def run(
    experiment: Design,
    folder: Path,
    *,
    workers: int = 0,
    again: bool = False,
    command: str = "",
    tell: Callable[[Progress], None] = lambda progress: None,
    say: Callable[[str], None] = lambda line: None,
) -> None:
    """Run all crawls that the folder does not hold yet, each into a file of its own.

    `workers` processes crawl, 0: as many as there are processors. `again` repeats what other versions of the source
    left there; crawls of theirs that failed are repeated in any case. Interrupted, it keeps what is finished, and goes
    on when it is called once more. `command` is noted as what the user wrote; `say` is told in a line what takes time.
    Raises `InputError`, before the first crawl, for an experiment that cannot be made.
    """
    orders = list(plan(experiment.checked(), folder, say))
    _begin(experiment, folder)
    waiting = [order for order in orders if not _finished(order, again)]
    workers = min(workers or os.cpu_count() or 1, max(1, len(waiting)))
    kept = len(orders) - len(waiting)
    began, done, problems = time.monotonic(), kept, 0
    started(folder, command=command, workers=workers, crawls=len(waiting))

    def progress() -> Progress:
        return Progress(
            done=done, of=len(orders), kept=kept, problems=problems, seconds=time.monotonic() - began
        )

    tell(progress())
    try:
        for problem in carried_out(waiting, carry_out, workers):
            done += 1
            problems += bool(problem)
            tell(progress())
    finally:
        ended(folder, seconds=time.monotonic() - began, crawls=done - kept)


def plan(experiment: Design, folder: Path, say: Callable[[str], None] = lambda line: None) -> Iterator[Order]:
    """The crawls of an experiment in their order, each with what it is told. Equal crawls come once."""
    seen: set[str] = set()
    for name, spec in experiment.webs.items():
        tasks = {task.id: task for task in tasks_of(experiment, name)}
        web = web_of(spec, say)
        digest = web_digest(web)
        examples = {id_: examples_of(web, task, experiment.examples) for id_, task in tasks.items()}
        if experiment.examples and not any(examples.values()):
            say(f"{name}: no task has example pages that its crawls may see; they are given words only")
        for cell in cells_of(experiment, name, list(tasks.values())):
            task = tasks[cell.task]
            clues = _clues(experiment, cell, task)
            key = cell.key(digest, task_digest(task, clues, _stand_in(cell, task)))
            if key in seen:
                continue
            seen.add(key)
            yield Order(
                cell=cell,
                brief=brief(task, cell.distance, examples[task.id], cell.knowledge),
                web=spec.bare,
                excluded=task.excluded,
                file=folder / CELLS / f"{key}.cell",
                code=code_of(cell.strategy),
                clues=clues,
                stand_in=_stand_in(cell, task),
            )


def results(
    experiment: Design, folder: Path, web: str, names: Names, tasks: Iterable[Task] | None = None
) -> Iterator[Result]:
    """What a run has finished so far on one web, topic by topic; `names` numbers the pages.

    A result is told once for each label that asked for such a crawl.
    """
    digest = web_digest(web_of(experiment.webs[web]))
    for task in tasks_of(experiment, web) if tasks is None else tasks:
        labels: dict[str, list[Cell]] = {}
        for cell in cells_of(experiment, web, [task]):
            clues, stand_in = _clues(experiment, cell, task), _stand_in(cell, task)
            key = cell.key(digest, task_digest(task, clues, stand_in))
            labels.setdefault(key, []).append(cell)
        for key, cells in labels.items():
            file = folder / CELLS / f"{key}.cell"
            if file.exists() and (result := unpack(file.read_bytes(), names)) is not None:
                for cell in cells:
                    yield msgspec.structs.replace(result, cell=cell)


def examples_of(web: AnyWeb, task: Task, most: int) -> list[Counts]:
    """The terms of a task's first example pages, of those that the web holds and the task does not hide.

    A task from a hub hides its example: targets and description were taken from it.
    """
    hidden = {web.index(url) for url in task.excluded}
    numbers = (web.index(url) for url in task.examples)
    return [web.terms(n) for n in numbers if n is not None and n not in hidden][:most]


def names_of(web: AnyWeb) -> Names:
    """Numbers for pages of a web: of those that it holds, their places in it. Pages of a generated web that is too
    large to be known as a whole are numbered as they are met."""
    return Names(web.urls, web.index) if is_bounded(web) else Names()


def is_bounded(web: AnyWeb) -> bool:
    """Whether it can be told what was possible on a web."""
    return isinstance(web, LabWeb) or len(web) <= LARGEST_BOUNDED


def web_of(spec: WebSpec, say: Callable[[str], None] = lambda line: None) -> AnyWeb:
    """The web of a specification, opened once in a process."""
    return opened(Path(spec.path), say) if spec.generated is None else generated_lab(spec.generated)


def opened(path: Path, say: Callable[[str], None] = lambda line: None) -> LabWeb:
    """A recorded web, opened once in a process. Raises `InputError` if there is none."""
    if path not in _OPENED:
        if not path.exists():
            raise InputError(f"web {path}: there is no such folder or file")
        _OPENED[path] = open_web([path], tell=say)
    return _OPENED[path]


def web_digest(web: AnyWeb) -> str:
    """What the web is made of and how its pages were read."""
    return hashlib.sha256(msgspec.json.encode(_content(web))).hexdigest()


def _content(web: AnyWeb) -> list[object]:
    if isinstance(web, GeneratedLab):
        return [generator_version(), web.web.shape, web.web.seed]
    about = web.kept.about
    return [about.reader, [(source.name, source.size, source.crc) for source in about.sources]]


@cache
def code_digest() -> str:
    """Of all source of lycosa."""
    home = Path(lycosa.__file__).parent
    told = hashlib.sha256()
    for file in sorted(home.rglob("*.py")):
        told.update(file.relative_to(home).as_posix().encode() + b"\0" + file.read_bytes())
    return told.hexdigest()[:16]


@cache
def code_of(specification: str) -> str:
    """Of all source of lycosa and, of strategies that other packages brought, of the modules that define them."""
    files = {
        Path(file)
        for cls in classes_of(specification)
        for base in cls.__mro__
        if not base.__module__.startswith(("lycosa.", "builtins", "abc", "typing"))
        and (file := getattr(sys.modules.get(base.__module__), "__file__", None))
    }
    if not files:
        return code_digest()
    told = hashlib.sha256(code_digest().encode())
    for file in sorted(files):
        told.update(file.read_bytes())
    return told.hexdigest()[:16]


def task_digest(task: Task, clues: Clues | None, stand_in: StandIn | None = None) -> str:
    """Of what a crawl depends on; targets and labels may be mended without crawling again, unless a stand-in tells of
    them."""
    told = msgspec.json.encode(
        [task.keywords, task.examples, task.excluded, task.seeds, *filter(None, [clues, stand_in])]
    )
    return hashlib.sha256(told).hexdigest()


def _stand_in(cell: Cell, task: Task) -> StandIn | None:
    return StandIn.of(task, cell.questions) if cell.questions is not None else None


def _clues(experiment: Design, cell: Cell, task: Task) -> Clues | None:
    """For a strategy that asks for more than words and examples. Tasks on the other side of the split give examples
    too: these are no targets, and the categories should be the same whatever is compared."""
    kinds = offered_kinds(inputs_asked(cell.strategy))
    if not kinds:
        return None
    if experiment.webs[cell.web].generated is not None:
        raise InputError(
            f"{cell.label!r} asks for {kinds[0].__name__}, which is made of recorded webs only; leave it out of web "
            f"{cell.web!r}"
        )
    examples = _examples_by_task(experiment.webs[cell.web].task_file())
    return Clues(task=task.id, examples=examples, excluded=task.excluded)


@cache
def _examples_by_task(tasks: Path) -> Mapping[str, tuple[Url, ...]]:
    return {task.id: task.examples for task in read_tasks(tasks)}


def _begin(experiment: Design, folder: Path) -> None:
    """Make the folder, or see that it belongs to an experiment of the same kind."""
    try:
        (folder / CELLS).mkdir(parents=True, exist_ok=True)
        write_whole(folder / SPECIFICATION, msgspec.json.format(msgspec.json.encode(experiment)) + b"\n")
    except OSError as error:
        raise FolderError(f"{folder}: cannot be written: {error.strerror}") from None


def saved_experiment(folder: Path) -> Design:
    """The experiment that a folder was run for, as it was last. Raises `FolderError` if there is none."""
    try:
        return from_json((folder / SPECIFICATION).read_bytes(), Design)
    except (OSError, msgspec.MsgspecError) as error:
        raise FolderError(f"{folder}: holds no experiment ({error}); make one with: lycosa lab run") from None


def _finished(order: Order, again: bool) -> bool:
    """Whether a crawl need not be run. What is damaged is run again."""
    if not order.file.exists():
        return False
    result = unpack(order.file.read_bytes(), Names())
    return result is not None and (result.code == order.code or not (again or result.problem))


# -- in other processes ------------------------------------------------------------------------------------------


def carry_out(order: Order) -> str:
    """Run one crawl and write it down. Returns its problem, empty if there was none."""
    field = _field(order.web, order.excluded)
    clues, kinds = order.clues, inputs_asked(order.cell.strategy)
    inputs: Sequence[Input] = ()
    try:
        if clues is not None and isinstance(field.web, LabWeb):
            inputs = offered(field.web, order.brief, clues, kinds)
    except InputError as error:
        result = not_run(order.cell, field, str(error), order.code)
    else:
        result = run_cell(order.cell, field, order.brief, inputs, order.code, order.stand_in)
    write_whole(order.file, pack(result))
    return result.problem


@lru_cache(FIELDS_KEPT)
def _field(web: WebSpec, excluded: tuple[Url, ...]) -> Field:
    return Field(web_of(web), _names(web), excluded)


@cache
def _names(web: WebSpec) -> Names:
    return names_of(web_of(web))

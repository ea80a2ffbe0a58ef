"""A hundred and more topics for each of three recorded webs, so that a gain can be told from chance.

    python benchmarks/topics.py [WEB…] [-o runs/topics]     # the tasks of the frozen lists
    python benchmarks/topics.py --choose [WEB…]             # the lists themselves, anew, by the rules

The lists in topics/ tell of each topic how it was made and on which side of the split it stands. They hold no sentence
of anybody's page. The tasks, with targets, descriptions and start pages, are made of them and of the recorded web,
found by the variable LYCOSA_SHARED: the same bytes each time. The rules are those of `lycosa lab tasks`, with the
values below.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from lycosa.lab.experiments.design import TASKS
from lycosa.lab.tasks.apart import apart
from lycosa.lab.tasks.hubs import HubRules, from_hubs
from lycosa.lab.tasks.labelled import LabelRules, from_labels, keywords_of, slug
from lycosa.lab.tasks.narrowed import NarrowRules, narrowed
from lycosa.lab.tasks.seeds import SeedRules, with_seeds
from lycosa.lab.tasks.split import Purpose, split
from lycosa.lab.tasks.task import Task, read_tasks, write_tasks
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.errors import InputError, LycosaError
from lycosa.model.records import Record
from lycosa.model.url import canonical
from lycosa.sources.labels import Label, read_labels

LISTS = Path(__file__).parent / "topics"
SHARE = 0.5
"""Of the topics that are for tuning: what experiments with them give as `tuning_share`."""
START = SeedRules(distances=(2, 3), least_reachable=0.3, least_targets=5)
NO_SUBJECTS = frozenset({"other", "misc"})
"""Labels of webkb that say nothing."""

Kind = Literal["hub", "label", "phrase"]


class Rules(Record, frozen=True, kw_only=True):
    """How the topics of one web are made."""

    prefix: str
    """Of all ids."""
    hubs: HubRules
    labels: LabelRules | None = None
    """None: nobody has labelled the pages."""
    labelled: str = ""
    """The file of labels in the web's folder."""
    columns: str = ""
    """Of a table, for topics from labels."""
    narrow: str = ""
    """Of a table, the column whose labels are narrowed by phrases, before all pages of the web are."""
    phrases: LabelRules | None = None
    """None: there are enough topics from hubs and labels."""
    narrowed: NarrowRules = NarrowRules()


def _hubs(**rules: Any) -> HubRules:
    return replace(HubRules(telling=3, words=(2, 4), shared=1, per_host=1_000), **rules)


RULES: Mapping[str, Rules] = {
    "webkb": Rules(
        prefix="webkb2",
        hubs=_hubs(links=(5, 60), text=200, named=0.4, telling=1.5),
        labels=LabelRules(least=10, most=160, examples=0.2),
        labelled="labels.tsv",
        columns="class,university",
        narrow="class",
        phrases=LabelRules(least=6, examples=0.2),
    ),
    "uci-ics-10k": Rules(
        prefix="uci2",
        hubs=_hubs(links=(5, 60), named=0.5),
        phrases=LabelRules(least=6, examples=0.2),
        narrowed=NarrowRules(bound=0.05),
    ),
    "wikispeedia": Rules(
        prefix="wiki2",
        hubs=_hubs(links=(7, 60), named=0.34, words=(1, 4)),
        labels=LabelRules(least=10, most=250),
        labelled="taxonomy.json",
    ),
}


class Topic(Record, frozen=True, kw_only=True):
    """A line of a frozen list."""

    id: str
    keywords: str
    kind: Kind
    made_of: str
    """The URL of the hub, or the name of the category."""
    side: Purpose
    digest: str
    """The beginning of the SHA-256 of the task's line: what is made later must be what was frozen."""


def frozen(name: str) -> list[Topic]:
    """The frozen list of a web."""
    with (LISTS / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return [msgspec.convert(row, Topic) for row in csv.DictReader(file, delimiter="\t")]


def as_table(topics: Iterable[Topic]) -> str:
    text = StringIO()
    rows = csv.writer(text, delimiter="\t", lineterminator="\n")
    rows.writerow(Topic.__struct_fields__)
    rows.writerows(msgspec.structs.astuple(topic) for topic in topics)
    return text.getvalue()


class Source:
    """Topics of one web, kind by kind, all that the rules find."""

    def __init__(self, folder: Path, web: LabWeb, rules: Rules) -> None:
        self._folder, self._web, self._rules = folder, web, rules
        self._graph = web.graph()
        self._made_of: dict[str, str] = {}

    def present(self) -> list[Task]:
        """The topics that the web came with."""
        return read_tasks(self._folder / TASKS)

    def tasks(self, kind: Kind, hubs: Iterable[str] = ()) -> Iterator[Task]:
        """Topics of a kind that have start pages, called by their keywords; of hubs only these, if any are named."""
        for task in self._without_start(kind, hubs):
            ready = with_seeds(replace(task, id=self._id(task.keywords)), self._graph, START)
            if ready.seeds:
                yield ready

    def made_of(self, task: Task) -> str:
        return task.examples[0] if task.excluded else self._made_of[task.id]

    def _without_start(self, kind: Kind, hubs: Iterable[str]) -> Iterator[Task]:
        if kind == "hub":
            return from_hubs(self._web, self._rules.hubs, map(canonical, hubs))
        rules = self._rules.labels if kind == "label" else self._rules.phrases
        if rules is None:
            return iter(())
        labels = self._labels(self._rules.columns) if kind == "label" else self._phrases()
        self._made_of |= {self._id(keywords_of(label.path)): label.name for label in labels}
        return from_labels(labels, self._web, rules)

    def _phrases(self) -> list[Label]:
        known = self._labels(self._rules.narrow) if self._rules.narrow else []
        everything = Label(path=(), pages=tuple(self._web.urls))
        groups = (known, [everything])
        return [label for group in groups for label in narrowed(group, self._web, self._rules.narrowed)]

    def _labels(self, columns: str) -> list[Label]:
        """With "course" as "courses": the one is a stop word, as in "of course", the other is none."""
        return [
            replace(label, path=tuple("courses" if name == "course" else name for name in label.path))
            for label in read_labels(self._folder / self._rules.labelled, columns)
            if not NO_SUBJECTS.intersection(label.path)
        ]

    def _id(self, keywords: Sequence[str]) -> str:
        return slug(" ".join((self._rules.prefix, *keywords)))


def chosen(source: Source) -> list[Topic]:
    """Topics of their own: from hubs first, then from labels, then from phrases."""
    others = source.present()
    found: list[tuple[Task, Kind]] = []
    for kind in get_args(Kind):
        kept = list(apart(source.tasks(kind), others))
        others += kept
        found += [(task, kind) for task in kept]
    tuning = frozenset(split((task.id for task, _ in found), SHARE).tuning)
    return [
        Topic(
            id=task.id,
            keywords=" ".join(task.keywords),
            kind=kind,
            made_of=source.made_of(task),
            side="tuning" if task.id in tuning else "reporting",
            digest=digest(task),
        )
        for task, kind in found
    ]


def made(source: Source, topics: Sequence[Topic]) -> list[Task]:
    """The tasks of a frozen list, in its order. Raises `InputError` if one is not what was frozen."""
    tasks = {
        (kind, task.id): task
        for kind in get_args(Kind)
        for task in source.tasks(kind, [topic.made_of for topic in topics if topic.kind == "hub"])
    }
    for topic in topics:
        task = tasks.get((topic.kind, topic.id))
        if task is None or digest(task) != topic.digest:
            raise InputError(f"{topic.id}: this web and these rules make another task than was frozen")
    return [tasks[topic.kind, topic.id] for topic in topics]


def digest(task: Task) -> str:
    return hashlib.sha256(msgspec.json.encode(task)).hexdigest()[:12]


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("webs", nargs="*", metavar="WEB", help=f"of {', '.join(RULES)}  [default: all]")
    asked.add_argument("--choose", action="store_true", help="make the frozen lists anew")
    asked.add_argument("-o", "--out", type=Path, default=Path("runs/topics"), help="folder of the tasks")
    given = asked.parse_args()
    if unknown := [name for name in given.webs if name not in RULES]:
        asked.error(f"no list of topics is known for {unknown[0]!r}; there are: {', '.join(RULES)}")
    if not (shared := os.environ.get("LYCOSA_SHARED")):
        asked.error("set LYCOSA_SHARED to the folder of the recorded webs")
    (LISTS if given.choose else given.out).mkdir(parents=True, exist_ok=True)
    try:
        for name in given.webs or RULES:
            folder = Path(shared) / "webs" / name
            source = Source(folder, open_web([folder]), RULES[name])
            if given.choose:
                topics = chosen(source)
                (LISTS / f"{name}.tsv").write_text(as_table(topics), encoding="utf-8")
            else:
                topics = frozen(name)
                write_tasks(made(source, topics), given.out / f"{name}.jsonl")
            tuning = sum(topic.side == "tuning" for topic in topics)
            print(f"{name}: {len(topics)} topics, {tuning} for tuning, {len(topics) - tuning} for reporting")
    except LycosaError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Experiments with shared crawls: partitions × webs × numbers of nodes × budgets × seeds."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

import msgspec

from lycosa.lab.experiments.experiment import written_path
from lycosa.lab.sharing.figures import MEASURES
from lycosa.lab.sharing.light import BANDWIDTH
from lycosa.lab.sharing.post import Delivery
from lycosa.lab.sharing.rules import MAJORITY
from lycosa.lab.webs.generated import Generated
from lycosa.model.bounds import Share
from lycosa.model.errors import InputError
from lycosa.model.naming import name_of
from lycosa.scoring.learning.class_training import KINDS
from lycosa.sharing.registry import partition_class
from lycosa.spec.files import load
from lycosa.spec.tree import NotNegative, Part, Positive


class GroundSpec(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A web that is shared: give `generated`, or `path` and `labels`."""

    generated: Generated | None = None
    """A made-up web, of another seed for each seed of the experiment. Its topics are the classes."""
    path: str = ""
    """A folder of WARC files, or one file."""
    labels: str = ""
    """Of a recorded web: a file in its folder with a tree of categories or a table of labels. Each label's first level
    is a class, and a page with several is of the one that comes first."""
    column: str = ""
    """Of a table of labels: the column."""
    classifier: str = ""
    """Who tells of what class a page is. Empty: the labels themselves, which never err. Else the kind of a classifier,
    such as nb, that is trained on pages of each class and asked of all."""
    examples: Positive = 500
    """So many pages a class it is trained on, at most; and on half of the class's pages, at most."""
    errors: Share = 0.0
    """The share of pages, drawn at random, that are taken for another class than they are: a classifier that errs,
    where none is trained."""

    def checked(self, name: str) -> Self:
        """Itself. Raises `InputError`."""
        if (self.generated is None) == (not self.path):
            raise InputError(f"web {name!r}: give either generated or path")
        if self.path and not self.labels:
            raise InputError(f"web {name!r}: give the labels by which its pages are told apart")
        if self.classifier and self.classifier not in KINDS:
            raise InputError(f"web {name!r}: no classifier {self.classifier!r}; there are {', '.join(KINDS)}")
        return self


class Sharing(Part, frozen=True, kw_only=True):
    """Partitions × webs × numbers of nodes × budgets × seeds. All partitions begin with the same start pages."""

    partitions: Mapping[str, str]
    """Names of one's own choice, and partitions as `lycosa crawl --partition` takes them, or `majority`."""
    webs: Mapping[str, GroundSpec]
    nodes: tuple[NotNegative, ...] = (16,)
    """0: as many as there are classes."""
    budgets: tuple[Annotated[float, msgspec.Meta(ge=0)], ...] = (0.25, 0.0)
    """Pages that all nodes together download, for each page of the web; 0: all that can be reached."""
    seeds: Positive = 5
    """Each draws other start pages and other hashes, and makes another web of a generated one."""
    start: Positive = 10
    """Start pages of each class, drawn from its pages. A partition by topic gives them to the node of the class."""
    unclear: Literal["finder", "first"] = "finder"
    """Pages without a class stay where they are found, or are of the first class, as those of less than 50 terms were
    in X4."""
    marks: bool = True
    """Whether a page that another node sent need not be fetched any more."""
    bandwidth: Positive = BANDWIDTH
    """Bytes a second of each node."""
    delivery: Delivery = Delivery()
    baseline: str = ""
    """The partition that all others are tested against; empty: the first."""
    metrics: tuple[str, ...] = ("locality", "tau")
    """The measures that are tested."""

    @property
    def against(self) -> str:
        return self.baseline or next(iter(self.partitions))

    def checked(self) -> Self:
        """Itself. Raises `InputError` for what cannot be run."""
        if not self.partitions or not self.webs:
            raise InputError(
                "give at least one partition under [sharing.partitions] and one web under [sharing.webs]"
            )
        for name in self.partitions.values():
            if name != MAJORITY:
                partition_class(name_of(name))
        if self.against not in self.partitions:
            raise InputError(
                f"baseline {self.baseline!r} is none of the partitions: {', '.join(self.partitions)}"
            )
        if unknown := [metric for metric in self.metrics if metric not in MEASURES]:
            raise InputError(f"there is no measure {unknown[0]!r}; there are {', '.join(MEASURES)}")
        for name, web in self.webs.items():
            web.checked(name)
        return self


class SharingFile(Part, frozen=True, kw_only=True):
    """A TOML file with an experiment with shared crawls, as the table `[sharing]`."""

    sharing: Sharing
    name: str = "sharing"


def load_sharing(path: Path) -> Sharing:
    """An experiment from a TOML file, its paths taken from where the file lies; see `load_experiment`."""
    read = load(path, SharingFile).sharing
    webs = {name: _placed(web, path) for name, web in read.webs.items()}
    return msgspec.structs.replace(read, webs=webs).checked()


def _placed(web: GroundSpec, path: Path) -> GroundSpec:
    if not web.path:
        return web
    found = written_path(web.path, path)
    return msgspec.structs.replace(web, path=found, labels=str(Path(found) / web.labels))


def has_sharing(path: Path) -> bool:
    """Whether a file is an experiment with shared crawls."""
    try:
        return "sharing" in tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # whoever reads it as an experiment says what is wrong

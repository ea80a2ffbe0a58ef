"""The webs of an experiment with shared crawls, and where its crawls begin."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from lycosa.lab.sharing.design import GroundSpec, Sharing
from lycosa.lab.sharing.ground import NONE, Ground, Ints, generated_ground, recorded_ground
from lycosa.lab.sharing.rules import Rules
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.errors import InputError
from lycosa.sources.labels import read_labels


@lru_cache(maxsize=1)
def ground_of(spec: GroundSpec, name: str, seed: int) -> Ground:
    """A web of an experiment. Of a generated one the seed is added to its own. The last one is kept."""
    if spec.generated is not None:
        made = spec.generated.__class__(
            **{
                **{field: getattr(spec.generated, field) for field in spec.generated.__struct_fields__},
                "seed": spec.generated.seed + seed,
            }
        )
        return generated_ground(made.web(), name)
    web = _opened(spec.path)
    classes, names = _labelled(web, spec)
    return recorded_ground(web, classes, names, name)


@lru_cache(maxsize=1)
def _opened(path: str) -> LabWeb:
    return open_web([Path(path)])


def _labelled(web: LabWeb, spec: GroundSpec) -> tuple[Ints, tuple[str, ...]]:
    """The class of each page, by the first level of the first label that it carries."""
    classes = np.full(len(web), NONE, np.int32)
    names: dict[str, int] = {}
    for label in read_labels(Path(spec.labels), spec.column):
        for url in label.pages:
            if (number := web.index(url)) is not None and classes[number] == NONE:
                classes[number] = names.setdefault(label.path[0], len(names))
    if not names:
        raise InputError(f"{spec.labels}: none of its labels is carried by a page of {spec.path}")
    return classes, tuple(names)


def start_pages(ground: Ground, start: int, seed: int) -> list[list[int]]:
    """Of each class so many of its pages, or all, drawn at random."""
    rng = np.random.default_rng(seed)
    found: list[list[int]] = []
    for number in range(len(ground.names)):
        pages = np.flatnonzero((ground.classes == number) & ground.answers)
        found.append(rng.choice(pages, min(start, len(pages)), replace=False).tolist())
    return found


def dealt(rules: Rules, starts: list[list[int]]) -> list[list[int]]:
    """The start pages of each node: those that it is to fetch; where whoever finds fetches, those of its classes."""
    found: list[list[int]] = [[] for _ in range(rules.nodes)]
    for number, pages in enumerate(starts):
        for page in pages:
            at = rules.owners[number] if rules.of_url is None else int(rules.of_url[page])
            found[at].append(page)
    return found


def unclear(design: Sharing) -> int | None:
    """The class of pages without one."""
    return 0 if design.unclear == "first" else None

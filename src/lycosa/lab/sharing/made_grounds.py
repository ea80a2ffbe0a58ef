"""The webs of an experiment with shared crawls, who tells their pages apart, and where its crawls begin."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from lycosa.lab.sharing.design import GroundSpec, Sharing
from lycosa.lab.sharing.ground import NONE, Ground, Ints, Terms, generated_ground, recorded_ground
from lycosa.lab.sharing.rules import Rules
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Page, Request
from lycosa.scoring.learning.class_training import KINDS, learned, parted
from lycosa.scoring.learning.classes import Classes
from lycosa.scoring.words.terms import Counts
from lycosa.sources.labels import read_labels

HALF = 0.5


@lru_cache(maxsize=1)
def ground_of(spec: GroundSpec, name: str, seed: int) -> Ground:
    """A web of an experiment. Of a generated one the seed is added to its own. The last one is kept."""
    if spec.generated is not None:
        web = replace(spec.generated, seed=spec.generated.seed + seed).web()
        ground = generated_ground(web, name)
    else:
        opened = _opened(spec.path)
        ground = recorded_ground(opened, *_labelled(opened, spec), name)
    if spec.classifier:
        return classified(ground, spec, seed)
    return mistaken(ground, spec.errors, seed) if spec.errors else ground


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


# -- who tells pages apart -----------------------------------------------------------------------------------


def mistaken(ground: Ground, errors: float, seed: int) -> Ground:
    """The web with a share of its pages, drawn at random, taken for another class."""
    rng = np.random.default_rng(seed)
    many = len(ground.names)
    others = (ground.classes + rng.integers(1, many, len(ground))) % many
    wrong = (rng.random(len(ground)) < errors) & (ground.classes != NONE)
    return replace(ground, classes=np.where(wrong, others, ground.classes).astype(np.int32))


def classified(ground: Ground, spec: GroundSpec, seed: int) -> Ground:
    """The web with a trained classifier's answers in the place of its labels, which it learned from half of a class's
    pages at most. Classes of one page are none."""
    assert ground.terms is not None
    classes = _trained(ground, ground.terms, spec, seed)
    told, posterior = np.full(len(ground), NONE, np.int32), np.zeros((len(ground), len(classes.names)))
    for number in np.flatnonzero(ground.answers).tolist():
        page = _page_of(ground, number, ground.terms(number))
        of = classes.of(page)
        told[number] = NONE if of is None else of
        posterior[number] = classes.posterior(page)
    likely: NDArray[np.float32] = posterior.astype(np.float32)
    return replace(ground, classes=told, names=classes.names, posterior=likely)


def _trained(ground: Ground, terms: Terms, spec: GroundSpec, seed: int) -> Classes:
    texts: dict[str, list[Counts]] = {}
    for number, name in enumerate(ground.names):
        pages = np.flatnonzero((ground.classes == number) & ground.answers).tolist()
        chosen, _ = parted([str(page) for page in pages], spec.examples, HALF, seed)
        found = [told for page in chosen if (told := terms(int(page)))]
        if len(found) > 1:
            texts[name] = found
    kind = next(kind for kind in KINDS if kind == spec.classifier)
    return Classes(learned(kind, texts, seed=seed))


def _page_of(ground: Ground, number: int, terms: Counts) -> Page:
    """A page as far as classes look at it."""
    url = ground.urls[number]
    return Page(
        request=Request(url=url, order=0),
        final_url=url,
        status=200,
        fetched_at=Millis(0),
        media_type="text/html",
        digest="",
        title="",
        text="",
        links=(),
        terms=terms,
    )


# -- where crawls begin --------------------------------------------------------------------------------------


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

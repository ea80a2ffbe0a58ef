"""Classes of pages trained and tested, from what people say of pages of a web.

import asyncio
trained = asyncio.run(trained_classes(labelled_in(Path("taxonomy.json")), "recorded:web", Training(kind="nb")))
Path("classes.json.zst").write_bytes(packed(trained.classes, trained.made))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lycosa.compose.outside import Outside
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.scoring.learning.class_training import learned, parted
from lycosa.scoring.learning.classes import Classes, ClassKind, Rules
from lycosa.scoring.learning.quality import ClassQuality, class_quality_of
from lycosa.scoring.words.terms import Counts
from lycosa.sources.classes import Labelled, Made, mark_of
from lycosa.sources.reading import Reading
from lycosa.sources.training_pages import read_each
from lycosa.spec.tree import CrawlSpec, TopicSpec

Progress = Callable[[int, int], None]
"""Told how many pages have been read, and of how many."""


def unseen(done: int, total: int) -> None:
    """For those who do not want to be told."""


class Training(Record, frozen=True, kw_only=True):
    """How classes are learned."""

    kind: ClassKind = "nb"
    terms: int | None = None
    """Of the highest information gain; None: as many as are good for the kind."""
    most: int = 500
    """Pages of a class that are learned from, and as many that are tested on."""
    aside: float = 0.5
    """The share of each class's pages that is set aside for the test, in [0, 1)."""
    least: int = 10
    """A class of fewer pages with enough words is left out."""
    seed: int = 0
    rules: Rules = Rules()


class Trained(Record, frozen=True, kw_only=True):
    """What training came to."""

    classes: Classes
    made: Made
    left_out: Mapping[str, int]
    """Classes that had too few pages, and how many they had."""
    too_short: int
    """Pages that had too few words to learn from."""
    problems: tuple[str, ...]
    """What was wrong with pages that could not be read, a line each."""


class Examined(Record, frozen=True, kw_only=True):
    """How a model did on pages that it was not trained on."""

    quality: ClassQuality
    known: int = 0
    """Pages that were left out, as the model was trained on them."""
    strange: tuple[str, ...] = ()
    """Classes of the labels that the model does not have: their pages were left out."""
    problems: tuple[str, ...] = ()


async def trained_classes(
    labelled: Labelled, web: str, training: Training, progress: Progress = unseen
) -> Trained:
    """Learn classes from labelled pages, and test them on those set aside. `web` is where URLs are read.

    Raises `InputError` where there are not two classes with enough pages.
    """
    parts = {
        name: parted(pages, training.most, training.aside, training.seed)
        for name, pages in labelled.pages.items()
    }
    problems: list[str] = []
    async with _Shelf(web, sum(len(each) for both in parts.values() for each in both), progress) as shelf:
        texts: dict[str, dict[str, Counts]] = {name: {} for name in parts}
        for name, (to_learn, _) in parts.items():
            async for page_name, page in read_each(shelf.reading, to_learn, problems, shelf.step):
                texts[name][page_name] = page.terms
        enough = {name: _long_enough(each, training.rules) for name, each in texts.items()}
        kept = {name: each for name, each in enough.items() if len(each) >= training.least}
        if len(kept) < 2:
            raise InputError(_too_few({name: len(each) for name, each in enough.items()}, training, problems))
        classes = Classes(
            learned(
                training.kind,
                {name: list(each.values()) for name, each in kept.items()},
                terms=training.terms,
                seed=training.seed,
            ),
            training.rules,
        )
        aside = {name: parts[name][1] for name in kept}
        quality = await _quality(classes, aside, shelf, problems, training.rules.least)
    return Trained(
        classes=classes,
        made=Made(
            pages={name: len(each) for name, each in kept.items()},
            seed=training.seed,
            quality=quality,
            learned_from=tuple(sorted(mark_of(page) for each in kept.values() for page in each)),
        ),
        left_out={name: len(each) for name, each in enough.items() if name not in kept},
        too_short=sum(len(texts[name]) - len(enough[name]) for name in texts),
        problems=tuple(problems),
    )


async def examined_classes(
    classes: Classes, made: Made, labelled: Labelled, web: str, progress: Progress = unseen
) -> Examined:
    """Tell the classes of labelled pages, short ones and foreign ones too, but for those that were learned from.

    Raises `InputError` where none is left.
    """
    marks = frozenset(made.learned_from)
    known_classes = {name: pages for name, pages in labelled.pages.items() if name in classes.names}
    pages = {
        name: [page for page in each if mark_of(page) not in marks] for name, each in known_classes.items()
    }
    left, problems = sum(map(len, pages.values())), list[str]()
    async with _Shelf(web, left, progress) as shelf:
        quality = await _quality(classes, pages, shelf, problems, 0)
    if quality is None:
        raise InputError(
            f"no page is left to test on: of {sum(map(len, labelled.pages.values()))} "
            f"{sum(map(len, known_classes.values()))} are in classes that the model has, and {left} are new to it"
        )
    return Examined(
        quality=quality,
        known=sum(map(len, known_classes.values())) - left,
        strange=tuple(name for name in labelled.pages if name not in known_classes),
        problems=tuple(problems),
    )


async def _quality(
    classes: Classes, pages: Mapping[str, Sequence[str]], shelf: _Shelf, problems: list[str], least: int
) -> ClassQuality | None:
    """On pages of at least so many words; None if there is none."""
    told, labels = list[int | None](), list[int]()
    for name, names in pages.items():
        place = classes.names.index(name)
        async for _, page in read_each(shelf.reading, names, problems, shelf.step):
            if sum(page.terms.values()) >= least:
                told.append(classes.of(page))
                labels.append(place)
    return class_quality_of(told, labels, classes.names) if labels else None


def _long_enough(texts: Mapping[str, Counts], rules: Rules) -> dict[str, Counts]:
    return {name: terms for name, terms in texts.items() if sum(terms.values()) >= rules.least}


def _too_few(found: Mapping[str, int], training: Training, problems: Sequence[str]) -> str:
    most = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:3]
    told = ", ".join(f"{name} {n}" for name, n in most) or "none"
    why = f"; {problems[0]}" if problems else ""
    return (
        f"at least two classes need {training.least} pages of {training.rules.least} words to learn from; "
        f"the largest have: {told}{why}"
    )


class _Shelf:
    """A web open for reading pages, and how many have been read."""

    def __init__(self, web: str, total: int, progress: Progress) -> None:
        self._outside = Outside(CrawlSpec(web=web))
        self._total, self._progress = total, progress
        self._done = 0

    async def __aenter__(self) -> _Shelf:
        outside = await self._outside.__aenter__()
        self.reading = Reading(TopicSpec(), outside.web, outside.robots(), outside.clock)
        return self

    async def __aexit__(self, *about: object) -> None:
        await self._outside.__aexit__(*about)

    def step(self) -> None:
        self._done += 1
        self._progress(self._done, self._total)

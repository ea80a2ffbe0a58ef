"""Which topics parameters may be tuned on, and which results may be reported on: never the same.

A topic's side depends on its id only, so it stays where it is when others come or go. The split is kept with a digest:
a file that somebody changed is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from lycosa.lab.tasks.task import Task
from lycosa.model.decoding import from_json
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.spec.registry import with_parameters

Purpose = Literal["tuning", "reporting"]

SHARE = 0.25
"""Of the topics that are for tuning, about."""


class Split(Record, frozen=True, kw_only=True):
    """Topics by what they may be used for.

    Invariants, each the name of a property test:

    * one side: every topic is on exactly one side, the same in every file that holds it.
    * locked: topics for reporting are never given out for tuning.
    """

    tuning: tuple[str, ...]
    reporting: tuple[str, ...]
    share: Annotated[float, msgspec.Meta(ge=0, le=1)] = SHARE
    salt: str = ""
    """Another one gives another split."""
    digest: str = ""

    def pick(self, tasks: Iterable[Task], purpose: Purpose) -> list[Task]:
        """Those of the tasks that are for this purpose. Raises `InputError` for a task that the split does not know."""
        allowed = frozenset(getattr(self, purpose))
        known = frozenset((*self.tuning, *self.reporting))
        picked = []
        for task in tasks:
            if task.id not in known:
                raise InputError(f"task {task.id!r} is in neither set of the split; split the topics anew")
            if task.id in allowed:
                picked.append(task)
        return picked

    def permit(self, topics: Iterable[str], purpose: Purpose) -> None:
        """Raises `InputError` unless all these topics are for this purpose."""
        allowed = frozenset(getattr(self, purpose))
        wrong = [topic for topic in topics if topic not in allowed]
        if wrong:
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            raise InputError(
                f"topic {wrong[0]!r}{more} is not for {purpose}; "
                f"take one of the {len(allowed)} topics set apart for that"
            )


def split(topics: Iterable[str], share: float = SHARE, salt: str = "") -> Split:
    """Split topics by the hash of their ids. Raises `InputError` for a share outside [0, 1]."""
    if not 0 <= share <= 1:
        raise InputError(f"a share of {share} of the topics for tuning: give one from 0 to 1")
    sides: dict[bool, list[str]] = {True: [], False: []}
    for topic in sorted(set(topics)):
        sides[_place(topic, salt) < share].append(topic)
    tuning, reporting = tuple(sides[True]), tuple(sides[False])
    digest = _digest(tuning, reporting, share, salt)
    return Split(tuning=tuning, reporting=reporting, share=share, salt=salt, digest=digest)


def write_split(made: Split, path: Path) -> None:
    """Keep a split. Raises `InputError` if that is not possible."""
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
    except OSError as error:
        raise InputError(f"{path}: the split cannot be written: {error.strerror}") from None


def read_split(path: Path) -> Split:
    """Take back what `write_split` kept. Raises `InputError` if it is no split or was changed."""
    try:
        read = from_json(path.read_bytes(), Split)
    except (OSError, msgspec.MsgspecError) as error:
        raise InputError(f"{path}: the split cannot be read: {error}") from None
    if read != split((*read.tuning, *read.reporting), read.share, read.salt):
        raise InputError(
            f"{path}: the split was changed by hand; topics stay on the side where their hash puts them"
        )
    return read


class Tuned(Record, frozen=True, kw_only=True):
    """Parameters and what they were tuned on, to be kept with them and told in every report."""

    strategy: str
    parameters: Mapping[str, Any]
    web: str
    topics: tuple[str, ...]
    split: str
    """Digest of the split that let these topics be used."""

    @property
    def specification(self) -> str:
        """The strategy as an experiment or `lycosa crawl --strategy` takes it."""
        return with_parameters(self.strategy, self.parameters)

    def __str__(self) -> str:
        return (
            f"{self.strategy} was tuned on {len(self.topics)} topics of {self.web} "
            f"(split {self.split[:12]}): {', '.join(self.topics)}"
        )


def tuned(
    strategy: str, parameters: Mapping[str, Any], web: str, topics: Sequence[str], lock: Split
) -> Tuned:
    """Record what was tuned on what. Raises `InputError` if a topic is not for tuning."""
    lock.permit(topics, "tuning")
    return Tuned(strategy=strategy, parameters=parameters, web=web, topics=tuple(topics), split=lock.digest)


def write_tuned(record: Tuned, path: Path) -> None:
    """Keep what was tuned on what. Raises `InputError` if that is not possible."""
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}; choose another with -o") from None


def read_tuned(path: Path) -> Tuned:
    """Take back what `write_tuned` kept. Raises `InputError`."""
    try:
        return from_json(path.read_bytes(), Tuned)
    except (OSError, msgspec.MsgspecError) as error:
        raise InputError(
            f"{path}: holds no tuned strategy ({error}); make one with: lycosa lab tune"
        ) from None


def _place(topic: str, salt: str) -> float:
    """A number in [0, 1) by the topic's id."""
    digest = hashlib.sha256(f"{salt}\0{topic}".encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def _digest(tuning: Sequence[str], reporting: Sequence[str], share: float, salt: str) -> str:
    told = msgspec.json.encode([tuning, reporting, share, salt])
    return hashlib.sha256(told).hexdigest()

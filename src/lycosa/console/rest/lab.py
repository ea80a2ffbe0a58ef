"""The laboratory: experiments, how far they are, and what they came to so far. Only to look at."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from lycosa.console.costly import Costly
from lycosa.console.desk import Desk
from lycosa.console.problems import NotThere
from lycosa.console.rest.operation import Nothing, Operation
from lycosa.lab.told import Courses, Findings, Standing, Told, experiments_in, folders_in, standing_of
from lycosa.model.records import Record

PATIENCE = 20.0
"""Seconds that a program waits for crawls to be read."""
_findings: Costly[Findings] = Costly()


class OfExperiment(Record, frozen=True, kw_only=True):
    """Which experiment."""

    experiment: str
    """The name of its folder, as `GET /lab` tells it."""


class OfSetting(OfExperiment, frozen=True, kw_only=True):
    """Which setting of an experiment."""

    setting: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Its place among the settings."""


def list_experiments(desk: Desk, given: Nothing) -> list[Standing]:
    """List the experiments of the laboratory, and how far each is."""
    return experiments_in(_laboratory(desk))


def experiment_results(desk: Desk, given: OfExperiment) -> Told:
    """Tell what the crawls of an experiment came to so far, with its statistics."""
    return told_within(desk, given.experiment, PATIENCE)


def experiment_curves(desk: Desk, given: OfSetting) -> Courses:
    """Tell the mean curves of recall and harvest of one setting of an experiment."""
    folder = _folder(desk, given.experiment)
    findings = _read(folder, PATIENCE)
    found = None if findings is None else findings.courses(given.setting)
    if found is None:
        raise NotThere(f"{given.experiment}: setting {given.setting} has no curves yet")
    return found


def told_within(desk: Desk, experiment: str, wait: float) -> Told:
    """What an experiment came to, as far as it can be told within so many seconds; of one that runs as of a moment
    ago."""
    folder = _folder(desk, experiment)
    found = _read(folder, wait)
    return Told(standing=standing_of(folder), is_read=False) if found is None else found.told()


def _read(folder: Path, wait: float) -> Findings | None:
    standing = standing_of(folder)
    version = (standing.done, standing.last_at)
    return _findings.soon(folder.resolve(), version, partial(Findings, folder), wait)


def _folder(desk: Desk, experiment: str) -> Path:
    folder = folders_in(_laboratory(desk)).get(experiment)
    if folder is None:
        raise NotThere(f"{experiment}: there is no experiment of this name here")
    return folder


def _laboratory(desk: Desk) -> Path:
    if desk.lab is None:
        raise NotThere(
            "there is no laboratory here: lycosa serve --lab DIR shows the experiments in a folder"
        )
    return desk.lab


OPERATIONS = (
    Operation(method="GET", path="/lab", answer=list_experiments, gives=list[Standing], tag="laboratory"),
    Operation(
        method="GET",
        path="/lab/{experiment}",
        answer=experiment_results,
        takes=OfExperiment,
        gives=Told,
        tag="laboratory",
    ),
    Operation(
        method="GET",
        path="/lab/{experiment}/curves",
        answer=experiment_curves,
        takes=OfSetting,
        gives=Courses,
        tag="laboratory",
    ),
)

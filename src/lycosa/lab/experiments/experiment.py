"""An experiment: designed in Python or in a TOML file, then run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from lycosa.lab.experiments.design import Design
from lycosa.lab.experiments.results import Results
from lycosa.lab.experiments.runner import Progress, run
from lycosa.lab.tasks.split import read_tuned
from lycosa.model.errors import InputError
from lycosa.spec.files import load
from lycosa.spec.webs import RECORDED

FROM_FILE = "@"
"""Begins the name of a file that `lycosa lab tune` wrote, where a strategy is asked for."""

_VARIABLE = re.compile(r"\$\{(\w+)\}")


class Experiment(Design, frozen=True, kw_only=True):
    """Strategies × webs × topics × distances × frontiers × seeds, each a crawl of `pages` pages: see `Design`."""

    def run(
        self,
        folder: Path | str,
        *,
        workers: int = 0,
        again: bool = False,
        tell: Callable[[Progress], None] | None = None,
    ) -> Results:
        """Run what the folder does not hold yet, and give what all crawls came to; see
        `lycosa.lab.experiments.runner.run`.

        With more than one worker, call it below `if __name__ == "__main__"`: processes are started anew.
        """
        run(self, Path(folder), workers=workers, again=again, tell=tell or (lambda progress: None))
        return Results(self, Path(folder))


def load_experiment(path: Path) -> Experiment:
    """An experiment from a TOML file, its paths taken from where the file lies.

    `${NAME}` in a path stands for an environment variable. Raises `InputError`.
    """
    read = load(path, Experiment)
    webs = {
        name: msgspec.structs.replace(
            web,
            path=written_path(web.path.removeprefix(RECORDED), path) if web.path else "",
            tasks=written_path(web.tasks, path) if web.tasks else "",
            knowledge=web.knowledge and web.knowledge.found(lambda written: written_path(written, path)),
        )
        for name, web in read.webs.items()
    }
    read = msgspec.structs.replace(read, webs=webs)
    return with_tuned(read, lambda written: Path(written_path(written, path))).checked()


def with_tuned(experiment: Experiment, find: Callable[[str], Path] = Path) -> Experiment:
    """The experiment with strategies written `@FILE` as tuning left them, and with the topics they were tuned on."""
    strategies, topics = dict(experiment.strategies), list(experiment.tuned_on)
    for label, written in experiment.strategies.items():
        if written.startswith(FROM_FILE):
            record = read_tuned(find(written[len(FROM_FILE) :]))
            strategies[label] = record.specification
            topics += record.topics
    return msgspec.structs.replace(experiment, strategies=strategies, tuned_on=tuple(dict.fromkeys(topics)))


def written_path(written: str, experiment: Path) -> str:
    """A path of an experiment's file as an absolute one."""

    def value(match: re.Match[str]) -> str:
        found = os.environ.get(match[1])
        if not found:
            raise InputError(
                f"{experiment}: {written!r} names the environment variable {match[1]}, which is not set; "
                f"set it with: export {match[1]}=PATH"
            )
        return found

    return str((experiment.parent / _VARIABLE.sub(value, written)).resolve())

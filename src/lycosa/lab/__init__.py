"""The laboratory: recorded webs, tasks, the judge, experiments, metrics, statistics, bounds, conformance.

    >>> from lycosa.lab import Experiment, WebSpec
    >>> Experiment(strategies={"plain": "best-first"}, webs={"mine": WebSpec(path="crawls/mine")}).against
    'plain'

Importing this package is cheap: the parts are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lycosa.lab.experiments.design import WebSpec as WebSpec
    from lycosa.lab.experiments.experiment import Experiment as Experiment
    from lycosa.lab.experiments.experiment import load_experiment as load_experiment
    from lycosa.lab.experiments.results import Results as Results
    from lycosa.lab.webs.lab_web import open_web as open_web

__all__ = ["Experiment", "Results", "WebSpec", "load_experiment", "open_web"]

_WHERE = {
    "Experiment": "experiments.experiment",
    "Results": "experiments.results",
    "WebSpec": "experiments.design",
    "load_experiment": "experiments.experiment",
    "open_web": "webs.lab_web",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'lycosa.lab' has no attribute {name!r}")
    return getattr(import_module(f"lycosa.lab.{_WHERE[name]}"), name)

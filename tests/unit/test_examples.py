"""The example of a strategy outside the package keeps to what is asked of all strategies."""

from __future__ import annotations

import sys
import tomllib
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest

from lycosa.crawl.strategy import Strategy
from lycosa.lab.kit.conformance import CHECKS, Make
from lycosa.model import naming
from lycosa.spec import registry

FOLDER = Path(__file__).parents[2] / "examples" / "my-strategy"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> type[Strategy]:
    """The class that the example's entry point names, found as if the folder were installed."""
    monkeypatch.syspath_prepend(str(FOLDER))
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
    ((name, place),) = project["entry-points"]["lycosa.strategies"].items()
    module, _, attribute = place.partition(":")
    found: type[Strategy] = getattr(import_module(module), attribute)
    brought = {name: type("Point", (), {"load": staticmethod(lambda: found)})}
    monkeypatch.setattr(naming, "brought", lambda group: brought)
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conforms(example: type[Strategy], check: object) -> None:
    make: Make = partial(example, patience=3)
    check(make)  # type: ignore[operator]


def test_it_is_found_by_name_with_its_bounds(example: type[Strategy]) -> None:
    told = registry.describe("fresh-hosts")
    assert told.summary.startswith("Best-first, with less for a link")
    (patience,) = told.parameters
    assert (patience.least, patience.most, patience.default) == (1, 10_000, 20.0)
    assert isinstance(registry.strategy("fresh-hosts:patience=7"), example)


def test_its_own_test_passes(example: type[Strategy]) -> None:
    assert sys.modules["fresh_hosts"].__name__ == "fresh_hosts"
    made = example(patience=20)  # type: ignore[call-arg]
    made.load({"pages": {"a.test": 20}})
    assert made.freshness("a.test") == 0.5  # type: ignore[attr-defined]

"""The kit catches what it is there to catch: each check fails for some strategy, and each bad one is caught."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.conformance import misbehaved as bad

from lycosa.lab.kit import conformance as kit
from lycosa.lab.kit.conformance import CHECKS, Make, Nonconformity, examine
from lycosa.model.errors import StrategyError
from lycosa.spec import registry
from lycosa.strategies.order import BreadthFirst

CAUGHT: list[tuple[Make, Callable[[Make], None], str]] = [
    (
        bad.GlobalChance,
        kit.check_same_seed_same_trace,
        "two runs with the same seed and 1 visits side by side",
    ),
    (bad.SetOrder, kit.check_hash_seed_does_not_matter, "PYTHONHASHSEED"),
    (bad.ClockWatcher, kit.check_replay_equals_run, "the strategy's state after a replay"),
    (
        bad.Communal,
        kit.check_crash_and_continue_equals_run,
        "a crawl continued after 1, 60 and 200 pages by replay",
    ),
    (bad.Forgetful, kit.check_save_and_load_equals_run, "a crawl continued with a loaded strategy"),
    (bad.Unstorable, kit.check_save_and_load_equals_run, r"save\(\) returns what cannot be stored"),
    (bad.Fragile, kit.check_failing_start_pages, "RuntimeError: no page"),
    (bad.Stubborn, kit.check_failing_start_pages, "1200 visits brought 0 pages and no end is in sight"),
    (bad.Unwary, kit.check_odd_pages, "ZeroDivisionError"),
    (bad.Boundless, kit.check_bounded_frontier, "a frontier bounded by 16 holds"),
    (bad.Slighted, kit.check_marks, "the frontier after marks and its replay differ"),
    (bad.NotANumber, kit.check_finite_scores_and_budget, "the score of .* is nan"),
    (bad.Intruder, kit.check_finite_scores_and_budget, "was fetched .* times, asked for again 0 times"),
]


@pytest.mark.parametrize(("make", "check", "told"), CAUGHT, ids=[make.__name__ for make, _, _ in CAUGHT])  # type: ignore[attr-defined] # all are classes
def test_a_misbehaved_strategy_is_caught(make: Make, check: Callable[[Make], None], told: str) -> None:
    with pytest.raises((Nonconformity, StrategyError), match=told):
        check(make)


def test_every_check_can_fail() -> None:
    assert {check for _, check, _ in CAUGHT} == set(CHECKS)


def test_a_set_of_texts_is_caught_by_nothing_else() -> None:
    """Within one process its order is always the same."""
    kit.check_same_seed_same_trace(bad.SetOrder)


def test_what_other_processes_cannot_make_is_told() -> None:
    with pytest.raises(Nonconformity, match="other processes cannot make the strategy"):
        kit.check_hash_seed_does_not_matter(lambda: BreadthFirst())


def test_a_failure_in_the_other_process_is_told() -> None:
    told = "under PYTHONHASHSEED=1 the crawl failed: .*the score of .* is nan"
    with pytest.raises(Nonconformity, match=told):
        kit.check_hash_seed_does_not_matter(bad.NotANumber)


def test_findings_name_the_check_what_it_asks_and_the_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {"fragile": bad.Fragile, "unmakeable": bad.Unmakeable}
    places = {name: f"{cls.__module__}:{cls.__name__}" for name, cls in named.items()}
    monkeypatch.setattr(registry, "BUILT_IN", {**registry.BUILT_IN, **places})
    [failed] = examine("fragile", [kit.check_failing_start_pages])
    assert failed.check == "failing start pages"
    assert failed.asks.startswith("With start pages that all fail the crawl ends")
    assert failed.problem.endswith("RuntimeError: no page?; nothing of that step was kept")
    [unmade] = examine("unmakeable", [kit.check_odd_pages])
    assert unmade.problem == "OSError: no model file"
    [passed] = examine("breadth-first", [kit.check_failing_start_pages])
    assert passed.problem == ""

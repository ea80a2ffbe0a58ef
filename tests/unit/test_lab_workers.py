"""Processes that crawl, and the threads that they leave alone."""

from __future__ import annotations

import os

import pytest

from lycosa.lab.experiments.threads import VARIABLES
from lycosa.lab.experiments.workers import carried_out


def test_each_process_computes_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert list(carried_out(VARIABLES, os.getenv, 2)) == ["1"] * len(VARIABLES)
    assert not set(VARIABLES) & set(os.environ)


def test_who_has_chosen_a_number_of_threads_is_left_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert set(carried_out(["OMP_NUM_THREADS"] * 2, os.getenv, 2)) == {"2"}
    assert os.environ["OMP_NUM_THREADS"] == "2"

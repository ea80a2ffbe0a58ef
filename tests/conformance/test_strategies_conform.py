"""Every registered strategy keeps to everything that the kit asks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lycosa.lab.conformance import CHECKS, Make, maker
from lycosa.registry import strategy_names


def name_of(check: Callable[[Make], None]) -> str:
    return check.__name__.removeprefix("check_").replace("_", " ")


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
@pytest.mark.parametrize("name", strategy_names())
def test_conforms(name: str, check: Callable[[Make], None]) -> None:
    check(maker(name))

"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
"""A busy machine makes any test slow; those that are about time measure it themselves."""


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded webs and conformance cases; it is not part of the project."""
    named = os.environ.get("LYCOSA_SHARED")
    if not named:
        pytest.skip("LYCOSA_SHARED is not set: recorded webs and conformance cases are not at hand")
    return Path(named)


@pytest.fixture(autouse=True, scope="session")
def _own_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What lycosa keeps for a user is kept apart from that of the user who runs the tests."""
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("config"))
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))

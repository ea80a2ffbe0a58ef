"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded webs and conformance cases; it is not part of the project."""
    named = os.environ.get("LYCOSA_SHARED")
    if not named:
        pytest.skip("LYCOSA_SHARED is not set: recorded webs and conformance cases are not at hand")
    return Path(named)

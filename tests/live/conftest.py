"""What tests of the live web share."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine

import pytest

Run = Callable[[Coroutine[None, None, None]], None]


@pytest.fixture(params=["asyncio"] if sys.platform == "win32" else ["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs a coroutine, in each of the loops that a crawl may run in."""
    if request.param == "asyncio":
        return asyncio.run
    import uvloop

    return uvloop.run

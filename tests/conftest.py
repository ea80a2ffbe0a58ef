"""Fixtures that all tests share."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator, Iterator
from pathlib import Path

import certifi
import pytest
from hypothesis import settings
from tests.trials import trials
from tests.warm import Command, warm_lycosa

LONG = ("tests/live/test_cluster.py", "tests/live/test_kill.py", "tests/docs/test_docs.py", "tests/live/")
"""What waits most, for other processes and for the turn of a host, longest first."""

settings.register_profile("patient", deadline=None, max_examples=trials(50))
settings.load_profile("patient")
"""A busy machine makes any test slow; those that are about time measure it themselves."""


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Two more than there are cores: while tests wait, others use what they leave."""
    cores = yield
    return cores + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first, so that no worker ends alone with one; the order within a file is kept."""
    items.sort(
        key=lambda item: next((n for n, long in enumerate(LONG) if item.nodeid.startswith(long)), len(LONG))
    )


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


@pytest.fixture(autouse=True, scope="session")
def _one_authority(tmp_path_factory: pytest.TempPathFactory) -> None:
    """One certificate is trusted in place of all that the system trusts. No test asks a server that they vouch for, and
    to read them takes a twentieth of a second: each time lycosa starts, and each time httpx is called."""
    first, end, _ = Path(certifi.where()).read_text("utf-8").partition("-----END CERTIFICATE-----\n")
    trusted = tmp_path_factory.mktemp("trusted") / "authority.pem"
    trusted.write_text(first + end, encoding="utf-8")
    os.environ["SSL_CERT_FILE"] = str(trusted)


@pytest.fixture(scope="session")
def warm() -> Iterator[Path]:
    """A folder with a `lycosa` that starts at once; only what is killed or serves needs a process of its own."""
    with warm_lycosa() as found:
        yield found


@pytest.fixture(scope="session")
def lycosa(warm: Path) -> Command:
    """The command line, with what it wrote, where no signal is sent to it."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [str(warm / "lycosa"), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return run

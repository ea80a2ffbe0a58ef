"""A crawl that several nodes share on Ray, with all that can happen to it. Each story is one crawl, for Ray is slow.

What has to meet an unfinished crawl meets one whose server is slow until then: no story depends on who is faster.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from lycosa import __version__
from lycosa.cluster.ground import surroundings
from lycosa.model.nodes import Node

os.environ.update(surroundings(), RAY_AUTH_MODE="disabled")  # which Ray reads as it is imported
pytest.importorskip("ray", reason="Ray is not installed: pip install 'lycosa[cluster]'")

from ray.cluster_utils import Cluster
from tests.live.cluster_runs import (
    HALF,
    N0,
    N1,
    N2,
    PAGES_OF_HALF,
    SharedRun,
    awaited,
    shared_run,
    shared_specification,
)
from tests.live.killing import WatchedServer, watched_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills processes by what /proc tells of them")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WatchedServer]:
    with watched_server(tmp_path / "requests.log") as served:
        yield served


@pytest.fixture
def run(server: WatchedServer, tmp_path: Path) -> Iterator[SharedRun]:
    with shared_run(tmp_path / "crawl", server, shared_specification(server, scope=HALF)) as running:
        yield running


def test_killed_nodes_and_drivers_cost_nothing_and_a_lost_folder_is_fetched_again(
    server: WatchedServer, tmp_path: Path
) -> None:
    """Its links are as good as one another: otherwise nodes have but a portion of the budget, and wait for a driver
    once that is used up."""
    spec = replace(shared_specification(server, scope=HALF), strategy="breadth-first")
    with shared_run(tmp_path / "crawl", server, spec) as run:
        with server.slow(after=120):
            run.begin()
            awaited(lambda: len(run.pages()) > 100)
            killed = run.kill(N1)
            awaited(lambda: run.place.writers().get(N1) not in (None, killed))

            run.kill_driver()
            before = len(run.requests())
            awaited(
                lambda: len(run.requests()) > before + 3
            )  # the nodes go on: one visit of each may have been out
            run.resume()
            awaited(lambda: run.place.leader == run.driver.pid)
            second = subprocess.run(
                [sys.executable, "-m", "lycosa.cli", "cluster", "resume", str(run.place.folder)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert second.returncode == 2
            assert f"the crawl is in use by process {run.driver.pid}" in second.stderr

            lost = len([node for node in run.pages().values() if node == N2])
            run.kill(N2)
            shutil.rmtree(run.place.node(N2))
        assert run.ended() == 0, run.said
        assert "n2: found no folder, and begins anew" in run.said
        run.check(PAGES_OF_HALF, lost=lost + 64)


def test_ctrl_c_stops_all_in_order_and_twice_at_once(server: WatchedServer, run: SharedRun) -> None:
    with server.slow(after=120):
        run.begin()
        awaited(lambda: len(run.pages()) > 100)
        run.driver.send_signal(signal.SIGINT)
        assert run.ended() == 130, run.said
        assert "Nothing is lost." in run.said
        assert run.place.writers() == {}
        run.note()

        run.resume()
        awaited(lambda: len(run.place.writers()) == 3)
        run.driver.send_signal(signal.SIGINT)
        run.driver.send_signal(signal.SIGINT)
        assert run.ended() == 130, run.said
        run.note()
    run.resume()
    assert run.ended() == 0, run.said
    run.check(PAGES_OF_HALF)


@pytest.fixture(scope="module")
def several_machines() -> Iterator[Cluster]:
    """A Ray cluster of three nodes on this machine."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    try:
        yield cluster
    finally:
        cluster.shutdown()


@pytest.fixture
def address(several_machines: Cluster) -> tuple[str, str]:
    """The option that has a crawl use it, so that it need not start a Ray of its own."""
    return "--address", several_machines.address


def test_a_full_disk_and_a_node_that_sleeps_hold_up_nobody_else(
    server: WatchedServer, run: SharedRun, address: tuple[str, str]
) -> None:
    with server.slow(after=120):
        run.begin(*address)
        awaited(lambda: len(run.pages()) > 100)
        sleeping, full = run.process(N0), run.process(N1)
        resource.prlimit(full, resource.RLIMIT_FSIZE, (8_192, resource.RLIM_INFINITY))
        awaited(lambda: "n1: failed" in run.said or run.driver.poll() is not None)
        assert "n1: failed" in run.said, run.said
        os.kill(sleeping, signal.SIGSTOP)
        awaited(
            lambda: run.place.writers().get(N1) not in (None, full)
        )  # it is opened again, in another process
        os.kill(sleeping, signal.SIGCONT)
    assert run.ended() == 0, run.said
    run.check(PAGES_OF_HALF)


def test_nodes_join_and_leave_while_it_runs(
    server: WatchedServer, tmp_path: Path, address: tuple[str, str]
) -> None:
    with shared_run(tmp_path / "crawl", server, shared_specification(server, nodes=2, scope=HALF)) as run:
        with server.slow(after=30):
            run.begin(*address)
            awaited(lambda: len(run.pages()) > 20)
            assert run.tell("join") == "n2 is to join; the crawl tells when it has\n"
            awaited(lambda: N2 in run.place.writers())
            assert run.tell("leave", "n0") == "n0 is to leave; the crawl tells when it does\n"
            awaited(lambda: run.place.load_roll().names == (N1, N2))
        assert run.ended() == 0, run.said
        assert "n2: joined; 2 nodes share the crawl" not in run.said
        assert "n2: joined; 3 nodes share the crawl" in run.said
        assert run.place.load_roll().names == (N1, N2)
        run.check(PAGES_OF_HALF)
        assert set(run.pages().values()) == {"n0", "n1", "n2"}
        assert len(run.requests()) == len(set(run.requests()))


def test_a_machine_that_is_lost_and_one_with_another_version(
    server: WatchedServer,
    several_machines: Cluster,
    address: tuple[str, str],
    run: SharedRun,
    tmp_path: Path,
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text('import lycosa\nlycosa.__version__ = "0.0.9"\n')
    run.begin(*address, python_path=other)
    assert run.ended() == 2
    assert f"runs lycosa {__version__}, this is 0.0.9: install the same on all machines" in run.said
    assert run.said.count("\n") == 1

    with server.slow(after=120):
        run.resume(*address)
        awaited(lambda: len(run.pages()) > 100)
        raylets = {
            each.all_processes["raylet"][0].process.pid: each for each in several_machines.worker_nodes
        }

        def on_other_machines() -> list[tuple[Node, int]]:
            """Nodes with their processes; on a busy machine they begin long after the first one."""
            return [each for each in run.place.writers().items() if _parent(each[1]) in raylets]

        lost, process = awaited(on_other_machines)[0]
        several_machines.remove_node(raylets[_parent(process)], allow_graceful=False)
        run.note()
        awaited(lambda: run.place.writers().get(lost) not in (None, process))
    assert run.ended() == 0, run.said
    run.check(PAGES_OF_HALF)


def _parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])

"""How long `lycosa` takes to begin: until the help is shown, and until a crawl asks for its first page.

    python benchmarks/starting.py [--rounds 9] [--beside TREE]

CPU time, user and system, of the whole process; for a crawl, as it stands when its first request reaches a server on
loopback. Rounds go in turns with those of another work tree, if one is named; the least and the median are told.
"""

from __future__ import annotations

import argparse
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
TICK = os.sysconf("SC_CLK_TCK")

Measure = Callable[[Path], tuple[float, float]]
"""What a start of one work tree took: seconds of CPU, seconds by the clock."""


def _lycosa(tree: Path, *words: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or every start would compile all modules
    return subprocess.Popen(
        [sys.executable, "-m", "lycosa.cli", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def showing_help(*words: str) -> Measure:
    """Until the help is shown and the process is over."""

    def measured(tree: Path) -> tuple[float, float]:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        _lycosa(tree, *words, "--help").wait()
        took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, took

    return measured


def first_request(tree: Path) -> tuple[float, float]:
    """Until a crawl with the command line's defaults asks for robots.txt."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server, tempfile.TemporaryDirectory() as place:
        port = server.getsockname()[1]
        began = time.perf_counter()
        crawl = _lycosa(
            *(tree, "crawl", "bees and honey", "http://h.test/", "--connect-to", f"*:80:127.0.0.1:{port}"),
            *("--contact", "nobody@example.org", "-q", "--out", str(Path(place) / "crawl")),
        )
        server.settimeout(30)
        connection, _ = server.accept()
        with closing(connection):
            connection.recv(1)
            took = time.perf_counter() - began
            fields = Path(f"/proc/{crawl.pid}/stat").read_text().rpartition(")")[2].split()
            crawl.kill()
            crawl.wait()
    return (int(fields[11]) + int(fields[12])) / TICK, took


STARTS: dict[str, Measure] = {
    "lycosa --help": showing_help(),
    "lycosa crawl --help": showing_help("crawl"),
    "a crawl until its first request": first_request,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--beside", type=Path, help="another work tree")
    given = parser.parse_args()
    trees = [HERE, *([given.beside.resolve()] if given.beside else [])]
    print(
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, Python {sys.version.split()[0]}, "
        f"load {os.getloadavg()[0]:.1f}, {given.rounds} rounds\n"
    )
    print(
        "| start | tree | CPU s, least | median | by the clock, least | median |\n| --- " * 1
        + "| --- " * 5
        + "|"
    )
    for name, measure in STARTS.items():
        found: dict[Path, list[tuple[float, float]]] = {tree: [] for tree in trees}
        for tree in trees:
            measure(tree)  # compiles what was not
        for _ in range(given.rounds):
            for tree in trees:
                found[tree].append(measure(tree))
        for tree, times in found.items():
            cpu, clock = zip(*times, strict=True)
            said = [min(cpu), statistics.median(cpu), min(clock), statistics.median(clock)]
            which = "this" if tree == HERE else "the other"
            print(f"| {name} | {which} | {' | '.join(f'{each:.3f}' for each in said)} |")


if __name__ == "__main__":
    main()

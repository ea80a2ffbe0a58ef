"""What it costs a crawl to wait for the disk: never between checkpoints, and with each group of pages (`--fsync`).

    python -m benchmarks.fsyncing [--rounds 3] [--hosts 50] [--pages 40] [--on FOLDER]

Whole crawls by the command line's defaults but for the delay, which is 0, over real HTTP on loopback: as fast as the
crawl can, so that waiting cannot hide behind the rests of hosts. Rounds go in turns. `--on` is where the crawls are
written: what matters is that disk. First, how long the disk takes to answer: 100 times 64 KB appended and waited for.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.polite import Asked, Web, crawl, serve

WAYS = {"without": [], "--fsync": ["--fsync"]}


def waits(place: Path) -> list[float]:
    """Milliseconds that the disk takes to have 64 KB more."""
    took = []
    with (place / "file").open("wb") as file:
        for _ in range(100):
            file.write(os.urandom(65_536))
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            took.append(1000 * (time.perf_counter() - began))
    return sorted(took)


def once(web: Web, options: list[str], on: Path | None) -> tuple[float, float]:
    """Seconds by the clock from the first request to the last, and CPU milliseconds a page."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(web, theirs), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory(dir=on) as place:
        _, cost = crawl(web, ours.recv(), Path(place), ["--delay", "0", "--order", "eager", *options], 120)
    ours.send("enough")
    asked: Asked = ours.recv()
    server.join()
    times = [at for at, *_ in asked]
    return max(times) - min(times), 1000 * cost.cpu / len(asked)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--pages", type=int, default=40, help="of each host")
    parser.add_argument("--size", type=int, default=16_000, help="bytes of a page")
    parser.add_argument("--on", type=Path, help="a folder on the disk that is measured")
    given = parser.parse_args()
    web = Web(given.hosts, given.pages, given.size, 0.0)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=given.on) as place:
        disk = waits(Path(place))
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(given.rounds):
        for way, options in WAYS.items():
            found[way].append(once(web, options, given.on))
    print(
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, load {load:.1f} to {os.getloadavg()[0]:.1f}, "
        f"{web.hosts * web.pages} pages of {web.size} bytes; the disk answers in {statistics.median(disk):.1f} ms "
        f"(nine of ten in {disk[89]:.1f})\n"
    )
    print(
        "| way | s by the clock, least | median | CPU ms a page, least | median |\n| --- | ---: | ---: | ---: | ---: |"
    )
    for way, rounds in found.items():
        clock, cpu = zip(*rounds, strict=True)
        print(
            f"| {way} | {min(clock):.2f} | {statistics.median(clock):.2f} | "
            f"{min(cpu):.2f} | {statistics.median(cpu):.2f} |"
        )


if __name__ == "__main__":
    main()

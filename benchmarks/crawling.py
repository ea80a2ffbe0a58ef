"""Whole crawls of the same pages by several crawlers, side by side: pages a CPU-second, and peak memory.

    python benchmarks/crawling.py [--rounds 3] [--with crawlee] [--only NAME …] [--from FOLDER] [--write FILE]

Serves generated HTML manuals (`manuals.py`) or any folder of HTML files on loopback, from a process whose CPU is not
counted, and lets each crawler fetch all of them, in a process of its own: `lycosa crawl` as a user runs it, with
robots.txt obeyed, archive, journal, frontier on disk and scoring on, by its default strategy first and by two simple
ones; Scrapy; and two floors of aiohttp and lexbor, one that extracts links only, and one that writes WARC besides.

Rounds take turns, as machines are noisy; the ratios are those of the smallest CPU times. CPU is user and system time
of the process and of those that it started, start-up included. Peak memory is that of the crawler's own process
(VmHWM, which begins at exec: `ru_maxrss` of a child begins with its parent's); behind a plus that of its helpers.
"In its own process" is the CPU without that of helpers: where each has a core of its own, a page cannot take less by
the clock, and wall times say more on a machine that has nothing else to do.

Other crawlers live in virtual environments of their own, made on first use in `~/.cache/lycosa-benchmarks`.
"""

from __future__ import annotations

import argparse
import compileall
import datetime
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import manuals
from lycosa import __file__ as lycosa_package
from lycosa.spec.tree import CrawlSpec
from serving import served

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lycosa-benchmarks"
SCRAPY, BARE, ARCHIVING = "Scrapy", "bare aiohttp + lexbor", "bare loop that writes WARC"
PATIENCE = 900
"""Seconds after which a crawl is given up."""


class Cost(NamedTuple):
    """What one crawl took: CPU and wall time in seconds, peak resident memory in bytes, of itself and of the processes
    that it started; `beside` is the part of the CPU that these took."""

    pages: int
    cpu: float
    wall: float
    memory: int
    helpers: int
    beside: float


class Crawler(NamedTuple):
    name: str
    command: Callable[[str, Path], Sequence[str]]
    """Of a start URL and an empty folder: what to run. It prints the number of pages after the word "pages"."""


def compile_lycosa() -> None:
    """Have lycosa's bytecode on disk, as installing it does: a tree that runs without (`PYTHONDONTWRITEBYTECODE`) takes
    a third of a second longer to start, which the other crawlers, once installed, do not."""
    compileall.compile_dir(Path(lycosa_package).parent, quiet=2)


def measure(crawler: Crawler, start: str) -> Cost:
    """Run one crawl in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="lycosa-crawl-") as folder, tempfile.TemporaryFile("w+") as said:
        began = time.monotonic()
        process = subprocess.Popen(crawler.command(start, Path(folder)), stdout=said, stderr=said, cwd=folder)
        status, used, peaks, beside = _wait(process, began + PATIENCE)
        wall = time.monotonic() - began
        said.seek(0)
        text = said.read()
        found = re.findall(r"pages (\d+)", text)
        pages = int(found[-1]) if found else _pages_in(Path(folder) / "crawl")
    if status or not pages:
        raise SystemExit(f"{crawler.name}: no crawl came of it (exit {status})\n{text[-2000:]}")
    own = peaks.pop(process.pid, 0) or used.ru_maxrss * 1024
    return Cost(pages, used.ru_utime + used.ru_stime, wall, own, sum(peaks.values()), beside)


def _wait(
    process: subprocess.Popen[bytes], until: float
) -> tuple[int, resource.struct_rusage, dict[int, int], float]:
    """The exit status, what the process and the children it waited for have used, the peak of each in bytes, and the
    CPU of the children in seconds, by the last look at each."""
    peaks: dict[int, int] = {}
    beside: dict[int, float] = {}
    while True:
        for child in _children(process.pid):
            beside[child] = max(beside.get(child, 0.0), _cpu(child))
        for each in (process.pid, *_children(process.pid)):
            peaks[each] = max(peaks.get(each, 0), _peak(each))
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used, peaks, sum(beside.values())
        if time.monotonic() > until:
            process.kill()
        time.sleep(0.05)


def _children(pid: int) -> list[int]:
    """The processes that a process started; none where the system does not tell."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _cpu(pid: int) -> float:
    """Seconds of CPU that a process has taken; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak(pid: int) -> int:
    """The most memory that a process has held since exec, in bytes; 0 where the system does not tell."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def _pages_in(crawl: Path) -> int:
    """The pages in the journal of a crawl folder."""
    from lycosa.crawls.folder import CrawlFolder

    with CrawlFolder.open(crawl) as folder:
        return folder.status().pages


def environment(name: str, *packages: str) -> Path:
    """The Python of a virtual environment that holds the packages, made if it is not there."""
    python = CACHE / name / "bin" / "python"
    if not python.exists():
        print(f"making {python.parent.parent} with {' '.join(packages)}", file=sys.stderr)
        venv.create(CACHE / name, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def script(name: str, python: Path | str, file: str, *more: str) -> Crawler:
    """A crawler that is one of the files in `crawlers/`, with further words for it."""
    return Crawler(name, lambda start, folder: [str(python), str(HERE / "crawlers" / file), start, *more])


def lycosa(start: str, folder: Path, *more: str) -> Sequence[str]:
    """The real command line; without `more` the default strategy crawls."""
    return [
        *(sys.executable, "-m", "lycosa.cli", "crawl", "numerical analysis", start),
        *("--out", str(folder / "crawl"), "-q", "--pages", "1000000", "--delay", "0"),
        *("--same-host", "--allow-private", "--contact", "bench@example.org", *more),
    ]


def by_strategy(name: str) -> Crawler:
    return Crawler(f"lycosa, {name}", partial(_with_strategy, name))


def _with_strategy(name: str, start: str, folder: Path) -> Sequence[str]:
    return lycosa(start, folder, "--strategy", name)


def crawlers(given: argparse.Namespace) -> list[Crawler]:
    """Those to compare: lycosa, Scrapy, the floors, and what else was asked for."""
    chosen = [
        Crawler(f"lycosa, default ({CrawlSpec().strategy})", lycosa),
        by_strategy("best-first"),
        by_strategy("breadth-first"),
        script(SCRAPY, given.scrapy_python or environment("scrapy", "scrapy==2.19.0"), "by_scrapy.py"),
        script(ARCHIVING, sys.executable, "bare_archiving.py"),
        script(BARE, sys.executable, "bare.py"),
    ]
    if given.only:
        chosen = [each for each in chosen if any(part in each.name for part in given.only)]
    if "crawlee" in given.also:
        try:
            python = given.crawlee_python or environment("crawlee", "crawlee[parsel]")
            chosen.append(script("Crawlee", python, "by_crawlee.py"))
        except subprocess.CalledProcessError as error:
            print(f"Crawlee is left out: it cannot be installed ({error})", file=sys.stderr)
    return chosen


def table(costs: dict[str, list[Cost]]) -> str:
    """Markdown: one row a crawler, with ratios to Scrapy and to the floors, where these were measured."""
    best = {name: min(runs, key=lambda cost: cost.cpu / cost.pages) for name, runs in costs.items()}
    speed = {name: cost.pages / cost.cpu for name, cost in best.items()}
    memory = {name: statistics.median(cost.memory for cost in runs) for name, runs in costs.items()}

    def ratio(name: str, to: str, form: str) -> str:
        return format(speed[name] / speed[to], form) if to in speed else ""

    columns = [
        *("crawler", "pages", "CPU ms a page, least", "median", "pages a CPU-second", "× Scrapy"),
        *(
            "of the bare loop",
            "of the one that archives",
            "in its own process",
            "peak memory",
            "wall s, least",
        ),
    ]
    rows = [columns, ["---"] * len(columns)]
    for name, runs in costs.items():
        median = statistics.median(cost.cpu / cost.pages for cost in runs) * 1e3
        rows.append([
            *(name, f"{best[name].pages:,}", f"{1e3 / speed[name]:.2f}", f"{median:.2f}", f"{speed[name]:,.0f}"),
            *(ratio(name, SCRAPY, ".2f"), ratio(name, BARE, ".0%"), ratio(name, ARCHIVING, ".0%")),
            f"{min((cost.cpu - cost.beside) / cost.pages for cost in runs) * 1e3:.2f}",
            f"{memory[name] / 2**20:.0f}{_helpers(runs)} MB",
            f"{min(cost.wall for cost in runs):.1f}",
        ])  # fmt: skip
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _helpers(runs: Sequence[Cost]) -> str:
    most = max(cost.helpers for cost in runs)
    return f" + {most / 2**20:.0f}" if most else ""


def heading(folder: Path, server: str, rounds: int, loads: Sequence[float]) -> str:
    """What was measured, where and when, and how busy the machine was."""
    files = list(folder.rglob("*.html"))
    size = sum(file.stat().st_size for file in files) / len(files)
    command = " ".join(["python", "benchmarks/crawling.py", *sys.argv[1:]])
    return (
        f"# Whole crawls, side by side\n\n`{command}`\n\n{len(files):,} pages of {size / 1000:.1f} KB on average, "
        f"served by {server}; {rounds} rounds; {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{datetime.date.today()}; load {min(loads):.1f} to {max(loads):.1f}, the crawler and the server included.\n"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--pages", type=int, default=manuals.PAGES, help="how many pages to generate")
    options.add_argument(
        "--from", dest="folder", type=Path, help="crawl these HTML files, from index.html on"
    )
    options.add_argument(
        "--with", dest="also", action="append", default=[], choices=["crawlee"], help="one more"
    )
    options.add_argument(
        "--only", nargs="+", default=[], help="only crawlers with one of these in their names"
    )
    options.add_argument("--scrapy-python", help="a Python that has Scrapy")
    options.add_argument("--crawlee-python", help="a Python that has crawlee[parsel]")
    options.add_argument("--write", type=Path, help="write the table to this file too")
    given = options.parse_args()
    folder = given.folder or CACHE / f"manuals-{given.pages}"
    if given.folder is None:
        manuals.generate(folder, given.pages)
    compile_lycosa()
    chosen = crawlers(given)
    costs: dict[str, list[Cost]] = {crawler.name: [] for crawler in chosen}
    loads = [os.getloadavg()[0]]
    with served(folder) as (start, server):
        for number in range(given.rounds):
            for crawler in chosen:
                cost = measure(crawler, f"{start}/")
                costs[crawler.name].append(cost)
                loads.append(os.getloadavg()[0])
                said = f"{cost.pages} pages, {cost.cpu:.1f} s CPU, {cost.wall:.1f} s"
                print(f"round {number + 1}: {crawler.name}: {said}", file=sys.stderr)
    report = f"{heading(folder, server, given.rounds, loads)}\n{table(costs)}\n"
    print(report)
    if given.write:
        given.write.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Two crawlers that share a crawl on two cores, beside one: pages a second and CPU a page.

    python -m benchmarks.sharing.scaling [ROUNDS] [PAGES]

run from the project's folder, on a machine that does nothing else. The generated manuals of `benchmarks/manuals.py`
are served on loopback, their pages spread over 64 hosts, so that nearly every link leads to another host. In each
round one crawler crawls alone, one is a crawl of a single node, and two share it by host. Seconds are those from the
first page to the last, by the journals; CPU is that of the crawling processes from the opening of their folders on,
Ray's own threads in them included. Writes benchmarks/results/sharing-scaling.md.
"""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple
from zlib import crc32

from benchmarks import manuals
from benchmarks.serving import served

from lycosa.cluster.place import Place
from lycosa.spec.files import save
from lycosa.spec.tree import ClusterSpec, CrawlSpec, FetchSpec, PolitenessSpec, TopicSpec
from lycosa.store.database import writer_of
from lycosa.store.paths import Paths

RESULT = Path(__file__).parents[1] / "results" / "sharing-scaling.md"
HOSTS = 64
_LINK = re.compile(rb'href="(?!https?:)([^"#]+)')
TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    pages: int
    seconds: float
    cpu: float

    @property
    def rate(self) -> float:
        return self.pages / self.seconds

    @property
    def cpu_a_page(self) -> float:
        return 1000 * self.cpu / self.pages


def place_of(name: str) -> str:
    return f"http://h{crc32(name.encode()) % HOSTS}.test/{name}"


def spread(folder: Path) -> None:
    """Have the links between pages lead to the hosts of what they link to."""

    def whole(found: re.Match[bytes]) -> bytes:
        return b'href="' + place_of(found[1].decode()).encode()

    for file in folder.rglob("*.html"):
        file.write_bytes(_LINK.sub(whole, file.read_bytes()))


def specification(base: str, pages: int, nodes: int) -> CrawlSpec:
    port = base.rpartition(":")[2]
    return CrawlSpec(
        topic=TopicSpec(keywords=("numerical analysis",)),
        seeds=tuple(place_of(manuals.address(number)) for number in range(8)),
        pages=pages,
        politeness=PolitenessSpec(delay=0.0),
        fetch=FetchSpec(allow_private=True, connect_to=(f"*:*:127.0.0.1:{port}",)),
        cluster=ClusterSpec(nodes=nodes, partition="host"),
    )


def run(folder: Path, spec: CrawlSpec, *, shared: bool) -> Cost:
    written = folder.with_suffix(".toml")
    save(spec, written)
    place = Place(folder)
    if shared:
        command = ["cluster", "run", str(written), "--out", str(folder), "--quiet"]

        def journals() -> list[Path]:
            return [Paths(path).journal for path in place.nodes.glob("*")]
    else:
        code = (
            "import asyncio, sys; from pathlib import Path; from lycosa.cli.running import run, view_for; "
            "from lycosa.crawls.session import begin; from lycosa.spec.files import load; "
            "from lycosa.spec.tree import CrawlSpec; from lycosa.watch.tally import Tally; "
            "spec = load(Path(sys.argv[1]), CrawlSpec); "
            "run(lambda: begin(spec, Path(sys.argv[2])), view_for(json=False, quiet=True, verbose=False), Tally(0.1))"
        )
        command = ["-c", code, str(written), str(folder)]
        journals = lambda: [Paths(folder).journal]  # noqa: E731
    process = subprocess.Popen([sys.executable, *(["-m", "lycosa.cli"] if shared else []), *command])
    used: dict[int, tuple[float, float]] = {}  # when its folder was opened, and at last
    while process.poll() is None:
        for journal in journals():
            if (writer := writer_of(journal)) is not None:
                now = _cpu_of(writer)
                first, last = used.get(writer, (now, now))
                used[writer] = first, max(last, now)
        time.sleep(0.05)
    if process.returncode:
        raise SystemExit(f"the crawl ended with {process.returncode}")
    spans = [_span(journal) for journal in journals()]
    began, ended = min(first for first, _, _ in spans), max(last for _, last, _ in spans)
    return Cost(
        sum(pages for _, _, pages in spans),
        (ended - began) / 1000,
        sum(last - first for first, last in used.values()),
    )


def _cpu_of(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def _span(journal: Path) -> tuple[int, int, int]:
    """When the first and the last page came, and how many."""
    with closing(sqlite3.connect(journal)) as opened:
        found = opened.execute("SELECT min(at), max(at), count(*) FROM steps WHERE kind = 'page'").fetchone()
    return found[0], found[1], found[2]


KINDS = {"one crawler alone": (1, False), "a shared crawl of one node": (1, True), "of two nodes": (2, True)}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    pages = int(sys.argv[2]) if len(sys.argv) > 2 else 3_000
    costs: dict[str, list[Cost]] = {name: [] for name in KINDS}
    with TemporaryDirectory() as made:
        site = Path(made) / "site"
        manuals.generate(site)
        spread(site)
        with served(site) as (base, server):
            for number in range(rounds):
                for name, (nodes, shared) in KINDS.items():
                    folder = Path(made) / f"{number}-{nodes}-{shared}"
                    costs[name].append(run(folder, specification(base, pages, nodes), shared=shared))
                    print(name, costs[name][-1], flush=True)
                    RESULT.write_text("\n".join(report(costs, server)) + "\n", encoding="utf-8")
    print(RESULT.read_text("utf-8"))


def report(costs: dict[str, list[Cost]], server: str) -> list[str]:
    alone = costs["one crawler alone"]
    lines = [
        "# Two crawlers on two cores",
        "",
        "`python -m benchmarks.sharing.scaling`",
        "",
        f"Medians of {len(alone)} rounds; {os.cpu_count()} cores, which {server} shares.",
        "",
        "| | pages | pages a second | × one | CPU a page, ms | × one |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, each in costs.items():
        if each:
            pairs = list(zip(each, alone, strict=False))
            faster = median(cost.rate / one.rate for cost, one in pairs)
            dearer = median(cost.cpu_a_page / one.cpu_a_page for cost, one in pairs)
            rate, cpu = median(cost.rate for cost in each), median(cost.cpu_a_page for cost in each)
            lines.append(
                f"| {name} | {each[0].pages:,} | {rate:.0f} | {faster:.2f} | {cpu:.1f} | {dearer:.2f} |"
            )
    return lines


if __name__ == "__main__":
    main()

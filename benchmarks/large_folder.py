"""What it costs to get 100,000 pages out of a crawl's folder: exports, index, search, report, status, one page.

    python benchmarks/large_folder.py [--pages N] [--folder FOLDER] [--beside TREE] [--rounds 1] [--only NAME …]

The folder is made once, and kept: a crawl of a recording by the default strategy writes its first pages (by the code of
TREE, so that both can read it), further ones are written by the archive and the journal themselves, as visits and
commits of this work tree write them, so that all commands take it. What this tree notes at a checkpoint is noted of the
first. Its pages are made from those of `manuals.py` that have 2 to 30 KB: another host, and other words. One in twenty
is a copy of the page before, one in twenty nearly one, and for ten pages there is a visit that failed.

Each command runs in a process of its own, in this work tree and by turns in TREE, one at an earlier commit. Told is the
CPU time (user and system, of the process and those that it started), the time by the clock, and the memory: the
`VmHWM` of all its processes, added up; the best of the rounds. `same` says whether what both wrote has the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from manuals import Writer, address

HERE = Path(__file__).parents[1]
TOPIC = "numerical analysis"
BASE = 1_000
"""Pages of which all others are made."""
SMALLEST, LARGEST = 2_000, 30_000
CRAWLED = 200
"""Pages that a crawl writes."""
BEGAN = 1_790_000_000_000
EVERY = 20
"""One page in so many is a copy, another one nearly."""
_WORD = re.compile(rb"(?<=[ >\n])[a-z]{4,}(?=[ .<\n])")


# -- making the folder ---------------------------------------------------------------------------------------------


class Source:
    """Makes bodies of pages: those of one site of manuals, and variants of them with other words."""

    def __init__(self) -> None:
        writer, self.bodies = Writer(10 * BASE, seed=7), list[bytes]()
        self.names = list[str]()
        for number in range(10 * BASE):
            body = writer.page(number).encode()
            if SMALLEST <= len(body) <= LARGEST or not number:
                self.bodies.append(body)
                self.names.append(address(number))
            if len(self.bodies) == BASE:
                break
        found = {word for body in self.bodies for word in _WORD.findall(body)}
        self._words = sorted(found)
        self._places = {word: place for place, word in enumerate(self._words)}

    def body(self, number: int, variant: int) -> bytes:
        """Of a page; a variant's words are others, and its markup and links are the same."""
        words, places, n = self._words, self._places, len(self._words)
        by = variant * 37
        return _WORD.sub(lambda word: words[(places[word[0]] + by) % n], self.bodies[number])


def host(variant: int) -> str:
    return f"manual-{variant}.example"


def make(folder: Path, pages: int, tree: Path) -> None:
    """The whole folder, unless it is there already. A tree of an earlier version crawls its first pages: what that
    writes, all later ones read."""
    if (folder / ".made").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    first = [sys.executable, __file__, "--folder", str(folder), "--first-pages"]
    subprocess.run(first, env={**os.environ, "PYTHONPATH": str(tree / "src")}, check=True)
    specification = folder / "crawl.toml"
    specification.write_text(re.sub(r"(?m)^pages = \d+$", f"pages = {pages}", specification.read_text()))
    _go_on(folder, Source(), pages)
    _note_work(folder)
    (folder / ".made").touch()


def _first_pages(folder: Path) -> None:
    import lycosa
    from lycosa.archive.warc import WarcArchive

    source = Source()
    with TemporaryDirectory() as place:
        recording = WarcArchive.open(Path(place))
        for number, name in enumerate(source.names):
            recording.write(_response(f"http://{host(0)}/{name}", source.bodies[number], BEGAN))
        recording.close()
        start = f"http://{host(0)}/{source.names[0]}"
        lycosa.crawl(TOPIC, [start], out=folder, web=f"recorded:{place}", pages=CRAWLED).close()


def _go_on(folder: Path, source: Source, pages: int) -> None:
    """Write further pages as a crawl does, until there are so many."""
    from lycosa.archive.warc import WarcArchive
    from lycosa.store.journal import Journal
    from lycosa.store.paths import Paths

    paths = Paths(folder)
    archive = WarcArchive.open(paths.archive)
    journal = Journal(paths.journal, before_commit=archive.flush)
    there = journal.history.harvest(0.5)[0]
    for event in _events(source, archive, pages - there, journal.last_step):
        _append(journal, event)
    journal.flush()
    journal.close()
    archive.close()


def _note_work(folder: Path) -> None:
    """What this work tree notes at a checkpoint, and earlier versions do not."""
    from lycosa.crawls.checkpointed import Checkpointed
    from lycosa.crawls.work import Work
    from lycosa.spec.files import load
    from lycosa.spec.tree import CrawlSpec
    from lycosa.store.journal import Journal
    from lycosa.store.paths import Paths

    paths = Paths(folder)
    with Checkpointed(paths, load(paths.specification, CrawlSpec)) as kept:
        assert kept.snapshot is not None
        work = Work(step=kept.snapshot.step, facts=kept.facts(), estimates=kept.estimates())
    journal = Journal(paths.journal)
    journal.note("work", msgspec.json.encode(work).decode())
    journal.close()


def _events(source: Source, archive: object, pages: int, step: int) -> Iterator[object]:
    from lycosa.drive.page import page_of
    from lycosa.model.records import Failure, Millis, Reason, Request
    from lycosa.model.url import Url

    draw = random.Random(1)
    read = [
        page_of(
            Request(url=Url(f"http://{host(0)}/{name}"), order=0),
            _response(f"http://{host(0)}/{name}", body, BEGAN),
            None,
        )
        for name, body in zip(source.names, source.bodies, strict=True)
    ]
    body, like = b"", 0
    for made in range(pages):
        number, variant = made % BASE, 1 + made // BASE
        if made % EVERY == 7:
            pass  # the bytes of the page before
        elif made % EVERY == 13:
            body = body.replace(b"</body>", b"<p>other words at the end</p></body>")
        else:
            body, like = source.body(number, variant), number
        page = _page(read[like], f"http://{host(variant)}/{source.names[number]}", body, made, archive, draw)
        yield page
        if made % 10 == 9:
            url = Url(f"http://{host(variant)}/missing-{made}.html")
            request = Request(url=url, order=made, via=page.links[0], depth=page.request.depth + 1)
            reason, status = (Reason.STATUS, 404) if made % 20 == 9 else (Reason.TIMEOUT, 0)
            yield Failure(request=request, reason=reason, at=Millis(page.fetched_at + 300), status=status)


def _page(read, url: str, body: bytes, made: int, archive, draw: random.Random):  # type: ignore[no-untyped-def]
    """A page as read from a base page, at its own URL, archived."""
    from lycosa.model.digests import payload_digest
    from lycosa.model.records import Millis, Request
    from lycosa.model.url import Url

    at = Millis(BEGAN + made * 250)
    own = url.rpartition("/")[0]
    links = tuple(
        msgspec.structs.replace(
            link, source=Url(url), target=Url(own + "/" + link.target.rpartition("/")[2]), context=""
        )
        for link in read.links
    )
    relevance = round(draw.betavariate(1.2, 4.0), 6)
    response = _response(url, body, at)
    record = archive.write(response)
    told = {"relevance": f"{relevance:.4f}", "score": f"{draw.random():.4f}", "strategy": "hunter"}
    archive.annotate(record, Url(url), told)
    request = Request(
        url=Url(url), order=made, via=links[0], depth=1 + made // (10 * BASE), score=draw.random()
    )
    return msgspec.structs.replace(
        read,
        request=request,
        final_url=Url(url),
        fetched_at=at,
        digest=payload_digest(body),
        links=links,
        relevance=relevance,
        record=record,
        fingerprint=int.from_bytes(blake2b(body, digest_size=8).digest(), "big"),
    )


def _append(journal, event) -> None:  # type: ignore[no-untyped-def]
    from lycosa.model.commands import Enqueue
    from lycosa.model.events import Entry
    from lycosa.model.records import Millis, Page

    links = event.links[::3] if isinstance(event, Page) else ()
    commands = tuple(
        Enqueue(url=link.target, score=0.5 / (1 + at), via=link) for at, link in enumerate(links)
    )
    at = event.fetched_at if isinstance(event, Page) else event.at
    journal.append(
        Entry(
            step=journal.last_step + 1,
            at=Millis(at + 200),
            event=event,
            leased=(event.url,),
            commands=commands,
        )
    )


def _response(url: str, body: bytes, at: int):  # type: ignore[no-untyped-def]
    from lycosa.model.records import Millis, Response
    from lycosa.model.url import Url

    headers = (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Server", "nginx"),
        ("Connection", "keep-alive"),
    )
    return Response(
        url=Url(url),
        status=200,
        headers=headers,
        body=body,
        fetched_at=Millis(at),
        elapsed=Millis(40),
        address="192.0.2.1",
        request_headers=(("User-Agent", "lycosa"), ("Accept", "text/html")),
    )


# -- measuring -----------------------------------------------------------------------------------------------------


COMPILED = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(HERE / "runs" / "compiled")}
"""As where it was installed: modules are compiled once, not with each start."""


class Cost(NamedTuple):
    """Of one run of a command."""

    cpu: float
    wall: float
    megabytes: float
    digest: str


Prepare = Callable[[Path], None]


def nothing(folder: Path) -> None:
    pass


def without_index(folder: Path) -> None:
    shutil.rmtree(folder / "index", ignore_errors=True)


def commands(folder: Path, out: Path) -> dict[str, tuple[Sequence[str], Prepare]]:
    """What is measured: the words of each command, and what is done before it."""
    at, url, missing = str(folder), _middle(folder, "page"), _middle(folder, "failure")
    export = ("export", at, "--to")
    file = str(out)
    return {
        "status": (("status", at, "--json"), nothing),
        "report": (("report", at, "-o", file), nothing),
        "show URL": (("show", at, url), nothing),
        "why URL": (("why", at, url, "--json"), nothing),
        "why, failed": (("why", at, missing, "--json"), nothing),
        "index and search": (("search", at, "matrix iteration", "--json"), without_index),
        "search": (("search", at, "matrix iteration", "--json"), nothing),
        "search, facets": (("search", at, "matrix iteration", "--facets", "--json"), nothing),
        "jsonl, no text": ((*export, "jsonl", "--no-text", file), nothing),
        "csv, no text": ((*export, "csv", "--no-text", file), nothing),
        "parquet, no text": ((*export, "parquet", "--no-text", file), nothing),
        "jsonl, indexed": ((*export, "jsonl", file), nothing),
        "jsonl": ((*export, "jsonl", file), without_index),
        "csv": ((*export, "csv", file), nothing),
        "parquet": ((*export, "parquet", file), nothing),
        "jsonl, main": ((*export, "jsonl", "--text", "main", file), nothing),
        "wacz": ((*export, "wacz", file), nothing),
        "wacz, no text": ((*export, "wacz", "--no-text", file), nothing),
    }


def _middle(folder: Path, kind: str) -> str:
    """A URL that was visited half way."""
    with closing(sqlite3.connect(folder / "journal.db")) as journal:
        (found,) = journal.execute(
            "SELECT url FROM steps WHERE kind = ? AND step > (SELECT max(step) / 2 FROM steps) LIMIT 1",
            (kind,),
        ).fetchone()
    return str(found)


def run(tree: Path, words: Sequence[str], out: Path) -> Cost:
    """One command, in a process of its own."""
    out.unlink(missing_ok=True)
    before, began = os.times(), time.perf_counter()
    with out.with_suffix(".stdout").open("wb") as told:
        process = subprocess.Popen(
            [sys.executable, "-m", "lycosa.cli", *words],
            stdout=told,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(tree / "src"), **COMPILED},
        )
        peaks: dict[int, int] = {}
        while process.poll() is None:
            _look(process.pid, peaks)
            time.sleep(0.02)
    wall, after = time.perf_counter() - began, os.times()
    if process.returncode:
        raise SystemExit(f"lycosa {' '.join(words)} failed")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(
        cpu, wall, sum(peaks.values()) / 1024, _digest(out if out.exists() else out.with_suffix(".stdout"))
    )


def _look(pid: int, peaks: dict[int, int]) -> None:
    """Note the peak memory, in kB, of a process and those below it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return
    if found := re.search(r"VmHWM:\s+(\d+)", status):
        peaks[pid] = max(peaks.get(pid, 0), int(found[1]))
    for child in children.split():
        _look(int(child), peaks)


def _digest(file: Path) -> str:
    found = hashlib.sha256()
    with file.open("rb") as opened:
        while part := opened.read(1 << 20):
            found.update(part)
    return found.hexdigest()


def best(costs: Sequence[Cost]) -> Cost:
    return Cost(*(min(each) for each in list(zip(*costs, strict=True))[:3]), costs[-1].digest)


def told(name: str, costs: Sequence[Cost]) -> str:
    """One row: this tree, and the one beside it."""
    now = f"| {name} | {costs[0].cpu:.1f} | {costs[0].wall:.1f} | {costs[0].megabytes:.0f} |"
    if len(costs) == 1:
        return now
    then = costs[1]
    ratios = f"{then.cpu / costs[0].cpu:.1f} × | {then.wall / costs[0].wall:.1f} ×"
    same = "yes" if then.digest == costs[0].digest else "no"
    return f"{now} {then.cpu:.1f} | {then.wall:.1f} | {then.megabytes:.0f} | {ratios} | {same} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--pages", type=int, default=100_000)
    options.add_argument("--folder", type=Path, help="default: runs/large-folder-PAGES")
    options.add_argument("--beside", type=Path, metavar="TREE")
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--only", nargs="+", metavar="NAME")
    options.add_argument("--first-pages", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    folder = given.folder or HERE / "runs" / f"large-folder-{given.pages}"
    if given.first_pages:
        _first_pages(folder)
        return
    make(folder, given.pages, given.beside or HERE)
    trees = [HERE, *([given.beside] if given.beside else [])]
    beside = " before: CPU s | s | MB | CPU | s | same |" if given.beside else ""
    print(f"| {given.pages:,} pages | CPU s | s | MB |{beside}")
    print(f"|---|---:|---:|---:|{'---:|---:|---:|---:|---:|---|' if given.beside else ''}", flush=True)
    with TemporaryDirectory() as place:
        out = Path(place) / "out"
        for name, (words, prepare) in commands(folder, out).items():
            if given.only and name not in given.only:
                continue
            costs: list[list[Cost]] = [[] for _ in trees]
            for number in range(given.rounds):
                for at in range(len(trees))[:: 1 if number % 2 else -1]:
                    prepare(folder)
                    costs[at].append(run(trees[at], words, out))
            print(told(name, [best(each) for each in costs]), flush=True)
    print(f"\nload {' '.join(f'{each:.1f}' for each in os.getloadavg())}, {time.strftime('%Y-%m-%d %H:%M')}")


if __name__ == "__main__":
    main()

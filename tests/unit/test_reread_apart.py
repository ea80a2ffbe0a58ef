"""Pages read again in processes beside: the same as in place, in their order, whatever becomes of the processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.worlds import html, response

from lycosa.archive.reader import Reader
from lycosa.archive.warc import WarcArchive
from lycosa.drive import reread_apart
from lycosa.drive.reread import Rereader
from lycosa.drive.reread_apart import BATCH, Again, Kept, Manner, RereadApart, again
from lycosa.model.records import RecordRef
from lycosa.model.url import Url

PAGES = 5 * BATCH + 3
MANNERS = [Manner(), Manner(text=False, main=True), Manner(main=True, markdown=True)]


@pytest.fixture
def kept(tmp_path: Path) -> list[Kept | None]:
    """Pages of an archive, some of which are without a record, damaged, missing, or long by their URLs."""
    archive = WarcArchive.open(tmp_path)
    found: list[Kept | None] = []
    for number in range(PAGES):
        url = Url(f"http://a.test/{number}" + "x" * (9_000 if number % 40 == 7 else 0))
        body = html(f"page {number} \U0001f577 蜘蛛 " + "words " * (number * number))
        found.append(Kept(record=archive.write(response(url, body)), url=url))
    archive.close()
    for number in (20, 55):
        gone = RecordRef(file="gone.warc.gz", offset=number, length=10)
        found[number] = Kept(record=gone, url=Url(f"http://a.test/{number}"))
    whole = found[30]
    assert whole is not None
    found[60] = Kept(record=replace(whole.record, offset=whole.record.offset + 3), url=whole.url)
    found[33] = None
    return found


@pytest.fixture(autouse=True)
def _apart_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reread_apart, "ALONE", 2)


def readers(folder: Path) -> tuple[Rereader, RereadApart]:
    rereader = Rereader(Reader([folder]))
    return rereader, RereadApart(rereader, [folder], 1 << 20, processes=2)


def read(apart: RereadApart, kept: list[Kept | None], manner: Manner) -> Iterator[tuple[int, Again]]:
    return ((at, page) for at, page in apart.read(enumerate(kept), manner))


@pytest.mark.parametrize("manner", MANNERS)
def test_as_in_place(kept: list[Kept | None], manner: Manner, tmp_path: Path) -> None:
    alone = Rereader(Reader([tmp_path]))
    rereader, apart = readers(tmp_path)
    found = list(read(apart, kept, manner))
    assert [(at, page.text, page.main) for at, page in found] == [
        (at, one.text, one.main) for at, one in enumerate(again(alone, each, manner) for each in kept)
    ]
    assert rereader.unread == alone.unread
    assert len(alone.unread) == 2


def test_a_process_that_dies_costs_no_page(kept: list[Kept | None], tmp_path: Path) -> None:
    alone = Rereader(Reader([tmp_path]))
    rereader, apart = readers(tmp_path)
    workers = []
    begin = reread_apart._Worker.__init__

    def begun(worker: reread_apart._Worker, task: reread_apart.Task) -> None:  # type: ignore[type-arg]
        begin(worker, task)
        workers.append(worker)

    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(reread_apart._Worker, "__init__", begun)
        pages = read(apart, kept, Manner())
        found = [next(pages) for _ in range(BATCH)]
        for worker in workers[:1]:
            worker._process.kill()
        found += pages
    assert len(workers) == 2
    assert [page.text for _, page in found] == [again(alone, each, Manner()).text for each in kept]
    assert rereader.unread == alone.unread


def test_whoever_stops_leaves_no_process(kept: list[Kept | None], tmp_path: Path) -> None:
    _, apart = readers(tmp_path)
    workers = []
    end = reread_apart._Worker.end

    def ended(worker: reread_apart._Worker) -> None:  # type: ignore[type-arg]
        end(worker)
        workers.append(worker)

    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(reread_apart._Worker, "end", ended)
        pages = read(apart, kept, Manner())
        for _ in range(BATCH):
            next(pages)
        del pages
    assert [worker._process.returncode is not None for worker in workers] == [True, True]

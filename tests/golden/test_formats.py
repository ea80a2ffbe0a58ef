"""Data that is kept has a FORMAT beside what it describes; when the data changes, so must the FORMAT.

`formats.txt` has, for each kind of data, its FORMAT and a digest of a small sample. After raising a FORMAT write it
anew:

    python -m tests.golden.test_formats
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from pathlib import Path

import msgspec
import pytest

from lycosa.drive.clock import VirtualClock
from lycosa.lab.webs import cache, pages
from lycosa.lab.webs.lab_web import open_web
from lycosa.model.records import Fault, Response
from lycosa.web.made import changing, topical
from lycosa.web.made.changing import ChangingShape, ChangingWeb
from lycosa.web.made.topical import TopicalShape, TopicalWeb

GOLDEN = Path(__file__).with_name("formats.txt")
SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"


def kept_pages(folder: Path) -> str:
    """A digest of all columns that are kept of the sample web."""
    columns = open_web([SAMPLE], kept_in=folder).kept.columns
    told = hashlib.sha256()
    for name in columns.names:
        told.update(f"{name} {columns[name].dtype.str}\n".encode() + columns.octets(name))
    return told.hexdigest()


def answered(response: Response | Fault) -> bytes:
    """An answer as JSON, without what only answers of archives have."""
    told = msgspec.to_builtins(response)
    return msgspec.json.encode({name: value for name, value in told.items() if name != "source"})


def generated_web() -> str:
    """A digest of what a small generated web answers."""
    web = TopicalWeb(TopicalShape(pages=800, hosts=120), seed=7)
    told = hashlib.sha256()
    for number in range(len(web)):
        told.update(answered(asyncio.run(web.fetch(web.url(number)))))
    return told.hexdigest()


def changing_web() -> str:
    """A digest of what a small changing web answers on its first day and a hundred days later."""
    clock = VirtualClock(changing.BEGINS)
    shape = ChangingShape(pages=TopicalShape(pages=200, hosts=120))
    web = ChangingWeb(shape, seed=7, clock=clock)
    told = hashlib.sha256()
    for day in (0.5, 100.5):
        clock.pass_to(web.instant(day))
        for number in range(len(web)):
            told.update(answered(asyncio.run(web.fetch(web.url(number)))))
    return told.hexdigest()


def now(folder: Path) -> dict[str, tuple[str, str]]:
    """By what it is, FORMAT and digest of all data that is kept."""
    return {
        "lab/pages.py": (str(pages.FORMAT), kept_pages(folder)),
        "web/topical.py": (str(topical.FORMAT), generated_web()),
        "web/changing.py": (str(changing.FORMAT), changing_web()),
    }


def libraries() -> str:
    return cache.reader_version().partition(", ")[2]


def written(found: dict[str, tuple[str, str]]) -> str:
    return "".join(f"{name} {kind} {digest}\n" for name, (kind, digest) in found.items()) + libraries() + "\n"


def test_data_that_changes_has_another_format(tmp_path: Path) -> None:
    *lines, read_by = GOLDEN.read_text("utf-8").splitlines()
    golden = {name: (kind, digest) for name, kind, digest in map(str.split, lines)}
    found = now(tmp_path)
    assert found.keys() == golden.keys()
    for name, (kind, digest) in found.items():
        if digest == golden[name][1]:
            assert kind == golden[name][0], f"{name}: FORMAT changed and its data did not: leave it as it was"
        elif kind == golden[name][0] and libraries() != read_by:
            pytest.skip(
                f"{name}: read by other libraries than {read_by}, which say so themselves in what is kept"
            )
        else:
            assert kind != golden[name][0], f"{name}: its data changed: raise FORMAT"
            pytest.fail(f"{name}: write {GOLDEN.name} anew: python -m tests.golden.test_formats")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        GOLDEN.write_text(written(now(Path(folder))), "utf-8")

"""Our archives in pywb, the replay system of many libraries: it must show what revisit records refer to.

pywb needs an environment of its own: ``python3 -m venv DIR && DIR/bin/pip install pywb "setuptools<80"``. LYCOSA_PYWB
names DIR; without it these tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.test_revisit_records import AT, BODY, DAY, HERE, last, page, unmodified

from lycosa.archive.cdxj import merge
from lycosa.archive.others import Others
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.model.records import Millis
from lycosa.model.url import Url

PYWB = Path(os.environ.get("LYCOSA_PYWB", "")) / "bin"
THERE, ELSEWHERE = Url("http://b.example/y"), Url("http://c.example/z")

pytestmark = pytest.mark.skipif(
    not (PYWB / "wayback").exists(), reason="LYCOSA_PYWB names no environment with pywb"
)


@pytest.fixture(params=["its index", "our index"])
def wayback(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of pywb with an archive of a page, a 304, a copy, a copy elsewhere and a 304 of that copy,
    and with a second one that refers to the first."""
    archive = WarcArchive.open(tmp_path / "archive")
    first = archive.write(page())
    archive.write(unmodified(1), last(first, page()))
    archive.write(page(2))
    copy = replace(page(3), url=THERE)
    archive.write(unmodified(4, THERE), last(archive.write(copy), copy))
    archive.write(unmodified(5, THERE))
    archive.close()
    later = WarcArchive.open(  # what both have is stored in the first only
        tmp_path / "later", Provenance(name="later"), others=Others.open([tmp_path / "archive"])
    )
    assert later.write(replace(page(6), url=ELSEWHERE)).length < 700
    later.close()
    for step in (("init", "c"), ("add", "c", *map(str, tmp_path.glob("*/*.warc.gz")))):
        subprocess.run([PYWB / "wb-manager", *step], cwd=tmp_path, check=True, capture_output=True)
    if request.param == "our index":
        merge(tmp_path / "both.cdxj", [tmp_path / name / "index.cdxj" for name in ("archive", "later")])
        shutil.copy(tmp_path / "both.cdxj", tmp_path / "collections/c/indexes/index.cdxj")
    with serving(tmp_path) as address:
        yield address


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [PYWB / "wayback", "-b", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + 60
            while server.poll() is None and time.monotonic() < deadline and not answers(port):
                time.sleep(0.1)  # another program starts: there is nothing to wait on but its port
            yield f"http://127.0.0.1:{port}/c"
        finally:
            server.terminate()


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def shown(address: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def digits(day: int) -> str:
    return time.strftime("%Y%m%d%H%M%S", time.gmtime(Millis(AT + day * DAY) // 1000))


def test_pages_are_shown_whatever_kind_of_record_they_are_in(wayback: str) -> None:
    for day, url in ((0, HERE), (1, HERE), (2, HERE), (3, THERE), (4, THERE), (6, ELSEWHERE)):
        for mode in ("mp_", "id_"):
            status, body = shown(f"{wayback}/{digits(day)}{mode}/{url}")
            assert (day, mode, status) == (day, mode, 200)
            assert BODY.removeprefix(b"<html>") in body, (day, mode)


def test_a_304_that_nobody_asked_for_is_shown_as_one(wayback: str) -> None:
    assert shown(f"{wayback}/{digits(5)}id_/{THERE}") == (304, b"")

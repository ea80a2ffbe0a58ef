"""Records are decoded in any number of threads, also those that nobody decoded before."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import lycosa

MEETING = """
import sys, threading
from typing import Optional
from lycosa.model.decoding import converted, from_json, from_msgpack, json_reader, msgpack_reader
from lycosa.model.records import Record
sys.setswitchinterval(1e-6)

def fresh():
    class Inner(Record, frozen=True):
        number: int = 0
        words: tuple[str, ...] = ()
        counts: dict[str, int] = {}
    class Outer(Record, frozen=True):
        inner: Inner
        more: list[Inner] = []
    Outer.__annotations__.update(inner=Inner, more=list[Inner])
    return Outer

for _ in range(1_000):
    kind, barrier = fresh(), threading.Barrier(4)
    def read(how):
        barrier.wait()
        how()
    ways = [
        lambda: converted({"inner": {"words": ["a"]}}, kind),
        lambda: from_json(b'{"inner": {"words": ["a"], "counts": {"b": 1}}}', kind),
        lambda: from_msgpack(b"\\x81\\xa5inner\\x80", kind),
        lambda: json_reader(list[kind])(b'[{"inner": {}}]'),
    ]
    threads = [threading.Thread(target=read, args=(way,)) for way in ways]
    for each in threads: each.start()
    for each in threads: each.join()
print("alive")
"""


def test_threads_may_meet_a_record_at_the_same_time() -> None:
    done = subprocess.run([sys.executable, "-c", MEETING], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "alive\n", "")


def test_nobody_decodes_past_it() -> None:
    """What would meet a type without the lock stands in one module."""
    past = re.compile(r"msgspec\.convert\(|Decoder\((?!\))|\.decode\([^\n]*type=")
    room = Path(lycosa.__file__).parent
    modules = [each for each in room.rglob("*.py") if each != room / "model" / "decoding.py"]
    assert [str(each.relative_to(room)) for each in modules if past.search(each.read_text("utf-8"))] == []

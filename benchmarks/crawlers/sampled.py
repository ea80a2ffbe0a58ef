"""A crawl as `lycosa_session.py` makes it, whose stack is noted every few milliseconds of CPU: a sampling profiler.

    python benchmarks/crawlers/sampled.py START PAGES STACKS.txt [STRATEGY]

The kernel's profiling timer (`ITIMER_PROF`) counts the CPU time of the process, and Python runs the handler of its
signal in the main thread, between two steps of its code: what a call in C takes counts for the line that called it. A
crawl works in that thread, but for RocksDB's compactions. Profilers that look from outside need rights that containers
seldom give, or see only what waits in a system call.

Writes collapsed stacks, outermost first: `function (file:line);… count`.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType

EVERY = 0.002
"""Seconds of CPU."""
_BEGIN = ("lycosa/", "aiohttp/")


def _told(frame: FrameType) -> str:
    code = frame.f_code
    file = code.co_filename
    at = max(file.rfind(part) for part in _BEGIN)
    return f"{code.co_qualname} ({file[at:] if at >= 0 else file.rpartition('/')[2]}:{code.co_firstlineno})"


class Sampler:
    """Counts stacks of the main thread while it is on."""

    def __init__(self) -> None:
        self.found: Counter[tuple[str, ...]] = Counter()
        self._names: dict[object, str] = {}

    def __enter__(self) -> Sampler:
        signal.signal(signal.SIGPROF, self._note)
        signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
        return self

    def __exit__(self, *why: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _note(self, number: int, frame: FrameType | None) -> None:
        stack: list[str] = []
        while frame is not None:
            name = self._names.get(frame.f_code)
            if name is None:
                name = self._names[frame.f_code] = _told(frame)
            stack.append(name)
            frame = frame.f_back
        self.found[tuple(reversed(stack))] += 1

    def write(self, file: Path) -> None:
        lines = (f"{';'.join(stack)} {count}\n" for stack, count in self.found.most_common())
        file.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    start, pages, stacks = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    with tempfile.TemporaryDirectory(prefix="lycosa-bench-") as folder, Sampler() as sampler:
        import uvloop
        from lycosa_session import crawl  # what is imported counts, too

        print("pages", uvloop.run(crawl(start, pages, Path(folder) / "crawl", *sys.argv[4:])))
    sampler.write(stacks)

"""How much memory a browser's processes have, and which of them has most."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class Memory:
    """Of a process and all that descend from it, as Linux tells; elsewhere nothing is known, and nothing counted."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._sizes: dict[int, int] = {}

    def used(self) -> int:
        """Bytes that the processes have each for itself."""
        self._sizes = {pid: _size(pid) for pid in _family(self._pid)}
        return sum(self._sizes.values())

    def end_largest_page(self) -> bool:
        """Whether there was a page to end, among the processes that were counted last.

        One that has crashed, and is held by a crash reporter where Chromium has one, is left to it, and ends soon.
        Killed now, it would stay as a zombie that only the reporter can bury, and the browser, which waits for it,
        would stand still.
        """
        pages = [pid for pid in self._sizes if b"--type=renderer" in _command(pid)]
        if not pages:
            return False
        largest = max(pages, key=self._sizes.__getitem__)
        if not _is_held(largest):
            with suppress(ProcessLookupError):
                os.kill(largest, signal.SIGKILL)
        return True


def _family(pid: int) -> list[int]:
    """A process, its children, theirs, and so on."""
    family = [pid]
    for member in family:
        with suppress(OSError):
            for thread in (_PROC / str(member) / "task").iterdir():
                family += map(int, (thread / "children").read_bytes().split())
    return family


def _size(pid: int) -> int:
    """Resident bytes that are not shared with files or other processes."""
    try:
        _, resident, shared, *_ = map(int, (_PROC / str(pid) / "statm").read_bytes().split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * _PAGE


def _is_held(pid: int) -> bool:
    """Whether somebody who traces the process has stopped it. One that is only watched, as by strace, runs."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[0] == b"t"


def _command(pid: int) -> bytes:
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return b""

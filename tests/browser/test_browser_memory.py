"""Which page of a browser is ended when there is too little memory."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lycosa.web.browser.memory import Memory

_ATTACH, _DETACH = 16, 17  # of ptrace(2)
_ALL = 0x40000000  # __WALL of waitpid(2)

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells of memory")


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """One that waits to be ended, and has these arguments."""
    command = [sys.executable, "-c", "print(flush=True); input()", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as made:
        assert made.stdout is not None
        made.stdout.readline()
        try:
            yield made
        finally:
            made.kill()


@contextmanager
def traced(pid: int) -> Iterator[None]:
    """As a crash reporter does with a process that has crashed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(_ATTACH, pid, None, None) < 0:
        pytest.skip(f"this system lets nobody trace: {os.strerror(ctypes.get_errno())}")
    os.waitpid(pid, _ALL)
    try:
        yield
    finally:
        libc.ptrace(_DETACH, pid, None, None)


def test_the_largest_page_is_ended() -> None:
    with process("--type=renderer") as page:
        memory = Memory(page.pid)
        assert memory.used() > 1 << 20
        assert memory.end_largest_page()
        assert page.wait(30) == -signal.SIGKILL


def test_who_shows_no_page_is_not() -> None:
    with process("--type=utility") as other:
        memory = Memory(other.pid)
        assert memory.used() > 1 << 20
        assert not memory.end_largest_page()
        assert other.poll() is None


def test_a_page_that_has_crashed_is_left_to_who_reports_it() -> None:
    """Killed, it would be a zombie of the reporter's, for which the browser waits in vain."""
    with process("--type=renderer") as page:
        memory = Memory(page.pid)
        memory.used()
        with traced(page.pid):
            assert memory.end_largest_page()
            stat = Path(f"/proc/{page.pid}/stat").read_text("utf-8")
            assert stat.rpartition(")")[2].split()[0] == "t"
        assert memory.end_largest_page()
        assert page.wait(30) == -signal.SIGKILL

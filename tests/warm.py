"""The command `lycosa` without the time in which Python starts, imports and tidies up: nine tenths of a short one's.

A server has imported everything, and each command runs in a process forked from it. What callers start is a program
that hands over its words, folder, environment and open files, and ends as the command ends. A signal would end the
program and not the command, so whoever sends signals needs a process of its own: `python -m lycosa.cli`.
"""

from __future__ import annotations

import gc
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from pkgutil import walk_packages
from signal import SIGTERM

import lycosa

PROGRAM = """#!{python} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    told = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)])
    socket.send_fds(server, [told.encode()], [0, 1, 2])
    server.shutdown(socket.SHUT_WR)
    sys.exit(int(server.recv(3) or b"70"))
"""
Command = Callable[..., subprocess.CompletedProcess[str]]
"""Runs a command with these words."""
ROOT = Path(__file__).parents[1]
PATIENCE = 60.0
_FORK = get_context("fork")


@contextmanager
def warm_lycosa() -> Iterator[Path]:
    """A folder with the program `lycosa`, while its server is there."""
    with tempfile.TemporaryDirectory(prefix="lycosa-") as folder:  # addresses are short: not below pytest's
        address, program = Path(folder) / "server", Path(folder) / "bin" / "lycosa"
        program.parent.mkdir()
        program.write_text(PROGRAM.format(python=sys.executable, address=str(address)))
        program.chmod(0o755)
        words = [sys.executable, "-m", __name__, str(address)]
        server = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True, cwd=ROOT)
        try:
            _wait_for(address, server)
            yield program.parent
        finally:
            os.killpg(server.pid, SIGTERM)
            server.wait()


def _wait_for(address: Path, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while not address.exists():
        assert server.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)


def serve(address: str) -> None:
    """Let processes forked from this one run commands, until it is ended or whoever started it is gone."""
    _import_all()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen()
        Path(f"{address}.new").rename(address)
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            caller, _ = listener.accept()
            _FORK.Process(target=_attend, args=(caller,)).start()
            caller.close()


def _import_all() -> None:
    """All of lycosa but what imports Ray, which begins threads."""
    from lycosa.lab.experiments.threads import use_one_thread

    use_one_thread()
    for module in walk_packages(lycosa.__path__, "lycosa."):
        if not module.name.endswith("__main__") and "cluster" not in module.name:
            import_module(module.name)
    import_module("scipy.stats")  # which lycosa imports where it compares: it takes a second
    gc.freeze()


def _attend(caller: socket.socket) -> None:
    """Have one command run, and tell its caller how it ended."""
    told, files, _, _ = socket.recv_fds(caller, 1 << 20, 3)
    while more := caller.recv(1 << 20):
        told += more
    command = _FORK.Process(target=_run, args=(*json.loads(told), files))
    command.start()
    command.join()
    ended = command.exitcode or 0
    caller.sendall(b"%d" % (ended if ended >= 0 else 128 - ended))


def _run(words: list[str], folder: str, environment: dict[str, str], files: list[int]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = ["lycosa", *words]
    from lycosa.cli import main

    main()


if __name__ == "__main__":
    serve(sys.argv[1])

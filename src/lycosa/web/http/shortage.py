"""What this machine lacks, not the host that was asked: file descriptors, ports, memory for sockets."""

from __future__ import annotations

import errno
import re
import sys
from contextlib import suppress

SHORTAGES = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL, errno.ENOSR}
)
"""Descriptors of the process, of the machine; memory; and (as it is told for connections) local ports."""

MOST_DESCRIPTORS = 65_536
"""Beyond it, some systems make a table of all descriptors that may be."""

_NUMBER = re.compile(r"\[Errno (\d+)\]")


def is_shortage(error: BaseException) -> bool:
    """Whether an error tells of a shortage here. Where several addresses were tried, one such attempt is enough."""
    if isinstance(error, RuntimeError):
        return "can't start new thread" in str(error)
    if not isinstance(error, OSError):
        return isinstance(error, MemoryError)
    numbers = {int(number) for number in _NUMBER.findall(str(error))}
    return error.errno in SHORTAGES or not SHORTAGES.isdisjoint(numbers)


def raise_limit() -> int:
    """Let this process have as many open files as it may, and return how many that are."""
    if sys.platform == "win32":  # sockets are no files there, and not counted
        return MOST_DESCRIPTORS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    wanted = MOST_DESCRIPTORS if hard == unlimited else min(hard, MOST_DESCRIPTORS)
    if soft != unlimited and soft < wanted:
        with suppress(OSError, ValueError):  # macOS allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return MOST_DESCRIPTORS if soft == unlimited else soft

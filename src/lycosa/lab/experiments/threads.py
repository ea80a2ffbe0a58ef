"""One thread for the arithmetic of a process: a crawl's vectors are short, and threads that wait for work cost more CPU
than they save. Other crawls make use of the other processors.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""What numpy's and scipy's libraries read when they are loaded, and only then. Who has set one is left with it."""


def use_one_thread() -> None:
    """For this process, if numpy is not loaded yet, and for those that it starts."""
    for name in VARIABLES:
        os.environ.setdefault(name, "1")


@contextmanager
def one_thread_each() -> Iterator[None]:
    """For processes that are started in the block; the variables are afterwards as they were."""
    set_here = [name for name in VARIABLES if name not in os.environ]
    use_one_thread()
    try:
        yield
    finally:
        for name in set_here:
            os.environ.pop(name, None)

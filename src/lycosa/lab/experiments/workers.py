"""Work shared out to several processes that end with the one that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from lycosa.lab.experiments.threads import one_thread_each
from lycosa.model.errors import LycosaError

Order = TypeVar("Order")
Answer = TypeVar("Answer")


def carried_out(
    orders: Sequence[Order], carry_out: Callable[[Order], Answer], workers: int
) -> Iterator[Answer]:
    """Carry out orders; yields the answers in the order in which they come.

    Interrupted once, it begins no more orders and waits for those at work; interrupted again, it ends them. Raises
    `LycosaError` if a process dies.
    """
    if workers <= 1 or len(orders) <= 1:
        yield from map(carry_out, orders)
        return
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(orders)), mp_context=spawn, initializer=_begin)
    try:
        with one_thread_each():  # the first order starts all processes
            waiting: set[Future[Answer]] = {pool.submit(carry_out, order) for order in orders}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    except BrokenProcessPool:
        raise LycosaError(
            "a process that crawled died (out of memory?); what is finished is kept: "
            "run the same command again, with fewer --workers"
        ) from None
    finally:
        _close(pool)


def _close(pool: ProcessPoolExecutor) -> None:
    try:
        pool.shutdown(wait=True, cancel_futures=True)
    except KeyboardInterrupt:
        for process in multiprocessing.active_children():
            process.terminate()
        raise


def _begin() -> None:
    """Leave Ctrl-C to the process that gives the orders, and end when it does, however that happens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()

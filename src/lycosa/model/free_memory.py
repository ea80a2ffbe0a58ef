"""Memory that a crawl does not use any more goes back to the system."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final


def _trimming() -> Callable[[int], int] | None:
    """glibc's `malloc_trim`; None where there is another C library."""
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    return trim


_TRIM: Final = _trimming()


def give_back() -> bool:
    """Give memory that is free between blocks in use back to the system, which `free` of glibc does only at the end of
    the heap. Returns whether anything was given back: never where there is another C library.

    It takes some 3 milliseconds for 400 MB.
    """
    return _TRIM is not None and bool(_TRIM(0))

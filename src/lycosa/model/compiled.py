"""Compiled forms of a few modules (`native` in the source), where they could be built.

Each has its twin in Python, which says the same and is used where there is none. `LYCOSA_PURE=1` in the environment
asks for Python's.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType
from typing import Final

PURE: Final = bool(os.environ.get("LYCOSA_PURE"))
"""Whether Python is to do all."""


def compiled(name: str) -> ModuleType | None:
    """The compiled module of this name; None if there is none here or none is wanted."""
    if PURE:
        return None
    try:
        return import_module(name)
    except ImportError:
        return None

"""Compiled forms of a few modules (`native` in the source), where they could be built.

Each has its twin in Python, which says the same and is used where there is none, or where what is there was built
of another source than the one beside it. `LYCOSA_PURE=1` in the environment asks for Python's.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final
from zlib import crc32

PURE: Final = bool(os.environ.get("LYCOSA_PURE"))
"""Whether Python is to do all."""
_NATIVE = Path(__file__).parents[3] / "native"
"""The sources, in a checkout. An installed package has none."""


def compiled(name: str) -> ModuleType | None:
    """The compiled module of this name; None if there is none here or none is wanted."""
    return compiled_or_why_not(name)[0]


def compiled_or_why_not(name: str) -> tuple[ModuleType | None, str]:
    """The compiled module of this name, or None and the reason."""
    if PURE:
        return None, "LYCOSA_PURE is set"
    try:
        module = import_module(name)
    except ImportError:
        return None, "it was not built: there was no C compiler"
    source = _NATIVE / f"{name.rpartition('._')[2]}.c"
    if source.exists() and crc32(source.read_bytes()) != getattr(module, "SOURCE", None):
        return None, "it was built of another source: python tools/build_native.py builds it anew"
    return module, ""

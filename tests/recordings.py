"""The index lines of the recorded webs, which are not part of the project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

WEBS = {"boost-www": 4_819, "uci-ics-10k": 10_000, "webkb": 8_213, "wikispeedia": 4_604}
"""How many records each has."""
RECORDS = sum(WEBS.values())


def recorded(shared: Path) -> Iterator[tuple[str, str]]:
    """The key and the URL of each record of these webs; others that lie beside them are left alone."""
    for web in WEBS:
        for line in (shared / "webs" / web / "web.cdxj").read_text("utf-8").splitlines():
            key, _, fields = line.split(" ", 2)
            yield key, json.loads(fields)["url"]

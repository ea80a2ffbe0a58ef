"""What a class promises at its head is the name of a test that holds it to it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import lycosa

HOME = Path(lycosa.__file__).parent
TESTS = Path(__file__).parents[1]
ROOMS = ("archive", "crawl", "drive", "frontier", "model", "read", "sources", "store", "web")

BEGIN = re.compile(r"\bInvariants?\b")
PROMISE = re.compile(r"^\* (?:([^:\n]+):)?", re.MULTILINE)
TEST = re.compile(r"^\s*(?:async )?def (test_\w+)", re.MULTILINE)
NO_WORD = re.compile(r"[^a-zα-ω0-9]+")


def promises(room: str) -> Iterator[tuple[str, str]]:
    """Each invariant of a room that has a name: where it stands, and the name."""
    for file in sorted((HOME / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            begin = BEGIN.search(manual := ast.get_docstring(node) or "")
            if begin is None:
                continue
            where = f"{file.relative_to(HOME)}: {getattr(node, 'name', 'module')}"
            found = PROMISE.findall(manual[begin.start() :]) or ["(no list follows)"]
            yield from ((where, name) for name in found if name)


@cache
def known_tests() -> frozenset[str]:
    return frozenset(
        name for file in TESTS.rglob("test_*.py") for name in TEST.findall(file.read_text("utf-8"))
    )


@pytest.mark.parametrize("room", ROOMS)
def test_every_invariant_is_the_name_of_a_test(room: str) -> None:
    known = known_tests()
    broken = [
        f"{where}: {name!r} is in the name of no test"
        for where, name in promises(room)
        if not any(NO_WORD.sub("_", name.lower()).strip("_") in test for test in known)
    ]
    assert not broken, "\n".join(broken)

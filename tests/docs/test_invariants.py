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
ROOMS = sorted({file.relative_to(HOME).parts[0] for file in HOME.rglob("*.py")})
"""The packages of lycosa, and the modules beside them."""

BEGIN = re.compile(r"\bInvariants?\b")
PROMISE = re.compile(r"^\* (.+?)(?::\s|\.?$(?!\n  ))", re.MULTILINE | re.DOTALL)
"""A point of a list: up to its colon, or all of it."""
ROOM = re.compile(r"\blycosa\.(\w+)\b")
TEST = re.compile(r"^\s*(?:async )?def (test_\w+)", re.MULTILINE)
SPAN = re.compile(r"\[(\d+), (\d+)\]")
NO_WORD = re.compile(r"[^a-zα-ω0-9]+")


def promises(room: str) -> Iterator[tuple[str, str]]:
    """Each invariant of a room: where it stands, and its name."""
    place = HOME / room
    for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
        text = file.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if BEGIN.search(text) else ():
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            begin = BEGIN.search(manual := ast.get_docstring(node) or "")
            if begin is None:
                continue
            where = f"{file.relative_to(HOME)}: {getattr(node, 'name', 'module')}"
            found = PROMISE.findall(manual[begin.start() :]) or ["(no list follows)"]
            yield from ((where, name) for name in found)


def as_name(words: str) -> str:
    """The words as they stand in the name of a function."""
    plain = SPAN.sub(r"\1 to \2", words.lower().replace("'", ""))
    return f"_{NO_WORD.sub('_', plain).strip('_')}_"


@cache
def files_of_tests() -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    """Of each file the rooms that it names, and its tests."""
    texts = [file.read_text("utf-8") for file in sorted(TESTS.rglob("test_*.py"))]
    return tuple((frozenset(ROOM.findall(text)), tuple(TEST.findall(text))) for text in texts)


def names_of_tests(room: str) -> tuple[str, ...]:
    """The tests that may keep a room's promises: those of the files that import from it."""
    known = room.removesuffix(".py")
    return tuple(f"{name}_" for rooms, names in files_of_tests() if known in rooms for name in names)


@pytest.mark.parametrize("room", ROOMS)
def test_every_invariant_is_the_name_of_a_test(room: str) -> None:
    names = names_of_tests(room)
    broken = [
        f"{where}: {name!r} is in the name of no test"
        for where, name in promises(room)
        if not any(as_name(name) in test for test in names)
    ]
    assert not broken, "\n".join(broken)


def test_promises_are_read_up_to_their_colon_or_whole() -> None:
    """A list of promises is one of names: nothing of it is passed over."""
    assert PROMISE.findall(
        "* one state: never two.\n* the order of\n  words does not matter.\n* γ = 0: x"
    ) == [
        "one state",
        "the order of\n  words does not matter",
        "γ = 0",
    ]
    assert as_name("a page's\n  likeness, in [0, 1]") == "_a_pages_likeness_in_0_to_1_"

"""What the laboratory promises in a docstring is the name of a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIST = re.compile(
    r"Invariants?, (?:each )?the name of a (?:property )?test:(.*?)\n\s*(?:\n\s*[^\s*]|\"\"\")", re.DOTALL
)
PROMISES = [
    pytest.param(name, id=f"{file.stem}: {name}")
    for file in sorted((ROOT / "src" / "lycosa" / "lab").glob("*.py"))
    for listed in LIST.findall(file.read_text("utf-8"))
    for name in re.findall(r"(?:^\s*\*?|^) ([^\n:.]+)[:.]", listed, re.MULTILINE)
]
TESTS = {
    name
    for file in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)
}


def test_promises_are_found() -> None:
    assert len(PROMISES) >= 20


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_is_the_name_of_a_test(promise: str) -> None:
    assert "test_" + re.sub(r"\W+", "_", promise.strip().lower()) in TESTS

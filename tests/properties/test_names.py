"""Texts that are known by number."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.strategies.parts import names as names_module
from lycosa.strategies.parts.names import InOrder, Names, PythonNames, no_names, run_of

said = st.text(st.characters(exclude_characters="\n"), max_size=20) | st.sampled_from(
    ["", "http://a.example/", "http://a.example/b", "\ud800", "reef\u8336", "x" * 300]
)
lists = st.lists(said, max_size=200)


def whole(names: Names) -> list[str]:
    return names.between(0, len(names))


@given(lists, lists, said)
def test_numbered_as_by_a_dictionary(first: list[str], then: list[str], one: str) -> None:
    """Many at once and one by one, those that are new and those that are not, and as many as make the table grow."""
    names, expected = no_names(), PythonNames()
    for some in (first, then, [f"{name}/{number}" for number, name in enumerate(then)]):
        assert names.numbers(some) == expected.numbers(some)
        assert names.enter_all(some) == expected.enter_all(some)
        assert names.numbers(some) == expected.numbers(some)
        assert whole(names) == expected.names
    assert (names.number(one), names.enter(one), names.number(one)) == (
        expected.number(one),
        expected.enter(one),
        expected.number(one),
    )
    assert len(names) == len(expected)
    assert bytes(run_of(names)) == run_of(expected)


@given(lists)
def test_loaded_as_saved(some: list[str]) -> None:
    """An empty name alone is none, as no URL is empty."""
    for names, again in ((no_names(), no_names()), (PythonNames(), PythonNames())):
        names.enter_all(some)
        again.load(run_of(names))
        assert whole(again) == (whole(names) if set(some) != {""} else [])
        assert again.numbers(some) == (names.numbers(some) if set(some) != {""} else again.numbers(some))


@given(lists, st.integers(-9, 9), st.integers(-9, 9))
def test_in_order(some: list[str], first: int, end: int) -> None:
    names = no_names()
    names.enter_all(some)
    expected, found = list(dict.fromkeys(some)), InOrder[str](names)
    assert [*found] == expected
    assert found[first:end] == expected[first:end]
    assert found[first:] == expected[first:]
    for each in (names, PythonNames()):
        each.enter_all(some)
        places = np.arange(len(expected))[::-2].copy()
        assert each.at(places) == expected[::-2]
        for wrong in (-1, len(expected)):
            with pytest.raises(IndexError):
                each.at(np.array([wrong]))
    assert [found[place] for place in range(-len(expected), len(expected))] == expected * 2
    with pytest.raises(IndexError):
        found[len(expected)]
    with pytest.raises(IndexError):
        found[-len(expected) - 1]


@pytest.mark.parametrize("compiled", [True, False])
def test_what_cannot_be(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not compiled:
        monkeypatch.setattr(names_module, "_HUNTING", None)
    names = no_names()
    assert isinstance(names, PythonNames) is (not compiled or names_module._HUNTING is None)
    names.enter("a")
    for first, end in ((-1, 1), (0, 2), (1, 0)):
        with pytest.raises(IndexError):
            names.between(first, end)
    with pytest.raises(ValueError, match="already"):
        names.load(b"b")
    assert array("q", names.numbers(["a", "b"])).tolist() == [0, -1]


@pytest.mark.skipif(names_module._HUNTING is None, reason="nothing is compiled here")
def test_what_is_being_read_does_not_change() -> None:
    names: Any = no_names()
    names.enter("a")
    with memoryview(run_of(names)) as run:
        assert names.enter("a") == 0
        with pytest.raises(BufferError):
            names.enter("b")
        assert bytes(run) == b"a"
    assert names.enter("b") == 1
    for wrong in (lambda: names.numbers(("a",)), lambda: names.number(b"a"), lambda: names.numbers([1])):
        with pytest.raises(TypeError):
            wrong()

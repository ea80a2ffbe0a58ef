"""The rooms of the package, and what may lie beside them."""

from __future__ import annotations

from pathlib import Path

import lycosa

HOME = Path(lycosa.__file__).parent
BESIDE_THE_ROOMS = {"__init__.py", "__main__.py", "api.py", "strategy.py"}


def test_nothing_lies_loose_beside_the_rooms() -> None:
    assert {file.name for file in HOME.glob("*.py")} <= BESIDE_THE_ROOMS


def test_every_room_says_what_it_is_for() -> None:
    silent = [
        folder.relative_to(HOME)
        for folder in (file.parent for file in HOME.rglob("*.py"))
        if not (folder / "__init__.py").is_file()
        or not (folder / "__init__.py").read_text("utf-8").startswith('"""')
    ]
    assert not silent

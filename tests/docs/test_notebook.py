"""The tutorial as a notebook: every cell runs, in order, in one namespace, within an event loop."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("pandas", reason="pandas is not installed: pip install 'lycosa[pandas]'")


class Shown(HTMLParser):
    """Which elements an HTML representation has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)


async def run(cell: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; the value of its last line."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    for part, mode in ((tree, "exec"), (last and ast.Expression(last.value), "eval")):
        if part is not None:
            value = eval(compile(part, "cell", mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
            if inspect.iscoroutine(value):
                value = await value
    return value if last is not None else None


def test_all_cells_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "docs" / "tutorial.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}

    async def work() -> list[Any]:
        shown = []
        for cell in cells:
            value = await run(cell, names)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else value)
            if "lycosa.serve" in cell:
                answered = await asyncio.to_thread(httpx.get, f"{value.url}healthz")
                assert answered.text == "ok\n"
        return shown

    shown = asyncio.run(work())
    tags = Shown(shown[0]).tags
    assert {"svg", "polyline", "table"} <= set(tags)
    assert "script" not in tags
    assert shown[1][0] == 60
    assert any("Dinosaur" in str(row) for row in shown[4])
    assert {"good": 1, "bad": 0, "waiting": 0} in shown

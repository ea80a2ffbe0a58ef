"""The manual as a site: it builds strictly, every page has its place in it, and nothing comes from another host."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from docs.make_site import BESIDE, DOCS, ROOT, SITE, for_the_site


def pages_in(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            for under in entry.values():
                yield from pages_in(under if isinstance(under, list) else [under])


def test_every_page_of_the_manual_has_one_place_in_the_navigation() -> None:
    nav = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
    named = [page for page in pages_in(nav) if not page.startswith(f"{BESIDE}/")]
    assert sorted(named) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize(
    ("page", "part"),
    [
        ("docs/explanation/design.md", "](../project/benchmarks/README.md)"),
        ("CONTRIBUTING.md", "](../explanation/design.md)"),
        ("docs/tutorial.md", '```text title="output"\n'),
        ("docs/how-to/run-an-experiment.md", '```toml title="first.toml"\n'),
    ],
)
def test_links_and_code_blocks_fit_the_site(page: str, part: str) -> None:
    assert part in for_the_site(ROOT / page)


def test_it_builds_strictly() -> None:
    """The script itself refuses broken links, and pages that load something from another host."""
    done = subprocess.run(
        [sys.executable, DOCS / "make_site.py"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (SITE / "strategies" / "hunter.html").is_file()

"""The options of crawls, their help and what they come to are what they were when somebody last looked at them."""

from __future__ import annotations

from tests.golden.command_lines import FILE, text


def test_options_are_the_reviewed_ones() -> None:
    """If a change is meant: python -m tests.golden.command_lines, and read the difference before you commit it."""
    assert text().splitlines() == FILE.read_text(encoding="utf-8").splitlines()

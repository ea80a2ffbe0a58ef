"""The main text of a page: without menus, side columns, share bars and comments, with its structure."""

from __future__ import annotations

from lycosa.read.main.about import About
from lycosa.read.main.main_text import MainText, main_text

__all__ = ["About", "MainText", "main_text"]

"""The main text of a page: without menus, side columns, share bars and comments, with its structure."""

from __future__ import annotations

from lycosa.read.main.main_text import main_text
from lycosa.read.said import About, MainText

__all__ = ["About", "MainText", "main_text"]

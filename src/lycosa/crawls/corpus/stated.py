"""The columns of a row that come with a page's main text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lycosa.read.said import MainText


def main_columns(found: MainText, *, markdown: bool) -> Mapping[str, Any]:
    """The main text, or that as Markdown, and what the page says of itself. Where no language is told, that column
    stays as the journal has it."""
    about = found.about
    told = {"language": about.language} if about.language else {}
    return {
        "text": found.markdown if markdown else found.text,
        "authors": about.authors,
        "published": about.published,
        "modified": about.modified,
        "site_name": about.site_name,
        "canonical": about.canonical,
        "alternates": tuple(f"{language} {url}" for language, url in about.alternates),
        "licences": about.licences,
        "language_confidence": about.language_confidence,
        "kind": about.kind,
        "boilerplate": round(1 - found.share, 4),
        **told,
    }

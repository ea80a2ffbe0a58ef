"""Pages that are made by their scripts: without a browser there is hardly anything on them."""

from __future__ import annotations

from typing import Final

from lycosa.read.markup import parsed

FEW_WORDS: Final = 25
"""A page with as many words says something without its scripts."""
_ROOTS: Final = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #react-root, #svelte, #app-root, "
    "app-root, [ng-app], [data-reactroot]"
)
"""Where the usual frameworks put what they make."""


def needs_script(source: str, text: str) -> bool:
    """Whether a page of hardly any text would have more in a browser. `source` is `tamed`.

    It has scripts, and either no text at all, or a `<noscript>` that asks for JavaScript, or an empty element where a
    framework would put the page.
    """
    if len(text.split(None, FEW_WORDS)) >= FEW_WORDS or "<script" not in source.lower():
        return False
    tree = parsed(source)
    if tree.css_first("script") is None:
        return False
    if not text or any("javascript" in node.text().lower() for node in tree.css("noscript")):
        return True
    return any(not node.text().strip() for node in tree.css(_ROOTS))

"""HTML put together from text that may be hostile: everything is escaped here, and only here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from lycosa.report.wording import clean, cut, is_shown

LONGEST, LONGEST_URL = 2_000, 8_000
"""Characters of a text of the web, and of a URL that is a link."""


class Html(str):
    """Text that is HTML already. Anything else is escaped when it is put into an element."""

    __slots__ = ()


Child = str | Iterable[str]


def element(tag: str, *children: Child, **attributes: str) -> Html:
    """An element. A trailing underscore of an attribute's name is dropped, others become hyphens."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_safe(value)}"' for name, value in attributes.items()
    )
    return Html(f"<{tag}{written}>{joined(*children)}</{tag}>")


def joined(*children: Child) -> Html:
    """Children one after the other, escaped where they are not HTML."""
    parts = (child if isinstance(child, str) else joined(*child) for child in children)
    return Html("".join(part if isinstance(part, Html) else _safe(part) for part in parts))


def words(text: str) -> Html:
    """Text of the web: isolated, so that its writing direction stays its own, and never of more than `LONGEST`
    characters."""
    return element("bdi", clean(cut(text, LONGEST)))


def link(url: str, text: str = "") -> Html:
    """A link, if the URL is one of the web; anything else (`javascript:` for one) is shown as mere text."""
    shown = words(text or url)
    if len(url) > LONGEST_URL or not url.lower().startswith(("http://", "https://")):
        return shown
    return element("a", shown, href=url, rel="noopener noreferrer nofollow")


def table(heads: Iterable[str], rows: Iterable[Iterable[Child]], numbers: Iterable[int] = ()) -> Html:
    """A table; the columns in `numbers` are aligned to the right."""
    right = frozenset(numbers)

    def cells(tag: str, row: Iterable[Child]) -> Html:
        return joined(
            element(tag, child, class_="number") if place in right else element(tag, child)
            for place, child in enumerate(row)
        )

    head = element("thead", element("tr", cells("th", heads)))
    body = element("tbody", (element("tr", cells("td", row)) for row in rows))
    return element("div", element("table", head, body), class_="wide")


def bar(share: float) -> Html:
    """A bar as long as the share, which is in [0, 1]."""
    length = 100 * min(1.0, max(0.0, share))
    return element("span", element("i", style=f"width:{length:.1f}%"), class_="bar", aria_hidden="true")


def _safe(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        text = "".join(c for c in text if c in "\n\t" or is_shown(c))
    return escape(text, quote=True)

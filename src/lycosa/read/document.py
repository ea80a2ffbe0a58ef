"""What reading a page gives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from lycosa.model.records import Link, Millis, Record
from lycosa.model.rights import Rights
from lycosa.model.url import Url


class Document(Record, frozen=True, kw_only=True, dict=True):
    """A page as read from its bytes alone. The same bytes always give the same document.

    Invariants, each the name of a property test:

    * one line a block: `text` has no empty line, and no white space but single blanks and the ends of lines.
    * union of blocks: `content` and `boilerplate` together have exactly the lines of `text`, each in its order.
    """

    url: Url
    """The page's own URL, as given to `read`."""
    base: Url
    """What relative links are resolved against: the first `<base href>`, else the page's URL."""
    title: str = ""
    """`<title>`, or the first heading where there is none."""
    description: str = ""
    headings: tuple[str, ...] = ()
    """The texts of h1 to h6, in order."""
    text: str = ""
    """All the words of the page, title apart: one block of text (paragraph, item, cell, heading) a line."""
    content_lines: tuple[bool, ...] = ()
    """Which lines of `text` are content; the others are boilerplate."""
    nav_lines: tuple[int, ...] = ()
    """Which of them, from 0 and ascending, stand in navigation or are mostly links: boilerplate, and not only because
    it is short."""
    language: str = ""
    """ISO 639-1 (639-3 where there is no code of two letters), empty if unknown."""
    charset: str = ""
    """The codec with which the bytes were read; the name of a Python codec."""
    links: tuple[Link, ...] = ()
    """In document order; see `lycosa.read.html.read` for what counts as a link."""
    places: tuple[int, ...] = ()
    """Where in `text` each of the links begins, in characters; -1 for one that does not stand in it."""
    noindex: bool = False
    nofollow: bool = False
    """The page asks that none of its links be followed; each of them carries the flag as well."""
    rights: Rights = ()
    """What the page itself says of its use."""
    feed: Url | None = None
    """The first feed that the page names: `<link rel=alternate>` of the type of RSS, Atom or JSON Feed."""
    dated: tuple[tuple[Url, Millis], ...] = ()
    """Of a feed, the targets of its items that have a date, and when they changed last."""
    alternates: tuple[tuple[str, Url], ...] = ()
    """Its copies in other languages, as it names them, itself among them as a rule (`<link rel=alternate hreflang>`):
    language tag in lower case, or `x-default`, and where it is; at most 50."""
    canonical_url: Url | None = None
    """What the page calls its own canonical address (RFC 6596)."""
    terms: Mapping[str, int] = {}
    """Counts of the stemmed words of title and text, English stop words left out."""
    fingerprint: int = 0
    """64-bit simhash of `terms`."""
    unread: str = ""
    """Why there is nothing of a page that should have text: a PDF that needs a password, or is damaged."""
    needs_script: bool = False
    """There is hardly any text, and scripts that would make it: see `lycosa.read.scripted`."""

    markup: str = ""
    """Of HTML, what was read, decoded: `main` is made of it."""

    @cached_property
    def main(self) -> str:
        """The main text: see `lycosa.read.main.main_text`, which tells more. It is made when it is asked for, of the
        page's boxes; of what is not HTML it is the `content`."""
        from lycosa.read.boxes.main import main_of
        from lycosa.read.markup import parse

        return main_of(parse(self.markup).root).text if self.markup else self.content or self.text

    @cached_property
    def content(self) -> str:
        """The lines of `text` that are no boilerplate, each judged by itself: not in navigation, a header or a footer,
        not short, and not mostly links. What crawls compare and count goes by it."""
        return self._lines(content=True)

    @cached_property
    def boilerplate(self) -> str:
        """The lines of `text` that `content` leaves out."""
        return self._lines(content=False)

    @cached_property
    def digest(self) -> str:
        """Equal for pages whose words are exactly the same. 32 hexadecimal digits."""
        from lycosa.crawl.sketch import exact  # with numpy, which a page's text can do without

        return exact(self.text)

    def _lines(self, *, content: bool) -> str:
        lines = self.text.split("\n") if self.text else []
        chosen = zip(lines, self.content_lines, strict=True)
        return "\n".join(line for line, is_content in chosen if is_content == content)

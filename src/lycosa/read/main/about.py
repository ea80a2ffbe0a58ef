"""What a page says of itself: title, authors, dates, site, licence, language, kind.

What is stated in fields comes first, then what stands in the markup of plain HTML, then what a reader would see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.model.url import Url
from lycosa.read.language import language_tag, told
from lycosa.read.main.clues import ALL, DEED, NAMES, REL, Sought, selector
from lycosa.read.main.dates import in_url, iso, spoken
from lycosa.read.main.stated import Stated, stated, words_of
from lycosa.read.resolve import LinkResolver
from lycosa.read.said import About
from lycosa.read.walk import FEED_TYPES, MAX_ALTERNATES

MAX_AUTHORS: Final = 20
MAX_LICENCES: Final = 20
_LONGEST_NAME: Final = 80
_LONGEST_BYLINE: Final = 200
_LOOKED_AT: Final = 1_000
"""Characters of an element that may name somebody or a date."""


def _words(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


_ARTICLES: Final = frozenset(
    _words(
        """Article NewsArticle ReportageNewsArticle OpinionNewsArticle AnalysisNewsArticle ReviewNewsArticle
        BlogPosting LiveBlogPosting SocialMediaPosting DiscussionForumPosting ScholarlyArticle TechArticle Report Recipe
        Review Book Product Event QAPage Question HowTo FAQPage Course Dataset SoftwareApplication VideoObject
        Person CreativeWork"""
    )
)
_PAGES: Final = _words("WebPage ItemPage ProfilePage AboutPage ContactPage CollectionPage WebSite")
_TITLE: Final = _words("og:title citation_title dc.title dcterms.title twitter:title")
_AUTHORS: Final = _words("citation_author author dc.creator dcterms.creator parsely-author article:author")
_PUBLISHED: Final = _words(
    """article:published_time og:published_time citation_publication_date citation_date dcterms.created dcterms.issued
    dc.date.issued dc.date dcterms.date date pubdate publishdate publish_date publish-date parsely-pub-date
    sailthru.date"""
)
_MODIFIED: Final = _words(
    "article:modified_time og:updated_time dcterms.modified dc.date.modified last-modified lastmod revised"
)
_BY = re.compile(
    r"\s*(?:(?:written|posted|published|words|story)\s+)?(?:by|von|par|por|di)\b:?\s+", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s*(?:,|;|\||&|\band\b|\bund\b|\bet\b)\s*")
_NO_NAME = re.compile(
    r"https?:|www\.|@|\d{2}|[()*<>{}=/]|\bago\b|^(?:admin|administrator|editor|staff|webmaster|author|unknown|null)$",
    re.IGNORECASE,
)


def about(tree: LexborHTMLParser, url: Url, base: Url, text: str, there: int = ALL) -> tuple[About, str]:
    """What a page says of itself, and the text of the article if it is a field too. Relative links are
    seen from `base`; `text` is the main text, `there` the clues of the tree."""
    found = stated(tree, there)
    seen = _Seen(tree, LinkResolver(base), there)
    kind = _kind(found)
    code, confidence = told(text, seen.language or found.meta.get("content-language", ""))
    said = About(
        title=_title(found, kind, seen),
        authors=_authors(found, kind, seen.authors),
        published=_date(found, f"{kind}.datePublished", "datePublished", _PUBLISHED)
        or seen.time
        or in_url(url)
        or seen.byline_date,
        modified=_date(found, f"{kind}.dateModified", "dateModified", _MODIFIED),
        site_name=found.first("og:site_name", "WebSite.name", f"{kind}.publisher.name", "application-name"),
        canonical=seen.canonical,
        alternates=tuple(seen.alternates),
        licences=_licences(found, seen.licences),
        language=code,
        language_confidence=confidence,
        kind=kind or found.first("og:type"),
        fields=found.fields,
    )
    return said, max(found.bodies, key=len, default="")


class _Seen:
    """What stands in plain HTML: one look at the elements that may say something."""

    def __init__(self, tree: LexborHTMLParser, resolver: LinkResolver, there: int = ALL) -> None:
        self.title = self.heading = self.language = ""
        self.time = self.byline_date = ""
        self.canonical: Url | None = None
        self.alternates: list[tuple[str, Url]] = []
        self.licences: list[str] = []
        self.authors: list[str] = []
        self._resolver = resolver
        for node in tree.css(selector(_TELLING, there)):
            _TELLERS.get(node.tag or "", _Seen._byline)(self, node)

    def _html(self, node: LexborNode) -> None:
        self.language = node.attributes.get("lang") or node.attributes.get("xml:lang") or ""

    def _title(self, node: LexborNode) -> None:
        self.title = self.title or words_of(node, _LOOKED_AT, " ")

    def _heading(self, node: LexborNode) -> None:
        self.heading = self.heading or words_of(node, _LOOKED_AT, " ")

    def _link(self, node: LexborNode) -> None:
        attributes = node.attributes
        relations = (attributes.get("rel") or "").lower().split()
        href = attributes.get("href") or ""
        if "author" in relations and node.tag == "a":
            self._byline(node)
        if "canonical" in relations and self.canonical is None:
            self.canonical = self._resolver.resolve(href)
        if "alternate" in relations and (written := attributes.get("hreflang")):
            self._alternate(written, href, attributes.get("type") or "")
        if ("license" in relations or _is_deed(href)) and len(self.licences) < MAX_LICENCES:
            self.licences.append(self._resolver.resolve(href) or "")

    def _alternate(self, written: str, href: str, media_type: str) -> None:
        language, target = language_tag(written), self._resolver.resolve(href)
        is_feed = media_type.strip().lower() in FEED_TYPES
        if language and target is not None and not is_feed and len(self.alternates) < MAX_ALTERNATES:
            self.alternates.append((language, target))

    def _time(self, node: LexborNode) -> None:
        self.time = self.time or iso(node.attributes.get("datetime") or words_of(node, _LOOKED_AT, " "))

    def _byline(self, node: LexborNode) -> None:
        """What names somebody, or a day, or both."""
        text = words_of(node, _LOOKED_AT, " ")
        if not text or len(text) > _LONGEST_BYLINE:
            return
        self.byline_date = self.byline_date or spoken(text)
        names = f"{node.attributes.get('class')} {node.attributes.get('rel')}".lower()
        if (
            ("author" in names or "byline" in names)
            and "comment" not in names
            and len(self.authors) < MAX_AUTHORS
        ):
            self.authors.append(text)


_TELLING: Final[Sought] = (
    *(("", each) for each in ("html", "head > title", "link[rel]", "h1")),
    ("time", "time"),
    *((REL, f"a[rel~={name}]") for name in ("license", "author")),
    (DEED, f"a[href*='{DEED}']"),
    *((name, f"[class*={name}]") for name in NAMES),
)
_TELLERS: Final[dict[str, Callable[[_Seen, LexborNode], None]]] = {
    "html": _Seen._html,
    "title": _Seen._title,
    "h1": _Seen._heading,
    "time": _Seen._time,
    **dict.fromkeys(("a", "link"), _Seen._link),
}


def _is_deed(href: str) -> bool:
    return "creativecommons.org/licenses/" in href or "creativecommons.org/publicdomain/" in href


def _kind(found: Stated) -> str:
    """The type of what the page is about: an article before a page, and a page before a site."""
    types = found.types
    return next((each for each in types if each in _ARTICLES), "") or next(
        (each for each in types if each in _PAGES), ""
    )


def _title(found: Stated, kind: str, seen: _Seen) -> str:
    """The headline of a field; else a heading that is part of `<title>`; else `<title>`."""
    named = f"{kind}.name" if kind in _ARTICLES else ""
    if said := found.first(f"{kind}.headline", *_TITLE, named):
        return said
    if seen.heading and seen.heading in seen.title:
        return seen.heading
    return seen.title or seen.heading


def _author_fields(kind: str) -> Iterator[str]:
    for path in (kind, f"{kind}.mainEntity"):
        yield from (f"{path}.author.name", f"{path}.author", f"{path}.creator.name", f"{path}.creator")
    yield from _AUTHORS


def _authors(found: Stated, kind: str, bylines: Iterable[str]) -> tuple[str, ...]:
    """The names of the first place that has some: those of one field, or of one byline."""
    for written in chain(found.each(_author_fields(kind)), ((byline,) for byline in bylines)):
        if names := tuple(dict.fromkeys(_names(written)))[:MAX_AUTHORS]:
            return names
    return ()


def _names(told: Iterable[str]) -> Iterator[str]:
    for text in told:
        by = _BY.match(text)
        for part in _BETWEEN.split(text[by.end() :] if by else text):
            name = part.strip(" .-–—|·•")
            if 2 < len(name) <= _LONGEST_NAME and len(name.split()) <= 6 and not _NO_NAME.search(name):
                yield name


def _date(found: Stated, own: str, name: str, others: tuple[str, ...]) -> str:
    """The first of the fields that is a date: of the page's own type, of any page, and in OpenGraph and the like."""
    for values in found.each((own, *(f"{kind}.{name}" for kind in _PAGES), *others)):
        if values[0] and (at := iso(values[0])):
            return at
    return ""


def _licences(found: Stated, linked: Iterable[str]) -> tuple[str, ...]:
    names = [name for name in found.kept if name.endswith((".license", "dcterms.license", "dc.rights"))]
    stated_ones = chain.from_iterable(found.each(names))
    return tuple(each for each in dict.fromkeys([*linked, *stated_ones]) if each)[:MAX_LICENCES]

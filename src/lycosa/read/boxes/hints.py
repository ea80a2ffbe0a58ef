"""What an element's tag, role, class and id say of it: that it is content, or that it stands beside the content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

CONTENT, NAVIGATION, FOOT, SIDE = "content", "navigation", "foot", "side"
"""What a box may be named: the text itself, a means to go elsewhere, the end of the page, or something beside the text:
comments, teasers, advertisements, what is not shown."""
_LONGEST: Final = 1_000
"""Characters of names that are looked at."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_BY_TAG: Final = {
    **dict.fromkeys(("nav", "aside", "footer", "dialog", "menu"), NAVIGATION),
    **dict.fromkeys(("article", "main"), CONTENT),
    "figcaption": SIDE,
}
_ROLES: Final = _words(
    """navigation banner contentinfo complementary search menu menubar dialog alert alertdialog toolbar tablist"""
)
_SIDE_WORDS: Final = _words(
    """share sharing shares sharebar social sociable rating ratings reactions
    comment comments disqus respond
    related recommended recommendations recirc trending popular teaser teasers readmore more
    promo promoted promotion ad ads advert adverts advertisement advertising sponsor sponsored dfp taboola outbrain
    newsletter subscribe subscription signup login signin register search
    cookie cookies consent gdpr banner popup modal overlay widget widgets
    tags taglist tagcloud byline author bio credit credits metadata meta timestamp dateline caption
    hidden print noprint"""
)
_NAVIGATION_WORDS: Final = _words(
    """nav navbar navigation navi menu menubar submenu topmenu sidebar sidenav topbar toolbar masthead breadcrumb
    breadcrumbs pagination pager skip toc"""
)
_CONTENT_NAMES = re.compile(
    r"(?:article|entry|post|story|news)[-_]*(?:body|content|text|main|copy)|content[-_]?(?:body|main|area|text)"
    r"|body[-_]?(?:text|copy)|rich[-_]?text|(?:^|\s)(?:hentry|post|entry|story|article)(?:$|\s)"
    r"|(?:^|\s)(?:main|content|page|primary)(?:$|[-_\s](?:content|text|body|column|area))",
    re.IGNORECASE,
)
_TELLING: Final = _words("role itemprop hidden aria-hidden style")
"""Attributes that tell more than a name."""
_POST = re.compile(r"(?:^|\s)(?:hentry|h-entry|type-(?:post|page))(?:$|\s)")
"""What the usual systems call a whole text. Other names that stand beside it tell of its subjects, tags and author."""
_SPLIT = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
_UNSHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)


def hint(tag: str, attributes: Mapping[str, str | None]) -> str:
    """One of the four, or empty."""
    told = _BY_TAG.get(tag, "")
    if not attributes or told not in ("", CONTENT):
        return told
    if not _TELLING.isdisjoint(attributes):
        role = (attributes.get("role") or "").lower()
        if role in _ROLES:
            return NAVIGATION
        if _is_unshown(attributes):
            return SIDE
        if role in ("main", "article") or "articleBody" in (attributes.get("itemprop") or ""):
            return CONTENT
    classes, identity = attributes.get("class"), attributes.get("id")
    return told or (named(f"{classes or ''} {identity or ''}"[:_LONGEST]) if classes or identity else "")


def _is_unshown(attributes: Mapping[str, str | None]) -> bool:
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    style = attributes.get("style")
    return style is not None and _UNSHOWN.search(style) is not None


@lru_cache(maxsize=4096)
def named(names: str) -> str:
    """What class and id say, with a blank between; the pages of a site share them."""
    if _POST.search(names):
        return CONTENT
    words = {word.lower() for word in _SPLIT.split(names)}
    if "footer" in words:
        return FOOT
    if not words.isdisjoint(_NAVIGATION_WORDS):
        return NAVIGATION
    if not words.isdisjoint(_SIDE_WORDS):
        return SIDE
    return CONTENT if _CONTENT_NAMES.search(names) else ""

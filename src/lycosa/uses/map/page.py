"""A map as one HTML page that needs nothing else: a tree to fold, search, zoom and walk through."""

from __future__ import annotations

import base64
from functools import cache
from hashlib import sha256
from importlib.resources import files

import msgspec

from lycosa import __version__
from lycosa.report.markup import Html, element, joined, words
from lycosa.report.style import CSS
from lycosa.report.wording import counted
from lycosa.uses.map.places import SiteMap, tailored

MOST_PLACES = 2_000
"""Of a larger crawl the page shows the most relevant pages and the ways to them."""

SEARCH = {"id": "search", "type": "search", "placeholder": "title or URL", "aria_label": "Search"}


def as_html(whole: SiteMap, most: int = MOST_PLACES) -> str:
    """The page. What pages of the web wrote comes in as escaped JSON, and is shown as text only."""
    site = tailored(whole, most)
    script = _part("map.js")
    return f'<!DOCTYPE html>\n<html lang="en">{_head(site, script)}{_body(site, script)}</html>\n'


@cache
def _part(name: str) -> str:
    return files("lycosa.uses.map").joinpath(name).read_text(encoding="utf-8")


def _head(site: SiteMap, script: str) -> Html:
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return element(
        "head",
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        element("title", f"Map: {_called(site)} – lycosa"),
        element("style", Html(CSS + _part("map.css"))),
    )


def _called(site: SiteMap) -> str:
    return site.topic or site.site or "a crawl"


def _body(site: SiteMap, script: str) -> Html:
    return element(
        "body",
        element(
            "header",
            element("p", f"A map by lycosa · {words_of(site)}", class_="kicker"),
            element("h1", words(_called(site))),
        ),
        _tools(),
        element("main", _chart(), _details()),
        _legend(site),
        element("noscript", element("p", "This map needs JavaScript. report.html of the crawl does not.")),
        element("script", Html(_embedded(site)), type="application/json", id="places"),
        element("script", Html(script)),
    )


def words_of(site: SiteMap) -> str:
    """What the map shows, in a few words."""
    where = f" of {site.site}" if site.site else ""
    shown, of = len(site.places), site.pages
    pages = counted(shown, "page") if shown == of else f"{shown:,} of {counted(of, 'page')}"
    return f"{pages}{where}, {site.relevant:,} relevant"


def _tools() -> Html:
    buttons = (("unfold", "Unfold all"), ("fold", "Fold"), ("fit", "Fit"))
    return element(
        "div",
        element("label", element("span", "Search"), _input(**SEARCH)),
        element("span", "", id="found", class_="found", aria_live="polite"),
        element(
            "label",
            "Relevance from",
            _input(id="least", type="range", min="0", max="100", value="0"),
            element("output", "0.00", id="from", for_="least"),
        ),
        (element("button", name, id=key, type="button") for key, name in buttons),
        element("button", "−", id="smaller", type="button", aria_label="Zoom out"),
        element("button", "+", id="larger", type="button", aria_label="Zoom in"),
        class_="tools",
    )  # fmt: skip


def _input(**attributes: str) -> Html:
    """An input has no closing tag."""
    return Html(element("input", **attributes).removesuffix("</input>"))


def _chart() -> Html:
    drawing = element("svg", element("g", id="view", class_="view"), id="drawing", role="presentation")
    return element(
        "div",
        drawing,
        element("div", id="tip", class_="tip", hidden=""),
        id="chart",
        class_="chart",
        role="tree",
        tabindex="0",
        aria_label="Pages, each below the one on which it was found",
    )


def _details() -> Html:
    return element(
        "aside",
        element("h2", "", id="title"),
        element("a", "", id="link", rel="noopener noreferrer nofollow"),
        element("dl", id="facts"),
        element("p", _keys(), class_="note keys"),
        aria_label="The chosen page",
    )


def _keys() -> Html:
    told = (
        (("↑", "↓", "←", "→"), "walk and fold"),
        (("Enter",), "to the link"),
        (("/",), "search"),
        (("+", "−", "0"), "zoom, fit"),
    )
    return joined(
        joined((element("kbd", key) for key in keys), f" {what}{'' if last else ' · '}")
        for last, (keys, what) in ((number == len(told), pair) for number, pair in enumerate(told, 1))
    )


def _legend(site: SiteMap) -> Html:
    return element(
        "footer",
        element(
            "span",
            element("i", class_="high"),
            f"relevant (from {site.relevant_from:g}), the larger the more",
            element("i"),
            "other",
            element("i", class_="holds"),
            "folded, relevant pages inside",
            element("b"),
            "links of the chosen page",
            element("b", class_="in"),
            "links to it",
            class_="legend",
        ),
        element("p", f"Made by lycosa {__version__}. Relevance is the crawl's own estimate."),
    )


def _embedded(site: SiteMap) -> str:
    """The places as JSON that no text in it can end: `<` is written as an escape."""
    rows = [
        (place.title, place.url, round(place.relevance, 4), place.parent, place.anchor, place.links)
        for place in site.places
    ]
    written = msgspec.json.encode({"relevantFrom": site.relevant_from, "places": rows}).decode()
    for sign in "<>&\u2028\u2029":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return written

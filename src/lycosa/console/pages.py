"""HTML from templates: everything that is put into one is escaped, and text of the web is isolated."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

import jinja2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from lycosa import __version__
from lycosa.console.bounded import written
from lycosa.model.records import Millis
from lycosa.report.markup import link, words
from lycosa.report.wording import counted, cut, percent, spoken

LARGE_FACTS, CUT_FACTS = 200_000, 200
"""Bytes of the facts of a page from which their texts are cut, and characters of such a text."""


@cache
def _environment() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("lycosa.console"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "words": lambda text, most=300: Markup(words(cut(text, most))),
        "link": lambda url, text="", most=300: Markup(link(url, cut(text or url, most))),
        "number": lambda value: f"{value:,}",
        "share": percent,
        "counted": counted,
        "spoken": spoken,
        "when": when,
        "ago": ago,
        "json": in_json,
    }
    found.globals |= {"version": __version__, "why": why_path, "archived": archive_path}
    return found


def page(request: Request, template: str, *, code: int = 200, **facts: Any) -> HTMLResponse:
    """A page of a template. `facts` are escaped where they are written; use the filter `words` for text of the web,
    and `link` for its URLs."""
    state = request.app.state
    common = {
        "request": request,
        "desk": state.desk,
        "path": request.url.path,
        "may_begin": state.desk.library.home,
    }
    return HTMLResponse(_environment().get_template(template).render(common | facts), code)


def why_path(name: str, url: str) -> str:
    """Where a crawl tells why a URL was fetched, was not, or waits."""
    return f"/crawls/{quote(name, safe='')}/why?{urlencode({'url': url})}"


def archive_path(name: str, url: str = "", at: Millis | None = None, **more: str | int) -> str:
    """Where the archive of a crawl shows a page: at a time, None for the latest."""
    when = "" if at is None else stamp(at)
    asked = urlencode(query(url=url, at=when, **more))
    return f"/crawls/{quote(name, safe='')}/archive{'?' if asked else ''}{asked}"


def stamp(at: Millis) -> str:
    """A time in the fourteen digits that web archives write in addresses, in UTC."""
    return time.strftime("%Y%m%d%H%M%S", time.gmtime(at / 1000))


def when(at: Millis) -> str:
    """A time in UTC, to the minute; empty for none."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at / 1000)) if at else ""


def ago(at: Millis) -> str:
    """How long ago a time was, in words."""
    since = time.time() - at / 1000
    return "now" if since < 1 else f"{spoken(since)} ago"


def in_json(value: Any) -> Markup:
    """A value as JSON within a `<script type="application/json">`: no character of it can end that element."""
    plain = written(value, large=LARGE_FACTS, most=CUT_FACTS).decode()
    return Markup(plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def query(**parts: Any) -> Mapping[str, Any]:
    """The parts of a query that say something."""
    return {name: value for name, value in parts.items() if value not in ("", None, (), [])}

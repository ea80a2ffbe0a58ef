"""What a browser asks for while it makes a page, and what it makes of it."""

from __future__ import annotations

from typing import Literal

from lycosa.model.records import Millis, Record, Response
from lycosa.model.url import Url

Kind = Literal["document", "style", "script", "image", "font", "media", "data", "other"]
"""What a browser wants a resource for; `document` is a frame of the page, `data` what scripts ask for."""


class Asked(Record, frozen=True, kw_only=True, gc=False):
    """One request that a page in a browser would make. The browser makes none itself: somebody answers, or refuses."""

    url: Url
    kind: Kind
    method: str = "GET"
    referer: str = ""


class Refused(Record, frozen=True, kw_only=True, gc=False):
    """A request that the page did not get."""

    url: str
    why: str


class Rendered(Record, frozen=True, kw_only=True):
    """A page as a browser has it once its scripts have run."""

    url: Url
    """Of the document at the end: scripts may rewrite it without a request (the history API)."""
    html: str
    """The DOM with its shadow trees and same-origin frames in place, as markup. Scripts are left out."""
    cut: bool = False
    """The markup was longer than it may be: its end is missing."""
    settled: bool = True
    """Nothing was under way any more; False: it was taken as it was when its time was over."""
    left_for: Url | None = None
    """Where a script wanted to lead the whole page: a browser would have gone there, and this one did not."""
    asked: int = 0
    """Requests that the page made."""
    refused: tuple[Refused, ...] = ()
    """Those that it did not get, at most the first hundred."""
    took: Millis = Millis(0)


class StillPage(Record, frozen=True, kw_only=True):
    """What is to be rendered: a page as its server sent it."""

    response: Response
    rounds: int = 0
    """How often to scroll to the end, or to press what says that there is more."""

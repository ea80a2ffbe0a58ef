"""The archive: a page at a time, what changed, and the whole of it to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.archive.cdxj import Capture
from lycosa.console.desk import desk_of
from lycosa.console.inert_origin import kind_of, looked_at, target_of
from lycosa.console.pages import page
from lycosa.crawl.rights import quoted
from lycosa.crawls.answers import Version
from lycosa.crawls.captured import Captured
from lycosa.crawls.interface import Folder
from lycosa.crawls.memento import timegate
from lycosa.model.errors import FolderError, InputError
from lycosa.model.moments import moment
from lycosa.model.records import Millis, Record
from lycosa.model.records import Response as Answer
from lycosa.model.url import Url
from lycosa.report.differing import changed_lines

LOOKS: Final[Mapping[str, str]] = {
    "page": "As it was",
    "text": "Text",
    "headers": "Headers",
    "changes": "What changed",
}
"""In which ways a capture can be looked at, and what they are called."""
AROUND = 30
"""Captures that are listed on either side of the one that is shown."""
CHARACTERS = 40_000
"""Of a text, on one page."""
PIECES = 2_000
"""Of a difference, on one page."""
ROWS = 100
"""Changes of the crawl, on one page."""
HEADERS = 200
"""Of an answer."""


class When(Record, frozen=True, kw_only=True):
    """One capture, in a list of them."""

    at: Millis
    status: int
    """0: as the one before, or not known."""
    sight: str = ""
    """What the crawl saw of the page then, as in `Version`."""
    is_shown: bool = False


class Shown(Record, frozen=True, kw_only=True):
    """One capture, and those around it."""

    url: str
    """Under which it was captured."""
    at: Millis
    status: int
    kind: str
    """How it can be shown: see `lycosa.console.inert_origin.kind_of`."""
    facts: Sequence[tuple[str, str]]
    captures: Sequence[When]
    total: int
    earlier: Millis | None
    later: Millis | None
    moved_to: str = ""
    """The target of a redirect."""
    rights: Sequence[str] = ()
    """What is said of its use."""
    text: str = ""
    """Of it, the part that is shown."""
    length: int = 0
    """Of all of it, in characters."""
    headers: Sequence[str] = ()
    pieces: Sequence[tuple[str, str]] | None = None
    """What differs from how it was at `since`: signs and words, see `lycosa.report.differing`."""
    since: Millis | None = None
    trouble: str = ""
    """Why it cannot be shown as was asked."""


class Wanted(Record, frozen=True, kw_only=True):
    """What is asked for in the address."""

    url: str = ""
    at: Millis | None = None
    look: str = "page"
    since: Millis | None = None
    """Of a difference: the earlier time. Of the changes of the crawl: from when on."""
    skip: int = 0


async def archive(request: Request) -> Response:
    """`GET /crawls/{name}/archive?url=…&at=…&as=…`"""
    desk, name = desk_of(request), request.path_params["name"]
    given = dict(request.query_params)
    facts = {"name": name, "given": given, "looks": LOOKS, "rows": ROWS, "characters": CHARACTERS}
    try:
        wanted = wanted_by(given)
        if not wanted.url:
            changes, total = await desk.asked(name, lambda folder: changes_of(folder, wanted))
            return page(request, "archive.html", **facts, wanted=wanted, changes=changes, total=total)
        shown = await desk.asked(name, lambda folder: shown_of(folder, wanted))
    except InputError as error:
        return page(request, "archive.html", code=400, **facts, wanted=None, trouble=str(error))
    frame = desk.seal.address(name, shown.url, shown.at)
    return page(request, "archive_page.html", **facts, wanted=wanted, shown=shown, frame=frame)


def wanted_by(given: Mapping[str, str]) -> Wanted:
    """Raises `InputError` for what cannot be understood."""
    look, skip = given.get("as") or "page", given.get("skip") or "0"
    if look not in LOOKS:
        raise InputError(f"as={look[:50]}: it can be looked at as {', '.join(LOOKS)}")
    if not skip.isdecimal() or len(skip) > 12:
        raise InputError(f"skip={skip[:50]}: is no whole number")
    at, since = given.get("at", ""), given.get("since", "")
    return Wanted(
        url=given.get("url", "").strip(),
        at=moment(at, last=True) if at else None,
        look=look,
        since=moment(since) if since else None,
        skip=int(skip),
    )


def changes_of(folder: Folder, wanted: Wanted) -> tuple[Sequence[Version], int]:
    """What changed in the whole crawl, the latest first: one page of it, and how much there is."""
    found = folder.changes(since=wanted.since or Millis(0))
    return list(islice(reversed(found), wanted.skip, wanted.skip + ROWS)), len(found)


def shown_of(folder: Folder, wanted: Wanted) -> Shown:
    """Raises `InputError` if there is no capture of the URL."""
    timemap = folder.timemap(wanted.url)
    captures = timemap.captures
    chosen = timegate(timemap, wanted.at)
    place = captures.index(chosen)
    captured = folder.captured(chosen)
    sights = {version.at // 1000: version.sight for version in folder.versions(wanted.url)}
    some = captures[max(0, place - AROUND) : place + AROUND + 1]
    shared: dict[str, Any] = {
        "url": chosen.url,
        "at": chosen.at,
        "captures": [_when(each, sights, each is chosen) for each in some],
        "total": len(captures),
        "earlier": captures[place - 1].at if place else None,
        "later": captures[place + 1].at if place + 1 < len(captures) else None,
    }
    try:
        answer = captured.response
    except FolderError as error:
        return Shown(**shared, status=chosen.status, kind="", facts=(), trouble=str(error))
    return Shown(
        **shared,
        status=captured.status,
        kind=kind_of(answer),
        facts=_facts(captured, answer),
        moved_to=target_of(answer),
        rights=tuple(map(quoted, captured.rights)),
        **_looked(folder, wanted, captured, answer, captures[:place]),
    )


def _when(capture: Capture, sights: Mapping[int, str], is_shown: bool) -> When:
    sight = sights.get(capture.at // 1000, "")
    return When(at=capture.at, status=capture.status, sight=sight, is_shown=is_shown)


def _facts(captured: Captured, answer: Answer) -> list[tuple[str, str]]:
    record = captured.record
    return [
        ("Type", captured.media_type),
        ("Size", f"{len(answer.body):,} bytes{', cut' if answer.truncated else ''}"),
        ("Digest", captured.capture.digest),
        ("Record", f"{record.file}, {record.length:,} bytes at {record.offset:,}"),
        ("Server", answer.address),
        (
            "Shown",
            "as a browser made it; the memento is what the server sent" if captured.is_rendered else "",
        ),
    ]


def _looked(
    folder: Folder, wanted: Wanted, captured: Captured, answer: Answer, before: Sequence[Capture]
) -> dict[str, Any]:
    """What one way of looking at it shows."""
    match wanted.look:
        case "text":
            text, trouble = _text(captured, answer)
            some = text[wanted.skip : wanted.skip + CHARACTERS]
            return {"text": some, "length": len(text), "trouble": trouble}
        case "headers":
            return {"headers": _headers(answer)}
        case "changes":
            return _difference(folder, wanted, captured, before)
    return {}


def _text(captured: Captured, answer: Answer) -> tuple[str, str]:
    try:
        return captured.text, ""
    except InputError:
        return looked_at(answer.body), "This is no text that lycosa reads; it begins with these bytes."


def _headers(answer: Answer) -> list[str]:
    first = f"HTTP/{answer.http_version} {answer.status} {answer.reason_phrase}"
    left = len(answer.headers) - HEADERS
    lines = (f"{name}: {value}" for name, value in answer.headers[:HEADERS])
    return [first, *lines, *([f"… and {left:,} more"] if left > 0 else [])]


def _difference(
    folder: Folder, wanted: Wanted, captured: Captured, before: Sequence[Capture]
) -> dict[str, Any]:
    """What differs from an earlier time: the one that is asked for, or that of the capture before with other bytes."""
    digest = captured.capture.digest
    others = (each.at for each in reversed(before) if each.digest != digest)
    since = wanted.since if wanted.since is not None else next(others, None)
    if since is None:
        return {"trouble": "No capture before this one has another content."}
    try:
        found = folder.difference(Url(captured.url), _end(since), _end(captured.at))
    except InputError as error:
        return {"since": since, "trouble": str(error)}
    return {"since": since, "pieces": list(islice(changed_lines(found), PIECES))}


def _end(at: Millis) -> Millis:
    """The last millisecond of a second: captures tell their times to the second, visits to the millisecond."""
    return Millis(at - at % 1000 + 999)


ROUTES = [Route("/crawls/{name}/archive", archive)]

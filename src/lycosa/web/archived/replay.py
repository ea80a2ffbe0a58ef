"""Pages as an archive replays them, ``TIMEid_/URL``: what was captured, with the archive's own headers taken off."""

from __future__ import annotations

import re
from base64 import b32encode
from email.utils import parsedate_to_datetime
from hashlib import sha1
from http import HTTPStatus
from urllib.parse import quote

from msgspec.structs import replace

from lycosa.model.records import Millis, Response, Source
from lycosa.model.url import Url
from lycosa.web.archived.address import Address
from lycosa.web.archived.index import Listed

_SAFE = "%/:?&=+,;@!$'()*~[]"
_ORIGINAL = "x-archive-orig-"
_REPLAYED = re.compile(r".*?/(?:\d{1,14})(?:[a-z]{2}_)?/(https?:/{1,2}.*)", re.DOTALL)
HTTP_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_ARCHIVES = re.compile(
    r"(?i)x-archive-|memento-|link$|content-location$|x-(?:app-server|ts|tr|location|cache-key|rl|na|nid|page-cache)"
    r"|preference-applied$|server-timing$|transfer-encoding$|connection$|date$|server$"
)
"""Headers that replaying adds, where the original ones are not told apart."""


def replay_of(address: Address, listed: Listed) -> Url:
    """Where a capture is replayed as it was."""
    return Url(f"{address.records}{listed.time}id_/{quote(listed.url, safe=_SAFE)}")


def leads_on(answer: Response, address: Address) -> Url | None:
    """Where the archive says that the capture is; None if this is a capture, or leads elsewhere."""
    target = answer.header("location")
    if target is None or answer.header("memento-datetime") or not 300 <= answer.status < 400:
        return None
    if target.startswith("/"):
        target = "/".join(address.records.split("/", 3)[:3]) + target
    return Url(target) if target.startswith(address.records) else None


def capture_in(answer: Response, listed: Listed, url: Url) -> Response:
    """The response that was captured. ValueError, in a few words, if the answer is none that was."""
    stated = answer.header("memento-datetime")
    if stated is None:
        raise ValueError(f"the archive answers {answer.status}, and does not say that this was captured")
    try:
        at = Millis(round(parsedate_to_datetime(stated).timestamp() * 1000))
    except (ValueError, OverflowError):
        at = listed.at
    headers = _originals(answer)
    if not answer.truncated and not _is_payload(answer.body, headers, listed.digest):
        raise ValueError("its payload is not what the index says")
    status = listed.status if 300 <= answer.status < 400 and 300 <= listed.status < 400 else answer.status
    return replace(
        answer,
        url=url,
        status=status,
        reason_phrase=HTTP_PHRASES.get(status, ""),
        headers=headers,
        fetched_at=at,
        elapsed=Millis(0),
        address="",
        request_headers=(),
        source=Source(uri=answer.url),
    )


def _is_payload(body: bytes, headers: tuple[tuple[str, str], ...], digest: str) -> bool:
    """Whether a body may have this digest: true where that cannot be told, as of one that was captured in a coding."""
    wanted = digest.removeprefix("sha1:").upper()
    coded = any(name.lower() in ("content-encoding", "transfer-encoding") for name, _ in headers)
    return (
        coded or len(wanted) != 32 or b32encode(sha1(body, usedforsecurity=False).digest()).decode() == wanted
    )


def _originals(answer: Response) -> tuple[tuple[str, str], ...]:
    """The headers as they were captured. Those of codings on the wire stay: they spoke of the capture's."""
    told = [
        (name[len(_ORIGINAL) :], value)
        for name, value in answer.headers
        if name.lower().startswith(_ORIGINAL)
    ]
    if not told:
        told = [(name, value) for name, value in answer.headers if not _ARCHIVES.match(name)]
    kept = [(name, _original_target(value) if name.lower() == "location" else value) for name, value in told]
    if not any(name.lower() == "content-type" for name, _ in kept):
        kept += [(name, value) for name, value in answer.headers if name.lower() == "content-type"]
    return tuple(kept)


def _original_target(location: str) -> str:
    """Where a captured redirect led, without the archive's own address before it."""
    found = _REPLAYED.fullmatch(location)
    return found[1] if found else location

"""What a page and its headers say of its use: TDMRep, directives to robots, preferences, licences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from lycosa.crawl.preferences import signals, usage
from lycosa.model.records import Millis, Response
from lycosa.model.rights import MAX_RULES, Place, Rights, Rule, Use, rule
from lycosa.read.robots_tag import RobotsTag, items_of

_DIRECTIVES: Final[Mapping[str, tuple[Use, ...]]] = {
    "noarchive": ("archive",),
    "nocache": ("archive",),
    "noai": ("ai-input", "ai-train"),
    "noimageai": ("images",),
    "nosnippet": ("snippet", "ai-input"),
}
"""What each directive disallows. That `nosnippet` speaks of input for answers too, is in Google's documentation."""

_RECORDED: Final = ("noindex", "none", "max-snippet", "max-image-preview", "unavailable_after")
_NAMES: Final = ("robots", "lycosa")
_HEADERS: Final = frozenset(
    {"content-usage", "content-signal", "tdm-reservation", "tdm-policy", "x-robots-tag", "link"}
)
_SPEAKING: Final = (b"noai", b"noarchive", b"nocache", b"nosnippet", b"tdm-reservation")
_LINK = re.compile(r"<([^<>]{1,2000})>((?:\s*+;[^,;]{0,300}+)*+)")
_LICENSE = re.compile(r";\s*+rel\s*+=\s*+\"?[^\";,]*\blicense\b", re.IGNORECASE)
_RSL_TYPE: Final = "application/rsl+xml"
_WEEKDAY: Final = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}+,?\s++")


def of_headers(response: Response) -> Rights:
    """The rules in the headers of a response; most have none, and are told from that by their names alone."""
    said = {name.lower() for name, _ in response.headers} & _HEADERS
    if not said:
        return ()
    rules: list[Rule] = []
    if "content-usage" in said:
        rules += usage(", ".join(response.header_values("content-usage")), "header")
    if "content-signal" in said:
        rules += signals(", ".join(response.header_values("content-signal")), "header")
    rules += reservation(
        (response.header("tdm-reservation") or "").strip(), response.header("tdm-policy") or "", "header"
    )
    if "x-robots-tag" in said:
        rules += directives(RobotsTag.of(response.header_values("x-robots-tag")).asked, "header")
    for header in response.header_values("link"):
        for target, parameters in _LINK.findall(header[:8_192]):
            if _LICENSE.search(parameters):
                rules.append(licence(target, _RSL_TYPE if _RSL_TYPE in parameters else "", "header"))
    return tuple(rules[:MAX_RULES])


def may_speak(body: bytes) -> bool:
    """Whether words of rules that can refuse a use may stand in a body. Where they do, it may still be only about them;
    of text with two bytes a letter (UTF-16) it is not told."""
    lower = body.lower()
    return b"\0" in lower[:1_000] or any(word in lower for word in _SPEAKING)


def of_markup(meta: Mapping[str, str], licences: Iterable[tuple[str, str]]) -> Rights:
    """The rules in a page: `meta` by the names in lower case; the target and the type of each link to a licence."""
    rules: list[Rule] = []
    for name in _NAMES:
        if name in meta:
            rules += directives(items_of(meta[name]), "meta")
    if "tdm-reservation" in meta:
        rules += reservation(meta["tdm-reservation"].strip(), meta.get("tdm-policy", ""), "meta")
    rules += [licence(target, kind, "link") for target, kind in licences]
    return tuple(rules[:MAX_RULES])


def reservation(value: str, policy: str, place: Place) -> Rights:
    """TDMRep: 1 reserves mining, 0 does not; any other value is an error and says nothing."""
    if value not in ("0", "1"):
        return ()
    shown = f"; tdm-policy: {policy}" if policy and value == "1" else ""
    return (rule("TDMRep", place, f"tdm-reservation: {value}{shown}", ("mining",), value == "0"),)


def directives(asked: Iterable[str], place: Place) -> Rights:
    """What directives to robots say of a use. Those with a value, or that concern an index, are recorded."""
    return tuple(
        rule("robots", place, each, uses, False if uses else None)
        for each in asked
        if (uses := _DIRECTIVES.get(each, ())) or each.partition(":")[0].strip() in _RECORDED
    )


def licence(target: str, media_type: str, place: Place) -> Rule:
    """A licence that is named: terms that a person, or a reader of RSL, has to look up."""
    kind = "RSL" if media_type.strip().lower() == _RSL_TYPE else "licence"
    return rule("RSL" if kind == "RSL" else "licence", place, f"license: {target}")


def snippet_limit(rights: Sequence[Rule]) -> int | None:
    """Characters that may be shown of a page beside its title: None for any number (`max-snippet:-1` too)."""
    limits: list[int] = []
    for name, value in _asked(rights):
        if name == "nosnippet":
            limits.append(0)
        elif name == "max-snippet" and re.fullmatch(r"\d{1,6}", value):
            limits.append(int(value))
    return min(limits, default=None)


def shown_until(rights: Sequence[Rule]) -> Millis | None:
    """From when on a page is not to be among the answers of a search; None for ever, also where no date can be read.

    The first of several moments counts. One without a time zone is taken in UTC.
    """
    moments = (_moment(value) for name, value in _asked(rights) if name == "unavailable_after")
    return min((each for each in moments if each is not None), default=None)


def _asked(rights: Sequence[Rule]) -> Iterator[tuple[str, str]]:
    """The directives to robots, each with its value, which may be empty."""
    for each in rights:
        if each.vocabulary == "robots":
            name, _, value = each.written.partition(":")
            yield name.strip(), value.strip()


def _moment(written: str) -> Millis | None:
    """A date of RFC 822, RFC 850 or ISO 8601, in letters of either case."""
    from email.utils import parsedate_to_datetime  # as in `lycosa.crawl.looks`

    for read, text in (
        (datetime.fromisoformat, written.upper()),
        (parsedate_to_datetime, _WEEKDAY.sub("", written)),
    ):
        try:
            found = read(text)
            moment = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
            return Millis(round(moment.timestamp() * 1000))
        except (ValueError, OverflowError):
            continue
    return None

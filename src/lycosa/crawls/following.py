"""What a crawl did, step by step, for whoever follows it: from any step on, also while it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import merge
from itertools import islice

import msgspec

from lycosa.crawls.answers import Happened, Happening
from lycosa.model.commands import Enqueue, Forget
from lycosa.model.errors import InputError
from lycosa.model.events import (
    Asked,
    Blocked,
    Event,
    HandedOff,
    Marked,
    Operated,
    Searched,
    Started,
    Told,
    Wish,
)
from lycosa.store.history import Happened as Step
from lycosa.store.history import History

LONGEST = 500
"""Characters of a title, or of the words of a link, that who follows is told."""
_WISHES = {Wish.STOP: "stop", Wish.PAUSE: "pause", Wish.GO_ON: "go on"}


def happened(history: History, token: str, most: int, relevant_from: float) -> Happened:
    """What one crawler did after the step that a token tells; empty: from the start. Raises `InputError`."""
    since = step_of(token, token)
    until = history.last()[0]  # asked first: what comes meanwhile may be told, but must not be passed over
    found = [told(step, str(step.step), relevant_from) for step in history.happened(since, most)]
    last = max([since if len(found) == most else until, *(step.step for step in found[-1:])])
    return Happened(happenings=tuple(found), token=str(last))


def happened_together(
    histories: Mapping[str, History], token: str, most: int, relevant_from: float
) -> Happened:
    """What several nodes did after the steps that a token tells, by the crawl's clocks. Raises `InputError`."""
    at = places(token, histories)
    parts = [
        [(name, step) for step in history.happened(at[name], most)] for name, history in histories.items()
    ]
    found = []
    for name, step in islice(merge(*parts, key=lambda each: each[1].at), most):
        at[name] = step.step
        one = told(step, written(at), relevant_from)
        found.append(msgspec.structs.replace(one, node=name))
    return Happened(happenings=tuple(found), token=written(at))


def places(token: str, names: Sequence[str] | Mapping[str, History]) -> dict[str, int]:
    """How far each node was, by a token; a node that it does not name has just joined.

    >>> places("n0:12,n1:7", ["n0", "n1", "n2"])
    {'n0': 12, 'n1': 7, 'n2': 0}
    """
    said = dict(part.rpartition(":")[::2] for part in token.split(",")) if token else {}
    return {name: step_of(said.get(name, ""), token) for name in names}


def written(at: Mapping[str, int]) -> str:
    """A token of how far each node is."""
    return ",".join(f"{name}:{step}" for name, step in at.items())


def step_of(written: str, token: str) -> int:
    """The step that a token, or a part of one, tells; 0 of an empty one. Raises `InputError` for none."""
    if written and not (written.isascii() and written.isdigit() and len(written) < 19):
        raise InputError(f"{token!r}: is no place in this crawl; give a token that it told, or none")
    return int(written or 0)


def told(step: Step, token: str, relevant_from: float) -> Happening:
    """A step as whoever follows is told of it."""
    names = ("url", "final_url", "title", "relevance", "score", "depth", "via", "anchor", "status", "reason")
    facts = {name: getattr(step, name) for name in (*names, "detail", "again", "change", "moved")}
    facts["title"], facts["anchor"] = step.title[:LONGEST], step.anchor[:LONGEST]
    if step.said is not None:
        facts |= _said(step.said)
    return Happening(
        token=token,
        step=step.step,
        at=step.at,
        kind=step.kind,
        relevant=step.kind == "page" and step.relevance >= relevant_from,
        **facts,
    )


def _said(event: Event) -> dict[str, str]:
    """What was said from outside, as a sentence, and the URL that it is about if it is one."""
    match event:
        case Marked(url=url, good=good, by=by):
            what = {True: "good", False: "bad", None: "neither good nor bad any more"}[good]
            return {"url": url, "final_url": url, "detail": f"marked {what} by {by or 'a person'}"}
        case Asked(wish=Wish.BUDGET, pages=pages, requests=requests):
            wanted = [f"{pages:,} pages"] * bool(pages) + [f"{requests:,} requests"] * bool(requests)
            return {"detail": f"asked for a budget of {' and '.join(wanted)}"}
        case Asked(wish=wish, by=by):
            return {"detail": f"asked to {_WISHES.get(wish, wish.value)} by {by or 'the user'}"}
        case Operated(commands=commands, by=by):
            added = sum(isinstance(command, Enqueue) for command in commands)
            dropped = sum(isinstance(command, Forget) for command in commands)
            counts = [f"{added:,} added"] * bool(added) + [f"{dropped:,} dropped"] * bool(dropped)
            return {"detail": f"links by {by}: {', '.join(counts) or f'{len(commands):,} changed'}"}
        case HandedOff(command=command, peer=peer):
            return {"url": command.url, "final_url": command.url, "detail": f"a link from {peer}"}
        case Told(changed=changed, by=by):
            return {"detail": f"{len(changed):,} pages are said to have changed, by {by or 'a ping'}"}
        case Searched(gains=gains):
            return {"detail": f"people's queries were asked: {len(gains):,} looks changed what they answer"}
        case Blocked(hosts=hosts, off=off, by=by):
            what = "let in again" if off else "blocked"
            return {"detail": f"{', '.join(hosts)} {what} by {by or 'a person'}"}
        case Started(seeds=seeds):
            return {"detail": f"begun with {len(seeds):,} start pages"}
        case _:
            return {}

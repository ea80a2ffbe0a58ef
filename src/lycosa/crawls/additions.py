"""Start pages that a crawl is given after it began."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lycosa.compose.parts import gate_of
from lycosa.crawls.answers import Added
from lycosa.model.commands import WISHED, Enqueue
from lycosa.model.errors import InputError
from lycosa.model.events import Operated
from lycosa.model.url import Host, Url, host_of
from lycosa.spec.derived import start_url
from lycosa.spec.tree import CrawlSpec
from lycosa.store.history import History


def additions(
    urls: Iterable[str], spec: CrawlSpec, histories: Collection[History], blocked: Collection[Host]
) -> list[Added]:
    """What is to become of each of these URLs. Raises `InputError` for what is none, and for what the crawl may not
    fetch."""
    gate = gate_of(spec)
    found = []
    for url in dict.fromkeys(map(start_url, urls)):
        if refusal := gate.refuses(Enqueue(url=url), 0):
            raise InputError(f"{url}: {refusal}")
        if host_of(url) in blocked:
            raise InputError(f"{url}: its host is blocked; let it in first with lycosa block DIR HOST --off")
        found.append(Added(url=url, state=_state(url, histories)))
    return found


def _state(url: Url, histories: Collection[History]) -> str:
    visits = [row for history in histories for row in history.visits(url)]
    if any(not row.reason for row in visits):
        return "fetched"
    return "again" if visits else "new"


def operated(added: Iterable[Added], by: str) -> Operated:
    """What the crawl is told of those that it has not fetched: as start pages, before all that waits."""
    commands = tuple(
        Enqueue(url=each.url, score=1.0, tier=WISHED, refetch=each.state == "again", depth=0)
        for each in added
        if each.state != "fetched"
    )
    return Operated(commands=commands, by=by or "a person")

"""What a step of a crawl tells its schedule, and what that answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lycosa.crawl.looks import look_of
from lycosa.crawl.ports import Memory, Schedule
from lycosa.crawl.signals import PING, feed_of, told_by
from lycosa.model.commands import Enqueue
from lycosa.model.events import Event, Planned, Searched, Told
from lycosa.model.records import Arrival, Failure, Gone, Look, Millis, Page, Unchanged, UrlState
from lycosa.model.url import Url


def looks_at(event: Event, memory: Memory, now: Millis) -> Sequence[Look]:
    """The looks at a page up to this visit; of one that failed, those before."""
    if not isinstance(event, Arrival):
        return ()
    earlier = memory.visits(event.url)
    return earlier if isinstance(event, Failure) else (*earlier, look_of(event, earlier, now))


def rescheduled(
    schedule: Schedule,
    event: Event,
    looks: Sequence[Look],
    about: Sequence[Url],
    memory: Memory,
    state: Callable[[Url], UrlState],
    now: Millis,
    *,
    new_wait: bool,
) -> Sequence[Enqueue]:
    """When pages are visited again that this event concerns: `about` these, if they are planned."""
    match event:
        case Page():
            unseen = [url for url in event.out if state(url) is UrlState.UNSEEN]
            source = schedule.found(event, looks, unseen)
            own = schedule.seen(event, looks, now, new_wait=new_wait)
            led_here = () if source is None else schedule.again(source, memory.visits(source), now)
            others = _told(schedule, told_by(event, now), memory, now)
            return [*own, *led_here, *others, *feed_of(event, state)]
        case Unchanged() | Gone():
            return schedule.seen(event, looks, now, new_wait=new_wait)
        case Failure() if looks and state(event.url) is UrlState.VISITED:
            return schedule.missed(event, looks, now)
        case Planned():
            return _planned(schedule, event, about, memory, now, new_wait=new_wait)
        case Told(changed=changed, by=by):
            surely = by == PING
            told = ((url, now if surely else at) for url, at in changed)
            return _told(schedule, told, memory, now, surely=surely)
        case Searched():
            return _searched(schedule, event, memory, now, new_wait=new_wait)
        case _:
            return ()


def _searched(
    schedule: Schedule, event: Searched, memory: Memory, now: Millis, *, new_wait: bool
) -> Sequence[Enqueue]:
    """When pages are visited again of which it is told what they are to people."""
    named = dict.fromkeys([gain[0] for gain in event.gains] + [standing[0] for standing in event.standings])
    known = {url: looks for url in named if (looks := memory.visits(url))}
    return schedule.searched(event, known, now, new_wait=new_wait)


def _planned(
    schedule: Schedule, event: Planned, about: Sequence[Url], memory: Memory, now: Millis, *, new_wait: bool
) -> Sequence[Enqueue]:
    """Let the schedule know all pages before the first is planned, in a replay too."""
    if event.place == 0 and event.policy == schedule.settings:
        known = ((url, memory.visits(url)) for url in memory.graph())
        schedule.begin(known, new_wait=new_wait, now=now)
    if not event.left:
        schedule.planned = event.policy
    planned = (schedule.plan(url, memory.visits(url), now) for url in about)
    return [command for command in planned if command is not None]


def _told(
    schedule: Schedule,
    changed: Iterable[tuple[Url, Millis]],
    memory: Memory,
    now: Millis,
    *,
    surely: bool = False,
) -> list[Enqueue]:
    """When pages of the crawl are visited again that are said to have changed."""
    known = ((url, at, memory.visits(url)) for url, at in changed)
    told = (schedule.told(url, at, looks, now, surely=surely) for url, at, looks in known if looks)
    return [command for commands in told for command in commands]

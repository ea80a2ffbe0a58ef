"""What can happen to a crawl, and how a journal keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from lycosa.model.commands import Command, Enqueue
from lycosa.model.endings import Ending
from lycosa.model.nodes import Housed, Members, Node, Origin
from lycosa.model.records import Arrival, Deferred, Millis, Page, Record
from lycosa.model.url import Host, Url


class Started(Record, frozen=True, kw_only=True):
    seeds: tuple[Url, ...]


class Idled(Record, frozen=True, kw_only=True):
    """Nothing is out and nothing may be leased: the strategy is asked once more, then the crawl ends."""


class FromOutside(Record, frozen=True, kw_only=True):
    """What somebody outside the crawl said or did."""

    number: int = 0
    """Counts what came by the folder's inbox, from 1; 0 for what did not."""


class HandedOff(FromOutside, frozen=True, kw_only=True, tag_field="kind", tag="handed-off"):
    """A peer found a link in our part of the web."""

    command: Enqueue
    peer: str


class Operated(FromOutside, frozen=True, kw_only=True, tag_field="kind", tag="operated"):
    """Somebody outside the strategy intervened: a person, or a sitemap that names pages."""

    commands: tuple[Command, ...]
    by: str


class Wish(Enum):
    """What may be asked of a run."""

    STOP = "stop"
    """End the run once the visits that are out are home; asked twice, at once. It can be resumed."""
    PAUSE = "pause"
    """Begin no more visits until `GO_ON`."""
    GO_ON = "go-on"
    BUDGET = "budget"
    """Bring back so many pages in all, by so many requests."""


class Asked(FromOutside, frozen=True, kw_only=True, tag_field="kind", tag="asked"):
    """Somebody wants something of the run. The crawl and its strategy are as before."""

    wish: Wish
    pages: int = 0
    """Of `BUDGET`: the new budget; 0: as before."""
    requests: int = 0
    """Of `BUDGET`: the new budget of requests; 0: as before."""
    by: str = ""


class Planned(Record, frozen=True, kw_only=True):
    """It was decided when pages are visited again that the crawl had before: the commands say so."""

    policy: str
    place: int = 0
    """So many pages were planned before, in steps of their own."""
    left: int = 0
    """So many are to be planned yet."""


class Told(FromOutside, frozen=True, kw_only=True, tag_field="kind", tag="told"):
    """Somebody says that pages changed: a sitemap, a feed, a ping."""

    changed: tuple[tuple[Url, Millis], ...]
    """Each page, and when it changed. A ping says that it is now, whenever it is heard."""
    by: str = ""


class Searched(FromOutside, frozen=True, kw_only=True, tag_field="kind", tag="searched"):
    """The crawl's pages were searched for what people ask for, and this came of it. A replay asks nobody again."""

    gains: tuple[tuple[Url, Millis, float], ...] = ()
    """A page, when it was looked at, and by how much that look changed the answers: |ΔQ|."""
    standings: tuple[tuple[Url, float], ...] = ()
    """The pages that are more or less to the answers than before, and what they are now; 0: in none of them."""


class Recovered(Record, frozen=True, kw_only=True):
    """After an interruption: the visits that were out went back to pending."""


class Marked(FromOutside, frozen=True, kw_only=True, tag_field="kind", tag="marked"):
    """A person, or a model that is asked, said of a page of the crawl whether it is on topic."""

    url: Url
    good: bool | None
    """None: what was said of the page before is taken back."""
    by: str = ""
    """The name of the model; empty: a person."""


class Blocked(FromOutside, frozen=True, kw_only=True, tag_field="kind", tag="blocked"):
    """Somebody wants nothing of some hosts to be fetched, or lets them in again."""

    hosts: tuple[Host, ...]
    off: bool = False
    """Whether they are let in again."""
    by: str = ""
    """Who said so; empty: a person without a name."""


class Received(Record, frozen=True, kw_only=True):
    """A parcel of another node that brings no page, or one that is here already. (A page that is new comes as a `Page`
    with an `origin`.)"""

    origin: Origin
    links: tuple[Enqueue, ...] = ()
    """Ours to fetch, if the partition still says so; others are passed on."""
    known: tuple[Url, ...] = ()
    """Of a territory that moved here: what was fetched there, and is not to be fetched again."""
    housed: tuple[Housed, ...] = ()
    """Where territories are from now on."""
    told: Mapping[str, Any] = {}
    """News of what its sender learned, by kind, as plain values."""
    copy: Url | None = None
    """The page that came and was here already, by this URL or another."""


class Joined(Record, frozen=True, kw_only=True):
    """Who shares the crawl from now on."""

    members: Members
    lost: tuple[Node, ...] = ()
    """Who left without handing over what they had: what was sent to them is sent again, to others."""


class Dismissed(Record, frozen=True, kw_only=True):
    """The whole crawl is over, not only this node's part of it."""

    ending: Ending


class Parcel(Record, frozen=True, kw_only=True):
    """What one step has for one other node. Delivered at least once, in order; taken in once."""

    to: Node
    number: int
    """Counts the parcels to that node, from 1, without gaps."""
    links: tuple[Enqueue, ...] = ()
    depth: int | None = None
    """Links from a start page to those of `links` that do not say it themselves."""
    page: Page | None = None
    known: tuple[Url, ...] = ()
    housed: tuple[Housed, ...] = ()
    told: Mapping[str, Any] = {}
    """What the sender learned, by kind, as plain values."""


Said = Marked | HandedOff | Operated | Asked | Told | Searched | Blocked
"""What can come by a folder's inbox while a crawl runs."""

FromPeers = Received | Joined | Dismissed
"""What the other nodes of a shared crawl, and who leads it, have to say."""

Event = Started | Arrival | Deferred | Idled | Planned | Recovered | Said | FromPeers


class Entry(Record, frozen=True, kw_only=True):
    """One step of a crawl, as the journal keeps it: the leases since the step before, what happened, when,
    and what the strategy answered."""

    step: int
    """From 1, without gaps."""
    at: Millis
    leased: tuple[Url, ...]
    event: Event
    commands: tuple[Command, ...] = ()
    sent: tuple[Parcel, ...] = ()
    """What goes to other nodes of a shared crawl because of it."""
    bare: bool = False
    """The page was kept, but its record cannot be read any more: it comes without text, headings and terms."""


class Snapshot(Record, frozen=True, kw_only=True):
    """What a crawl and its strategy hold in memory after a step, the frontier apart. Plain values only:
    None, bool, int, float, str, bytes, lists and string-keyed mappings of these.

    Bytes may be views (`memoryview`) of what the crawl goes on changing: whoever keeps a snapshot writes or copies it
    before the next step. They come back as bytes."""

    step: int
    crawl: Mapping[str, Any]
    strategy: Mapping[str, Any]

"""What a crawl needs of the world, as interfaces. The rooms above implement them; nothing here does any I/O."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from lycosa.model.commands import Enqueue
from lycosa.model.events import Entry, Searched, Snapshot
from lycosa.model.records import (
    PLAIN,
    Ask,
    Failure,
    Fault,
    Gone,
    LastCapture,
    Look,
    Millis,
    Page,
    RecordRef,
    Response,
    Unchanged,
)
from lycosa.model.rendering import Asked, Rendered, StillPage
from lycosa.model.url import Url


class Web(Protocol):
    """Where pages come from."""

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        """One HTTP exchange: a redirect is answered as such, not followed; so is a 304. Never raises for what a server
        does. A web that has no servers behind it may ignore what is asked besides the URL."""
        ...

    async def close(self) -> None:
        """Let go of connections and files, if there are any."""
        ...


class TimedWeb(Web, Protocol):
    """A web that knows how long its answers take: what virtual time needs."""

    def latency(self, url: Url) -> Millis:
        """How long a visit takes, in virtual milliseconds; always the same for the same URL."""
        ...


class Renderer(Protocol):
    """A browser that makes no request of its own."""

    async def render(
        self, page: StillPage, answer: Callable[[Asked], Awaitable[Response | Fault]]
    ) -> Rendered | Fault:
        """The page once its scripts have run. Whatever it asks for is had of `answer`, any number at a time; the page
        itself is not asked for again. Never raises for what a page does: one that ends the browser, or takes more than
        it may, is a `Fault`."""
        ...

    async def close(self) -> None:
        """End the browsers."""
        ...


class Archive(Protocol):
    """Where responses are kept."""

    def write(self, response: Response, refers_to: LastCapture | None = None) -> RecordRef:
        """Store an exchange. Of a revisit, `refers_to` is the capture before: a 304 says that it is still true."""
        ...

    def read(self, ref: RecordRef) -> Response: ...
    def write_dom(self, dom: Response, of: RecordRef, told: Iterable[tuple[str, str]]) -> RecordRef:
        """Store what a browser made of the page at `of`, and facts about that, by name."""
        ...

    def annotate(self, ref: RecordRef, url: Url, fields: Mapping[str, str]) -> None:
        """Add a metadata record that concerns the response at `ref`."""
        ...

    def flush(self) -> None:
        """Hand everything written to the operating system: a killed process loses none of it."""
        ...


class Memory(Protocol):
    """What the crawl has seen so far: its pages and the link graph between them. Read-only."""

    def page(self, url: Url) -> Page | None:
        """The page last fetched for this URL, by request or by final URL."""
        ...

    def recent(self, n: int) -> Sequence[Url]:
        """The last n pages' URLs, newest first."""
        ...

    def out_links(self, url: Url) -> Sequence[Url]:
        """Distinct targets of a visited page, in document order; empty for any other URL."""
        ...

    def visits(self, url: Url) -> Sequence[Look]:
        """The looks that were taken at the page of this URL, oldest first, at most the last 64. The step that is being
        thought about is not among them."""
        ...

    def capture(self, url: Url) -> LastCapture | None:
        """What a revisit of this URL is to be compared with; None if it brought no page yet. Costs no reading of the
        archive."""
        ...

    def holder(self, digest: str) -> Url | None:
        """A page with this content, not one that is another node's; None if there is none."""
        ...

    def in_links(self, url: Url) -> Sequence[Url]:
        """Visited pages that link to this URL, in the order of their visits."""
        ...

    def graph(self) -> Mapping[Url, Sequence[Url]]:
        """The distinct targets of every visited page."""
        ...


class Schedule(Protocol):
    """Decides when pages are visited again. Pure: what it answers depends on what it was told, in its order."""

    planned: str
    """For which settings the pages were planned that the crawl had; empty: not yet."""

    @property
    def settings(self) -> str:
        """For which settings they should be."""
        ...

    def plan(self, url: Url, looks: Sequence[Look], now: Millis) -> Enqueue | None:
        """When to visit a page again that the crawl has had so far without a schedule, or with another one."""
        ...

    def begin(self, known: Iterable[tuple[Url, Sequence[Look]]], *, new_wait: bool, now: Millis) -> None:
        """Take in the pages that the crawl has, with the looks that were taken at them: `plan` them from here on."""
        ...

    def seen(
        self, arrival: Page | Unchanged | Gone, looks: Sequence[Look], now: Millis, *, new_wait: bool
    ) -> Sequence[Enqueue]:
        """A page was looked at; `looks` end with that. `new_wait`: there are new URLs to be fetched too."""
        ...

    def found(self, page: Page, looks: Sequence[Look], unseen: Iterable[Url]) -> Url | None:
        """Note what a page leads to that was fetched: of a new one, the page whose revisit showed the link to it, which
        is to be decided on `again`; of another, the `unseen` URLs to which it links."""
        ...

    def again(self, url: Url, looks: Sequence[Look], now: Millis) -> Sequence[Enqueue]:
        """More is known of a page, though it was not looked at."""
        ...

    def missed(self, failure: Failure, looks: Sequence[Look], now: Millis) -> Sequence[Enqueue]:
        """A revisit told nothing of the page: the server did not answer, or not as it should."""
        ...

    def told(
        self, url: Url, at: Millis, looks: Sequence[Look], now: Millis, *, surely: bool
    ) -> Sequence[Enqueue]:
        """Somebody says that a page changed; `surely`: somebody who knows."""
        ...

    def searched(
        self, said: Searched, known: Mapping[Url, Sequence[Look]], now: Millis, *, new_wait: bool
    ) -> Sequence[Enqueue]:
        """People's queries were asked. `known` are the pages of the crawl that it names, with their looks."""
        ...

    def standings(self) -> Mapping[Url, float]:
        """What pages are to those answers, as it was told last; those that are nothing to them are left out."""
        ...

    def explain(self, url: Url, looks: Sequence[Look]) -> Mapping[str, float]:
        """What it makes of a page, parts by name, for `lycosa why`."""
        ...

    def save(self) -> Mapping[str, Any]: ...
    def load(self, state: Mapping[str, Any]) -> None: ...


class Store(Protocol):
    """Where a crawl's history is kept."""

    @property
    def memory(self) -> Memory: ...

    def append(self, entry: Entry) -> None:
        """Add the next step. Pages enter `memory` at once; durable with the next `flush`."""
        ...

    def remember(self, page: Page) -> None:
        """Let a page enter `memory` before its step is appended, as its strategy may look at it."""
        ...

    def rewind(self, step: int) -> None:
        """Let `memory` show the steps up to this one and no later, before the later ones are retraced."""
        ...

    def retrace(self, entry: Entry) -> None:
        """Take in a step as it is replayed: from now on `memory` shows it. It is not written again."""
        ...

    def entries(self, since: int = 0) -> Iterator[Entry]:
        """The steps after `since`, in order, pages with text and links."""
        ...

    def flush(self) -> None: ...

    def keep(self, snapshot: Snapshot) -> None:
        """Make a checkpoint: frontier and snapshot, consistent with each other, durable together."""
        ...


class Clock(Protocol):
    def now(self) -> Millis: ...
    async def sleep_until(self, when: Millis) -> None: ...

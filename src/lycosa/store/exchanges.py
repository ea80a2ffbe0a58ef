"""What one node of a shared crawl fetched, sent to others and was sent by them. Plain SQL."""

from __future__ import annotations

from collections.abc import Iterator

from lycosa.crawl.requests import UNSENT
from lycosa.model.events import Received
from lycosa.model.nodes import Node
from lycosa.model.records import Millis
from lycosa.model.url import Host, Url
from lycosa.store.codec import addressed, links_in, unpack_event
from lycosa.store.database import Answering


class Exchanges:
    """Questions to a journal's connection."""

    def __init__(self, connection: Answering) -> None:
        self._connection = connection

    def fetched(self) -> Iterator[Url]:
        """The URL of each page that was fetched here, whoever has it now."""
        rows = self._connection.execute(
            "SELECT DISTINCT url FROM steps WHERE kind = 'page' AND origin IS NULL"
        )
        return (Url(row["url"]) for row in rows)

    def pages(self) -> list[tuple[bool, bool, int, int]]:
        """Whether pages were sent to another node, and whether they came from one; how many, and the bytes of their
        records. Of a page that was visited again each visit counts."""
        rows = self._connection.execute(
            "SELECT owner IS NOT NULL AS is_sent, origin IS NOT NULL AS came, count(*), "
            "coalesce(sum(warc_length), 0) FROM steps WHERE kind = 'page' GROUP BY is_sent, came"
        )
        return [(bool(is_sent), bool(came), n, size) for is_sent, came, n, size in rows]

    def links_sent(self) -> int:
        """How many links were sent to others without their pages. One pass over the steps that sent any."""
        rows = self._connection.execute("SELECT sent FROM steps WHERE sent IS NOT NULL")
        return sum(links_in(row["sent"]) for row in rows)

    def links_from(self) -> dict[Node, tuple[int, int]]:
        """How many links each other node sent here, and the bytes of them in the journal. One pass over these steps."""
        found: dict[Node, tuple[int, int]] = {}
        for row in self._connection.execute("SELECT event FROM steps WHERE kind = 'received'"):
            event = unpack_event("received", row["event"])
            assert isinstance(event, Received)
            links, size = found.get(event.origin.node, (0, 0))
            found[event.origin.node] = links + len(event.links), size + len(row["event"])
        return found

    def asked(self) -> Iterator[tuple[Host, Millis]]:
        """On the live web, the host of each request that was sent, redirects that were followed apart, and when.

        Of a page that is known; of what failed it is when that was noted, less the time that it took.
        """
        unsent = sorted(reason.value for reason in UNSENT)
        rows = self._connection.execute(
            "SELECT host_of(url), iif(kind = 'page', fetched_at, at - coalesce(elapsed, 0)) FROM steps "
            "WHERE url IS NOT NULL AND origin IS NULL "
            f"AND (reason IS NULL OR status > 0 OR reason NOT IN ({', '.join('?' * len(unsent))}))",
            unsent,
        )
        return ((Host(host), Millis(at)) for host, at in rows)

    def received(self, url: Url) -> tuple[int, Received] | None:
        """The first step in which another node told of a URL. One pass over these steps."""
        for row in self._connection.execute(
            "SELECT step, event FROM steps WHERE kind = 'received' ORDER BY step"
        ):
            event = unpack_event("received", row["event"])
            if isinstance(event, Received) and any(link.url == url for link in event.links):
                return row["step"], event
        return None

    def posted(self, to: str, number: int) -> tuple[int, str] | None:
        """The step that sent a parcel, and its kind. One pass over those that sent any."""
        rows = self._connection.execute(
            "SELECT step, kind, sent FROM steps WHERE sent IS NOT NULL ORDER BY step"
        )
        found = (row for row in rows if (to, number) in addressed(row["sent"]))
        return next(((row["step"], row["kind"]) for row in found), None)

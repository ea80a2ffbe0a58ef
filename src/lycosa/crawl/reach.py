"""From how many hosts a crawl may fetch."""

from __future__ import annotations

from collections.abc import Iterable

from lycosa.model.url import Host, Url, host_of


class Reach:
    """Remembers the hosts that were asked for a page, and keeps others out once there are enough. Pure: what it knows
    follows from the leases, which stand in the journal.

    A host counts from its first lease on, whatever it answers. Its robots.txt, and sitemaps, do not count.

    Invariants, each the name of a property test:

    * no more hosts than allowed: of the URLs that `refuses` lets pass at their lease, no more than `most` hosts.
    * once in, never out: a host that was asked stays welcome.
    """

    def __init__(self, most: int | None = None) -> None:
        """`most` hosts, at least 1; None: no limit, and nothing is remembered."""
        self.most = most
        self._asked: dict[Host, None] = {}

    @property
    def is_full(self) -> bool:
        """Whether no further host may be asked."""
        return self.most is not None and len(self._asked) >= self.most

    def is_new(self, url: Url) -> bool:
        """Whether its host would be a further one, and that matters."""
        return self.most is not None and host_of(url) not in self._asked

    def refuses(self, url: Url) -> str | None:
        """Why `url` may not be fetched any more, as a sentence; None if it may."""
        if self.most is None or not (self.is_full and self.is_new(url)):
            return None
        hosts = "1 host" if self.most == 1 else f"{self.most} hosts"
        return f"{host_of(url)} is a further host, and the crawl asks no more than {hosts} (--max-hosts)"

    def ask(self, url: Url) -> bool:
        """Count a URL that is leased. Returns whether there is no room for further hosts from now on."""
        if self.is_full or not self.is_new(url):
            return False
        self._asked[host_of(url)] = None
        return self.is_full

    def save(self) -> list[str]:
        """Plain values for a snapshot."""
        return list(self._asked)

    def load(self, saved: Iterable[str]) -> None:
        """Become what was saved."""
        self._asked = {Host(host): None for host in saved}

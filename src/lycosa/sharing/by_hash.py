"""Partitions by hashes: of the URL, of its host, of what a page says."""

from __future__ import annotations

from typing import Literal

from lycosa.crawl.sketch import exact
from lycosa.model.nodes import Members, Node
from lycosa.model.records import Page
from lycosa.model.url import Url
from lycosa.sharing.division import Division

_CHUNG_CLARKE = "Chung and Clarke, Topic-oriented collaborative crawling, CIKM 2002, section 3"


class ByHost(Division):
    """Each host is seen to by one node, chosen by a hash of its name.

    When to use it: always, unless you know better. Nothing is fetched twice, a host is visited from one place, and most
    links stay where they are found, as most links stay on their host. On a web of few hosts the shares are uneven: a
    host is not divided.

    A node has the share w / Σ w of the hosts. If one of n leaves, its hosts move, 1/n of all, and no others.

    Cost: a dictionary look-up a link.

    >>> from lycosa.model.nodes import Members, Node
    >>> from lycosa.model.url import canonical
    >>> from lycosa.sharing.registry import partition
    >>> two = Members(epoch=1, names=(Node("n0"), Node("n1")))
    >>> partition("host", two).of_url(canonical("http://example.org/a"))
    'n1'

    Invariant, the name of a property test:

    * a host has one owner: its scheme, path and query do not matter.
    """

    kind = "host"
    reference = f"{_CHUNG_CLARKE}; Thaler and Ravishankar, IEEE/ACM Transactions on Networking 6(1), 1998"


class ByUrl(Division):
    """Each URL is seen to by one node, chosen by a hash of all of it.

    When to use it: to compare with, or to share a web of very few hosts evenly. Nothing is fetched twice, but of n
    nodes each finds (n - 1)/n of its links to be another's, and all of them visit each host, one at a time.

    Cost: some 10 µs a link that was not met lately.

    Invariant, the name of a property test:

    * even: each node has the share w / Σ w of the URLs of any host.
    """

    kind = "url"
    reference = _CHUNG_CLARKE

    def key(self, url: Url) -> str:
        return url


class ByContent(Division):
    """URLs are fetched by a hash of their host, and pages kept by a second hash, of their text.

    When to use it: where copies are to be found, whatever their address: texts that differ in white space alone come
    to one node. It costs the transfer of (n - 1)/n of all that n nodes fetch, once out and once in. Links are
    followed where they were found.

    Parameters: `fetch`, what the first hash is of: `host` (the default) or `url`, as in the comparison of Chung and
    Clarke.

    Cost: a dictionary look-up a link, the hash of the text a page.

    Invariant, the name of a property test:

    * a text has one owner: whatever its URL, and wherever it was fetched.
    """

    kind = "content"
    reference = _CHUNG_CLARKE

    def __init__(self, members: Members, *, fetch: Literal["host", "url"] = "host") -> None:
        super().__init__(members)
        self.fetch = fetch

    def of_page(self, page: Page, here: Node) -> Node:
        # Without text all pages would be one node's.
        return self._nodes.owner(exact(page.text) if page.text.strip() else page.digest)

    def key(self, url: Url) -> str:
        return url if self.fetch == "url" else super().key(url)

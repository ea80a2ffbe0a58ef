"""What is known of each URL from the pages that link to it, kept up to date as pages come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.links.ranking import FEATURES, Numbers
from lycosa.strategies.parts.columns import room_for

Places = NDArray[np.int64]

_NO_PAGE: Final = -1
_COLUMNS: Final = (
    "greatest",  # relevance of a page that links here, and below: which page
    "total",
    "links",
    "members",  # of the community, among the pages that link here
    "anchor",
    "url",
    "context",
    "depth",
    "led_to",  # of a page: how many pages were fetched by way of its links
    "led_relevance",  # their relevances, summed
    "led_members",  # how many of them belong to the community
)
_GREATEST, _TOTAL, _LINKS, _MEMBERS, _ANCHOR, _URL, _CONTEXT, _DEPTH, _LED, _LED_R, _LED_M = range(11)
_TEXTS = slice(_ANCHOR, _CONTEXT + 1)


class InLinks:
    """Features of URLs by number, in constant time for each link.

    Of a URL u with known in-links from n pages with relevances r, the features of `lycosa.scoring.links.ranking` are:

    * greatest and mean relevance: max r and Σ r / n; sum of relevances: Σ r / (1 + Σ r);
    * pages linking here: n / (1 + n); relevant pages linking here: m / (1 + m) for m of them in the community;
    * anchor, URL, context: the best similarity of the query to those of any link to u;
    * nearness: 1 / (1 + d), d links from a start page by the shortest way known;
    * siblings and hub, of the most relevant page that links to u (of equals the first): the mean relevance of the k
      pages that were fetched by way of its links, and m' / (2 + m') for m' of them in the community.

    Memory: 96 bytes a URL.

    Invariant, the name of a property test:

    * as counted: whatever the order of pages, features are those that the definitions above give.
    """

    def __init__(self, community: float) -> None:
        self.community = community
        self._table = np.zeros((1024, len(_COLUMNS)))
        self._from = np.full(1024, _NO_PAGE, dtype=np.int64)
        self._size = 0

    def linked(self, page: int, relevance: float, depth: int, targets: Places, texts: Numbers) -> None:
        """A page came with links to distinct `targets`; `texts` is len(targets) × 3: anchor, URL and context."""
        if not len(targets):
            return
        self._reach(int(targets.max()))
        rows = self._table[targets]
        first = rows[:, _LINKS] == 0
        better = first | (rows[:, _GREATEST] < relevance)
        rows[better, _GREATEST] = relevance
        self._from[targets[better]] = page
        rows[:, _TOTAL] += relevance
        rows[:, _LINKS] += 1
        rows[:, _MEMBERS] += relevance >= self.community
        rows[:, _TEXTS] = np.maximum(rows[:, _TEXTS], texts)
        rows[:, _DEPTH] = np.where(first, depth + 1, np.minimum(rows[:, _DEPTH], depth + 1))
        self._table[targets] = rows

    def led(self, page: int, relevance: float) -> None:
        """A page of this relevance was fetched by way of a link of `page`."""
        self._reach(page)
        self._table[page, _LED] += 1
        self._table[page, _LED_R] += relevance
        self._table[page, _LED_M] += relevance >= self.community

    def depth(self, url: int) -> int:
        """Links from a start page; 0 for what nothing links to."""
        return int(self._table[url, _DEPTH]) if url < self._size else 0

    def hanging_on(self, page: int, targets: Places) -> Places:
        """Those of the targets whose siblings and hub are told by this page."""
        self._reach(int(targets.max(initial=-1)))
        hanging: Places = targets[self._from[targets] == page]
        return hanging

    def features(self, urls: Places) -> Numbers:
        """len(urls) × len(FEATURES) numbers in [0, 1], of URLs that something links to."""
        rows = self._table[urls]
        hubs = self._table[self._from[urls]]
        links, total, members = rows[:, _LINKS], rows[:, _TOTAL], rows[:, _MEMBERS]
        found = np.empty((len(urls), len(FEATURES)))
        found[:, 0] = rows[:, _GREATEST]
        found[:, 1] = np.minimum(1.0, total / np.maximum(links, 1.0))
        found[:, 2] = total / (1.0 + total)
        found[:, 3] = links / (1.0 + links)
        found[:, 4] = members / (1.0 + members)
        found[:, 5:8] = rows[:, _TEXTS]
        found[:, 8] = np.minimum(1.0, hubs[:, _LED_R] / np.maximum(hubs[:, _LED], 1.0))
        found[:, 9] = 1.0 / (1.0 + rows[:, _DEPTH])
        found[:, 10] = hubs[:, _LED_M] / (2.0 + hubs[:, _LED_M])
        return found

    def _reach(self, url: int) -> None:
        """Make room for a number."""
        self._size = max(self._size, url + 1)
        self._table = room_for(url + 1, self._table)
        self._from = room_for(url + 1, self._from, _NO_PAGE)

    def save(self) -> Mapping[str, Any]:
        size = self._size
        return {"table": self._table[:size].tobytes(), "from": self._from[:size].tobytes()}

    def load(self, state: Mapping[str, Any]) -> None:
        table = np.frombuffer(state["table"]).reshape(-1, len(_COLUMNS))
        self._size = 0
        self._reach(len(table) - 1)
        self._size = len(table)
        self._table[: len(table)] = table
        self._from[: len(table)] = np.frombuffer(state["from"], dtype=np.int64)

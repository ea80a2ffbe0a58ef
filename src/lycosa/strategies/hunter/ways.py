"""Which links lead on: delayed reward, learned within the crawl."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, ClassVar, Literal
from zlib import crc32

import numpy as np

from lycosa.model.records import Link, Page
from lycosa.model.url import host_of
from lycosa.scoring.links.smoothing import Floats, Ints
from lycosa.strategies.hunter.corpus import Corpus, words_of_urls
from lycosa.strategies.hunter.evidence import Evidence
from lycosa.strategies.hunter.further import FurtherEvidence
from lycosa.strategies.hunter.learners import SIZE, Bandit, Ftrl, Learner, Thompson
from lycosa.strategies.parts.columns import Rows, room_for

By = Literal["off", "ftrl", "bandit", "thompson"]
LEARNERS: Mapping[By, Callable[[], Learner]] = {"ftrl": Ftrl, "bandit": Bandit, "thompson": Thompson}

GAMMA = 0.5
"""What comes after the page counts so much against the page."""
ONWARD = 5
"""So many of the new links are what comes after it."""
KINDS = 4
"""Of pages, by their evidence against the best one's."""
_BARE = re.compile(r"[.#]\S*")


class Ways(FurtherEvidence):
    """What links of this kind gave so far, their pages and the new links found there, against what they promised.

    A link's reward is y = (r + γ · v) / (1 + γ). r is the evidence of its page, v the mean evidence of the `ONWARD`
    best links that the page was the first to name, those that are missing counting 0. So a page that says nothing of
    the topic earns what it leads to. Learned is (1 + y - e) / 2, e being the evidence that the link had itself: what is
    in its score already does not count again. All are measured by the best page's evidence and cut at 1. A link has the
    features with which it was met first. Memory: 4 bytes a feature, some twenty to sixty a link.
    """

    name: ClassVar[str] = "links of this kind lead on"

    def __init__(self, corpus: Corpus, evidence: Evidence, by: By) -> None:
        self._corpus, self._evidence = corpus, evidence
        self._learner = LEARNERS[by]()
        self._features = Rows()
        self._row = np.zeros(0, dtype=np.int32)  # by node, from 1; 0: it was not met as a link
        self._top = 1.0  # the evidence of the best page
        self._common: Counter[str] = Counter()  # the words of links, by how many links have them

    def see(self, page: Page, node: int, fresh: Mapping[int, Link]) -> None:
        own = self._evidence.of_page(node) / self._top
        self._row = room_for(len(self._corpus.graph), self._row)
        asked = self._corpus.graph.number_of(page.request.url)
        if row := int(self._row[asked]):
            found = self._evidence.scores(np.array([asked, *fresh])) / self._top
            self._learner.learn(self._features[row - 1], beyond(reward(own, found[1:]), found[0]))
        kind = int(np.clip(own * KINDS, 0, KINDS - 1))
        for target, link in fresh.items():
            words = list(self._corpus.words.in_text(link.anchor))
            self._common.update(words)
            self._features.append([hashed(each) for each in self._told(link, words, kind, len(page.links))])
            self._row[target] = len(self._features)

    def _told(self, link: Link, words: list[str], kind: int, links: int) -> Iterator[str]:
        """The features of a link: its class, then words, place, the kind of its page, and of its URL."""
        most_common = max(words, key=lambda word: (self._common[word], word), default="")
        tags = _BARE.sub("", link.path).split()
        place = "menu" if link.in_nav else " ".join(tags[-3:])
        elsewhere = host_of(link.source) != host_of(link.target)
        yield f"class {most_common} {place} {elsewhere}"
        yield "any"
        yield from (f"anchor {word}" for word in words)
        yield from (f"context {word}" for word in self._corpus.words.in_text(link.context))
        yield from (f"url {word}" for word in dict.fromkeys(words_of_urls([link.target])[0].split()))
        yield from (f"place {place}", f"position {int(4 * link.position)}", f"elsewhere {elsewhere}")
        yield from (f"on {kind}", f"on {kind} {place}", f"of {links.bit_length()}")

    def learn(self, rng: Random) -> None:
        self._top = max(float(self._evidence.of_pages()[1].max(initial=0.0)), 1.0)
        if len(self._features):
            rows = np.arange(len(self._features))
            self._learner.draw(np.unique(self._classes(rows)), rng)

    def _classes(self, rows: Ints) -> Ints:
        features, owners = self._features.gathered(rows)
        classes: Ints = features[np.searchsorted(owners, np.arange(len(rows)))]
        return classes

    def of(self, nodes: Ints) -> Floats:
        self._row = room_for(int(nodes.max(initial=-1)) + 1, self._row)
        found = np.zeros(len(nodes))
        met = np.flatnonzero(self._row[nodes])
        if met.size:
            features, owners = self._features.gathered(self._row[nodes[met]] - 1)
            found[met] = self._learner.values(features, np.searchsorted(owners, np.arange(len(met))))
        return found

    def save(self) -> Mapping[str, Any]:
        return {
            "learner": self._learner.save(),
            "features": self._features.save(),
            "row": self._row.tobytes(),
            "top": self._top,
            "common": dict(self._common),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._learner.load(state["learner"])
        self._features.load(state["features"])
        self._row = np.frombuffer(state["row"], dtype=np.int32).copy()
        self._top = state["top"]
        self._common = Counter(state["common"])


def reward(own: float, onward: Floats) -> float:
    """(r + γ · v) / (1 + γ), of a page's evidence and that of its new links, all cut to [0, 1]."""
    best = np.sort(np.clip(onward, 0.0, 1.0))[::-1][:ONWARD]
    return (float(np.clip(own, 0.0, 1.0)) + GAMMA * float(best.sum()) / ONWARD) / (1.0 + GAMMA)


def beyond(given: float, promised: float) -> float:
    """(1 + y - e) / 2, the promise e cut to [0, 1]: ½ for a link that kept what it promised."""
    return (1.0 + given - float(np.clip(promised, 0.0, 1.0))) / 2.0


def hashed(feature: str) -> int:
    """The number of a feature, below `SIZE`."""
    return crc32(feature.encode("utf-8", "surrogatepass")) % SIZE

"""Crawling as an environment for reinforcement learning, with the interface of Gymnasium.

It needs Gymnasium only to be made by `gymnasium.make("lycosa/Crawl-v0", …)`; without it the class is used as it is.
Rewards come from a task's answers: train on topics that are set apart for tuning, and report on others.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lycosa.crawl.inputs import Query
from lycosa.lab.experiments.design import TASKS
from lycosa.lab.tasks.judge import brief
from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.errors import InputError
from lycosa.model.records import Link, Page, Record
from lycosa.model.url import Url, host_of
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.parts.ledger import first_links

FEATURES = (
    "relevance of the best page that links there",
    "cosine of anchor and topic",
    "cosine of context and topic",
    "share of the topic's words in the URL",
    "in navigation",
    "on the host of its page",
    "pages that link there, n / (n + 3)",
    "depth, d / (d + 3)",
)
"""Of each candidate, in [0, 1]."""
REWARDS = ("targets", "relevance")
ID = "lycosa/Crawl-v0"

Observation = dict[str, npt.NDArray[np.float32]]


class Candidate(Record, frozen=True, kw_only=True):
    """A URL that may be fetched next."""

    url: Url
    link: Link | None
    depth: int
    order: int
    relevance: float = 0.0
    """Of the best page that links there; 1 of a start page."""
    parents: int = 0


class CrawlEnv:
    """One crawl of a recorded web, one fetch a step.

    An action is the place of a candidate in the observation. Offered are the URLs that wait, those found on the most
    relevant pages first, ties in the order of their arrival: action 0 for ever is best-first crawling. An action beyond
    the candidates offered takes the last.

    Observation: `candidates`, an array of `offered` × 8 (see `FEATURES`), rows beyond the last candidate 0; `mask`, 1
    where there is a candidate; `progress`: share of the budget used, share of pages so far that were relevant, and n /
    (n + 1000) of the URLs that wait. `info` has the URLs of the candidates, the page fetched, and whether it was
    recorded. Reward: 1 for each new target, or the page's relevance to the topic. The episode is terminated when
    nothing waits or all targets are found, and truncated when the budget is spent. What was not recorded gives no
    reward and costs a step (in experiments it costs nothing).

    Invariants, each the name of a test:

    * best-first by action 0: the pages of best-first crawling.
    * never twice: no page is fetched twice, and nothing that the task excludes.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium has it
    render_mode = None
    spec: Any = None

    def __init__(
        self,
        web: LabWeb,
        task: Task,
        *,
        distance: int = 2,
        pages: int = 500,
        offered: int = 64,
        reward: str = "targets",
    ) -> None:
        """Raises `InputError` for a task without start pages at this distance, or an unknown kind of reward."""
        if reward not in REWARDS:
            raise InputError(f"reward {reward!r}: give one of {', '.join(REWARDS)}")
        told = brief(task, distance)
        self.web, self.pages, self.offered, self.kind = web, pages, offered, reward
        self._seeds = told.seeds
        self._model = told.source().model()
        (query,) = (each for each in told.source().inputs() if isinstance(each, Query))
        self._words = TopicWords.of(query)
        self._links = self._words.in_texts()
        self._targets = frozenset(_numbers(web, task.wanted(distance)))
        self._excluded = frozenset(_numbers(web, task.excluded))
        boxes = _spaces()
        self.action_space = boxes.Discrete(offered)
        self.observation_space = boxes.Dict(
            {
                "candidates": boxes.Box(0.0, 1.0, (offered, len(FEATURES)), np.float32),
                "mask": boxes.Box(0.0, 1.0, (offered,), np.float32),
                "progress": boxes.Box(0.0, 1.0, (3,), np.float32),
            }
        )
        self._offer: list[Candidate] | None = None
        self._begin()

    @property
    def unwrapped(self) -> CrawlEnv:
        return self

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a crawl. Nothing is left to chance: the seed changes nothing."""
        self._begin()
        return self._observed(), self._told()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Fetch a candidate: observation, reward, terminated, truncated, info."""
        shown = self._shown()
        if not shown:
            return self._observed(), 0.0, True, False, self._told()
        chosen = shown[min(int(action), len(shown) - 1)]
        self._offer = None
        del self._waiting[chosen.url]
        self._closed.add(chosen.url)
        self._steps += 1
        page = self._fetched(chosen)
        reward = 0.0 if page is None else self._welcome(page, chosen)
        found_all = bool(self._targets) and self._targets <= self._visited
        terminated = not self._waiting or found_all
        truncated = not terminated and self._steps >= self.pages
        info = {**self._told(), "url": chosen.url, "recorded": page is not None}
        return self._observed(), reward, terminated, truncated, info

    def close(self) -> None:
        """Nothing to do."""

    def render(self) -> None:
        """Nothing is drawn."""

    @property
    def recall(self) -> float:
        """Share of the targets found so far."""
        return len(self._targets & self._visited) / len(self._targets) if self._targets else 0.0

    def _begin(self) -> None:
        self._waiting: dict[Url, Candidate] = {}
        self._closed: set[Url] = set()
        self._visited: set[int] = set()
        self._steps = self._good = self._arrived = 0
        self._offer = None
        for url in self._seeds:
            self._meet(url, None, 0, 1.0)

    def _meet(self, url: Url, link: Link | None, depth: int, relevance: float) -> None:
        if url in self._closed:
            return
        known = self._waiting.get(url)
        if known is None:
            self._arrived += 1
            known = Candidate(url=url, link=link, depth=depth, order=self._arrived, relevance=relevance)
        best = relevance > known.relevance
        self._waiting[url] = Candidate(
            url=url,
            link=link if best else known.link,
            depth=known.depth,
            order=known.order,
            relevance=max(relevance, known.relevance),
            parents=known.parents + (link is not None),
        )

    def _fetched(self, chosen: Candidate) -> Page | None:
        """The page, if it was recorded, is not hidden, and was not fetched under another name."""
        number = self.web.index(chosen.url)
        if number is None or number in self._excluded or number in self._visited:
            return None
        self._visited.add(number)
        return self.web.page(number)

    def _welcome(self, page: Page, chosen: Candidate) -> float:
        relevance = self._model.relevance(page)
        links = first_links(page)
        for url in page.out:
            self._meet(url, links[url], chosen.depth + 1, relevance)
        number = self.web.index(page.final_url)
        self._good += relevance >= 0.1
        return float(number in self._targets) if self.kind == "targets" else relevance

    def _shown(self) -> list[Candidate]:
        if self._offer is None:
            best = heapq.nsmallest(
                self.offered, self._waiting.values(), key=lambda each: (-each.relevance, each.order)
            )
            self._offer = best
        return self._offer

    def _told(self) -> dict[str, Any]:
        return {"urls": [each.url for each in self._shown()], "recall": self.recall, "steps": self._steps}

    def _observed(self) -> Observation:
        shown = self._shown()
        candidates = np.zeros((self.offered, len(FEATURES)), dtype=np.float32)
        for row, each in enumerate(shown):
            candidates[row] = self._features(each)
        mask = (np.arange(self.offered) < len(shown)).astype(np.float32)
        waiting = len(self._waiting)
        progress = [
            min(1.0, self._steps / self.pages),
            self._good / max(1, self._steps),
            waiting / (waiting + 1000),
        ]
        return {"candidates": candidates, "mask": mask, "progress": np.array(progress, dtype=np.float32)}

    def _features(self, each: Candidate) -> Sequence[float]:
        link, url = each.link, each.url.lower()
        anchor = self._links.of(link.anchor) if link else 0.0
        context = self._links.of(link.context) if link else 0.0
        return (
            each.relevance,
            anchor,
            context,
            sum(word in url for word in self._words.terms) / max(1, len(self._words.terms)),
            float(link is not None and link.in_nav),
            float(link is not None and host_of(link.source) == host_of(each.url)),
            each.parents / (each.parents + 3),
            each.depth / (each.depth + 3),
        )


def _numbers(web: LabWeb, urls: Sequence[Url]) -> list[int]:
    return [number for url in urls if (number := web.index(url)) is not None]


# -- Gymnasium, if it is there -------------------------------------------------------------------------------


class _Discrete:
    """As Gymnasium's: whole numbers from 0 to n - 1."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._chance = random.Random(0)

    def seed(self, seed: int | None = None) -> None:
        self._chance = random.Random(seed)

    def sample(self) -> int:
        return self._chance.randrange(self.n)

    def contains(self, value: object) -> bool:
        return isinstance(value, int | np.integer) and 0 <= int(value) < self.n


class _Box:
    """As Gymnasium's: arrays of a shape between two values."""

    def __init__(self, low: float, high: float, shape: tuple[int, ...], dtype: Any) -> None:
        self.low, self.high, self.shape, self.dtype = low, high, shape, np.dtype(dtype)

    def contains(self, value: object) -> bool:
        if not isinstance(value, np.ndarray) or value.shape != self.shape or value.dtype != self.dtype:
            return False
        return bool(np.all((value >= self.low) & (value <= self.high)))


class _Dict(dict[str, Any]):
    """As Gymnasium's: spaces by name."""

    def contains(self, value: object) -> bool:
        return isinstance(value, dict) and all(
            name in value and space.contains(value[name]) for name, space in self.items()
        )


class _Boxes:
    Discrete, Box, Dict = _Discrete, _Box, _Dict


def _spaces() -> Any:
    try:
        from gymnasium import spaces
    except ImportError:
        return _Boxes
    return spaces


def _opened(web: str, task: str, tasks: str = "") -> tuple[LabWeb, Task]:
    """A web by its path and a task by its id, which Gymnasium can copy."""
    told = {each.id: each for each in read_tasks(Path(tasks) if tasks else Path(web) / TASKS)}
    if task not in told:
        raise InputError(f"{web}: there is no task {task!r}; there are: {', '.join(told)}")
    return open_web([Path(web)]), told[task]


def register() -> bool:
    """Make the environment known to Gymnasium, if that is installed; done when this module is imported.

    `gymnasium.make("lycosa/Crawl-v0", web="PATH", task="ID", distance=2, pages=500)`
    """
    try:
        import gymnasium
    except ImportError:
        return False
    if ID not in gymnasium.registry:

        class Registered(CrawlEnv, gymnasium.Env):  # type: ignore[misc, type-arg, unused-ignore]
            """What `gymnasium.make` asks for."""

            def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
                gymnasium.Env.reset(self, seed=seed)
                return CrawlEnv.reset(self, seed=seed, options=options)

        def made(**settings: Any) -> Any:
            where = {name: settings.pop(name) for name in ("web", "task", "tasks") if name in settings}
            return Registered(*_opened(**where), **settings)

        gymnasium.register(id=ID, entry_point=made)
    return True


register()

"""Worlds of made-up webs: what one topic's crawler would see of a changing web, as plain times."""

from __future__ import annotations

from itertools import count
from math import inf

import numpy as np

from lycosa.lab.time.world import PageLife, World
from lycosa.web.made.chance import mix, uniform
from lycosa.web.made.changing import ChangingWeb
from lycosa.web.made.manners import TRUE_DATES

BLUR = 0.3
"""What a crawler takes a page's relevance for is off by so much at most."""


def made_world(web: ChangingWeb, topic: int, days: float) -> World:
    """All pages of the web that answer and are there at some time of the first `days`, for one topic.

    Importance is left to relevance; clicks fall as k ** -1.5 with the place k of a page among the relevant ones (Pandey
    and Olston, WWW 2005), in an order of chance.
    """
    lives = web.lives
    numbers = [
        number
        for number in range(len(web))
        if web.fate(number) == "page" and lives.born(number) <= days and lives.died(number) > 0
    ]
    place = {number: at for at, number in enumerate(numbers)}
    listed = _listings(web, numbers, place, days)
    relevant = [number for number in numbers if web.topic(number) == topic]
    order = sorted(relevant, key=lambda number: mix(topic + 1, number))
    clicks = {number: rank**-1.5 for rank, number in zip(count(1), order)}
    pages = tuple(
        _life(web, number, topic, days, listed[number], clicks.get(number, 0.0)) for number in numbers
    )
    return World(name=f"topic {topic}", days=days, pages=pages)


def _listings(
    web: ChangingWeb, numbers: list[int], place: dict[int, int], days: float
) -> dict[int, list[tuple[float, int]]]:
    """When which page shows a link to which new one: hubs their news, others from their own birth on, or from their
    next change after the other's."""
    lives = web.lives
    found: dict[int, list[tuple[float, int]]] = {}
    for number in numbers:
        news = [(at, place[item]) for at, item in lives.listed(number) if item in place and at <= days]
        for to in web.links(number):
            born, own = lives.born(to), lives.born(number)
            if to not in place or born <= 0:
                continue
            if own > born:
                news.append((own, place[to]))
            elif turn := next(lives.turns(number, born, days), None):
                news.append((turn.at, place[to]))
        found[number] = sorted(news)
    return found


def _life(
    web: ChangingWeb, number: int, topic: int, days: float, listings: list[tuple[float, int]], clicks: float
) -> PageLife:
    lives, mixture = web.lives, web.lives.mixture(number)
    turns = list(lives.turns(number, 0.0, days))
    relevance = float(web.topic(number) == topic)
    blur = BLUR * uniform(mix(web.seed, 4000), number)
    died = lives.died(number)
    return PageLife(
        url=web.url(number),
        changes=np.array([turn.at for turn in turns], dtype=np.float64),
        churns=np.array([not turn.scrolls for turn in turns], dtype=np.bool_),
        churn=mixture.churn,
        scroll=mixture.scroll,
        items=max(mixture.items, 1),
        born=lives.born(number),
        died=died if died <= days else inf,
        relevance=relevance,
        seen_relevance=abs(relevance - blur),
        clicks=clicks,
        listings=tuple(listings),
        is_dated=web.manner(number) in TRUE_DATES and web.noise(number) == "none",
        shown=web.changing.shown if listings and lives.ground.is_hub(number) else 1 << 30,
    )

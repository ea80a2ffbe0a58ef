"""Tasks on generated webs: what is to be found is known to the generator, and the way there too.

No graph is drawn. A task on a web of a million pages takes a second, most of it to tell which pages are about it.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from lycosa.lab.tasks.seeds import DISTANCES
from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.generated import Generated, GeneratedLab
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.web.made.topical import TopicalWeb

WALKED = 200
"""Pages of each layer from which the walk goes on backwards, at most."""


class MadeUpRules(Record, frozen=True, kw_only=True):
    """How tasks on a generated web are made."""

    topics: int = 10
    """So many tasks, of topics drawn at random; all there are if it has fewer."""
    targets: int = 20
    """Home pages of hosts that are about the topic, drawn at random."""
    distances: tuple[int, ...] = (1, 2, 3)
    """The D wanted, from 1 on."""
    in_links: int = 20
    """So many pages that link to a page are looked at, drawn at random."""
    drawn: int = 10
    """Start pages for each D."""
    least: int = 5
    """A D with fewer start pages is left out."""
    examples: int = 10
    """Pages about the topic that are no targets, and do not count as relevant when they are fetched."""
    seed: int = 0
    """Of all draws; a topic's draws do not depend on the other topics."""


def made_up_tasks(web: TopicalWeb, rules: MadeUpRules | None = None) -> Iterator[Task]:
    """Tasks with keywords, hidden description, targets, relevant pages, examples and start pages.

    Relevant are the pages about the topic that answer, near-duplicates and examples left out. Raises `InputError` for a
    distance that is none.
    """
    rules = rules or MadeUpRules()
    if wrong := [d for d in rules.distances if d not in DISTANCES[1:]]:
        raise InputError(f"start pages at distance {wrong[0]}: give distances from 1 to {DISTANCES[-1]}")
    drawn = random.Random(f"{rules.seed}/topics").sample(range(web.topics), min(rules.topics, web.topics))
    for topic in sorted(drawn):
        yield _task(web, topic, rules)


def _task(web: TopicalWeb, topic: int, rules: MadeUpRules) -> Task:
    targets = web.targets(topic, rules.targets)
    about = web.on_topic(topic)
    others = sorted({*about} - {*targets})
    chance = random.Random(f"{rules.seed}/examples/{topic}")
    examples = sorted(chance.sample(others, min(rules.examples, len(others) // 2)))
    relevant = sorted({*about, *targets} - {*examples})
    seeds = {
        distance: _urls(web, found)
        for distance in sorted(set(rules.distances))
        if len(found := start_pages(web, targets, distance, rules, {*about, *targets})) >= rules.least
    }
    return Task(
        id=f"topic-{topic:03}",
        keywords=web.keywords(topic),
        description=web.description(topic),
        targets=_urls(web, targets),
        relevant=_urls(web, relevant),
        examples=_urls(web, examples),
        seeds=seeds,
    )


def start_pages(
    web: TopicalWeb, targets: Sequence[int], distance: int, rules: MadeUpRules, about: Collection[int]
) -> list[int]:
    """Pages, none of them about the topic, exactly so many links away from the nearest target. Ascending.

    Found by walking backwards from the targets. That no way is shorter is seen by walking forwards, through redirects
    too.
    """
    chance = random.Random(f"{rules.seed}/seeds/{distance}/{min(targets, default=0)}")
    layer = list(targets)
    for _ in range(distance):
        found: dict[int, None] = {}
        for page in chance.sample(layer, min(WALKED, len(layer))):
            found.update(dict.fromkeys(web.some_in_links(page, rules.in_links, chance)))
        layer = sorted(found)
    chance.shuffle(layer)
    sought = frozenset(targets)
    exact: list[int] = []
    for page in layer:
        if len(exact) == rules.drawn:
            break
        if page not in about and not within(web, page, sought, distance - 1):
            exact.append(page)
    return sorted(exact)


def within(web: TopicalWeb, page: int, targets: Collection[int], distance: int) -> bool:
    """Whether a visitor finds one of the targets by following at most so many links."""
    layer, seen = [page], {page}
    for _ in range(distance + 1):
        if any(each in targets for each in layer):
            return True
        ends = (web.landing(to) for each in layer for to in web.links(each))
        layer = [end for end in dict.fromkeys(ends) if end is not None and end not in seen]
        seen.update(layer)
    return False


def _urls(web: TopicalWeb, numbers: Sequence[int]) -> tuple[Url, ...]:
    return tuple(web.url(number) for number in numbers)


@cache
def tasks_made(spec: Generated, distances: tuple[int, ...]) -> Sequence[Task]:
    """The tasks of a generated web for which no file is named. Raises `InputError` if none can be started."""
    rules = MadeUpRules(topics=spec.topics, targets=spec.targets, distances=distances, seed=spec.seed)
    tasks = [task for task in made_up_tasks(generated_lab(spec).web, rules) if task.seeds]
    if not tasks:
        raise InputError(f"a generated web of {spec.pages:,} pages has no start pages at D = {distances}")
    return tasks


@cache
def generated_lab(spec: Generated) -> GeneratedLab:
    """The web of a specification, made once in a process."""
    return spec.web()

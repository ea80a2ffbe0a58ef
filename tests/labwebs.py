"""A small recorded web with tasks, and strategies that misbehave, for tests of experiments."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.crawl.strategy import Strategy, View
from lycosa.lab.experiments.design import WebSpec
from lycosa.lab.experiments.experiment import Experiment
from lycosa.lab.tasks.seeds import SeedRules, with_seeds
from lycosa.lab.tasks.task import Task, write_tasks
from lycosa.lab.webs.lab_web import open_web
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Millis, Page, Response
from lycosa.model.url import Url

WORDS = ("wolf", "coral", "violin", "glacier", "comet", "bread", "harbour", "lantern")
PAGES = 120


def url(number: int) -> Url:
    return Url(f"http://h{number % 5}.test/{WORDS[number % 8]}/{number}")


def record_web(folder: Path, topics: int = 8) -> Path:
    """A web of 120 pages on eight topics, links within a topic and across, with a task for each topic."""
    archive = WarcArchive.open(folder, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    for number in range(PAGES):
        near = [(number + 8) % PAGES, (number + 16) % PAGES]  # of the same topic
        far = [
            (3 * number + 1) % PAGES,
            (5 * number + 2) % PAGES,
            PAGES + number,
        ]  # the last was not recorded
        text = f"{WORDS[number % 8]} " * (1 + number % 3) + f"of the {WORDS[number % 7]} and more"
        links = "".join(f'<p><a href="{url(to)}">{WORDS[to % 8]}</a> here</p>' for to in (*far, *near))
        body = f"<title>{WORDS[number % 8]} {number}</title><p>{text}</p>{links}"
        archive.write(
            Response(
                url=url(number),
                status=200,
                headers=(("Content-Type", "text/html"),),
                body=body.encode(),
                fetched_at=Millis(1_000_000),
            )
        )
    archive.close()
    graph = open_web([folder], kept_in=folder).graph()
    tasks = (
        Task(
            id=f"t{topic}",
            keywords=(WORDS[topic],),
            description=f"{WORDS[topic]} {WORDS[topic]} of the kind",
            targets=tuple(url(number) for number in range(topic, PAGES, 8) if number % 3 == 1),
            examples=(url(topic + 8 * 2),),
        )
        for topic in range(topics)
    )
    rules = SeedRules(distances=(1, 2), drawn=3, least=1)
    write_tasks([with_seeds(task, graph, rules) for task in tasks], folder / "topics.jsonl")
    return folder


def small_experiment(web: Path, **more: object) -> Experiment:
    settings: dict[str, object] = {
        "strategies": {"plain": "best-first", "broad": "breadth-first"},
        "webs": {"small": WebSpec(path=str(web))},
        "pages": 30,
        "distances": (2,),
        **more,
    }
    return Experiment(**settings)  # type: ignore[arg-type]


class Raising(Strategy):
    """Raises on its fifth page."""

    def __init__(self) -> None:
        self.pages = 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self.pages += 1
        if self.pages == 5:
            raise ZeroDivisionError("by nought")
        return [Enqueue(url=url, score=page.relevance) for url in page.out]


class Unmakeable(Raising):
    """Cannot even be made."""

    def __init__(self) -> None:
        raise ValueError("no such luck")

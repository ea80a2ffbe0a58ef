"""Generated webs in experiments: tasks by what the generator knows, and crawls on webs too large to be drawn."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from lycosa.cli.group import lycosa
from lycosa.lab import Experiment, Results, WebSpec, load_experiment
from lycosa.lab.experiments.design import tasks_of
from lycosa.lab.experiments.measured import BOUNDS
from lycosa.lab.experiments.runner import run, web_digest, web_of
from lycosa.lab.report.page import page_of
from lycosa.lab.report.paper_tables import markdown
from lycosa.lab.tasks.made_up import MadeUpRules, generated_lab, made_up_tasks, within
from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.generated import Generated, generated_from
from lycosa.model.errors import InputError
from lycosa.model.url import Url

SMALL = Generated(pages=3_000, parents=3, leaves=3, hosts=180, seed=5, topics=4, targets=8)
LAB = generated_lab(SMALL)


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return list(made_up_tasks(LAB.web, MadeUpRules(topics=4, targets=8, seed=5)))


def numbers(urls: tuple[Url, ...]) -> set[int]:
    found = {LAB.index(url) for url in urls}
    assert None not in found
    return found  # type: ignore[return-value]


def test_start_pages_lie_exactly_so_many_links_away(tasks: list[Task]) -> None:
    """By the whole graph, as a visitor finds it."""
    graph = LAB.graph()
    assert sum(len(seeds) for task in tasks for seeds in task.seeds.values()) > 80
    for task in tasks:
        away = graph.backwards.distances(np.array(sorted(numbers(task.targets))))
        for distance, urls in task.seeds.items():
            assert {int(away[page]) for page in numbers(urls)} == {distance}
            assert len(urls) == 10
            assert not {*urls} & {*task.relevant, *task.examples}


def test_a_task_is_what_the_generator_knows(tasks: list[Task]) -> None:
    web = LAB.web
    for task in tasks:
        topic = int(task.id.removeprefix("topic-"))
        assert task.keywords == web.keywords(topic)
        assert task.description == web.description(topic)
        assert {*task.targets} <= {*task.relevant}
        assert not {*task.examples} & {*task.relevant}
        assert len(task.examples) == 10
        about = numbers((*task.relevant, *task.examples))
        assert about == {
            page
            for page in range(len(web))
            if web.fate(page) == "page"
            and web.original(page) == page
            and (web.topic(page) == topic or web.url(page) in task.targets)
        }
        assert all(url.count("/") == 3 for url in task.targets)  # home pages


def test_the_same_seed_the_same_tasks_whatever_else_is_made(tasks: list[Task]) -> None:
    def made(topics: int, seed: int) -> dict[str, Task]:
        rules = MadeUpRules(topics=topics, targets=8, distances=(2,), seed=seed)
        return {task.id: task for task in made_up_tasks(LAB.web, rules)}

    some, everything = made(4, 5), made(99, 5)
    assert len(everything) == 9
    assert {id_: everything[id_] for id_ in some} == some == made(4, 5)
    assert [task.seeds[2] for task in tasks] == [task.seeds[2] for task in some.values()]
    others = made(99, 6)
    assert all(others[id_].seeds != everything[id_].seeds for id_ in everything)


def test_within_counts_links_by_hand() -> None:
    """A page is within 0 of itself, and within 1 of what it links to."""
    page = next(page for page in range(len(LAB)) if len(LAB.web.links(page)) > 2)
    next_door = LAB.web.landing(LAB.web.links(page)[0])
    assert next_door is not None
    assert within(LAB.web, page, {page}, 0)
    assert not within(LAB.web, page, {next_door}, 0)
    assert within(LAB.web, page, {next_door}, 1)


def test_distances_that_are_none() -> None:
    with pytest.raises(InputError, match="give distances from 1 to 4"):
        list(made_up_tasks(LAB.web, MadeUpRules(distances=(0,))))


# -- specifications ------------------------------------------------------------------------------------------


def test_hosts_come_with_pages() -> None:
    assert Generated(pages=1_000_000).shape.hosts == 62_500
    assert Generated(pages=1_000).shape.hosts == 96  # a host for each topic
    assert SMALL.shape.hosts == 180


def test_a_web_is_the_same_whatever_its_tasks() -> None:
    spec = WebSpec(generated=SMALL)
    digest = web_digest(web_of(spec))
    assert digest == web_digest(
        web_of(WebSpec(generated=msgspec.structs.replace(SMALL, topics=9, targets=3)))
    )
    assert digest != web_digest(web_of(WebSpec(generated=msgspec.structs.replace(SMALL, seed=6))))
    assert digest != web_digest(web_of(WebSpec(generated=msgspec.structs.replace(SMALL, drift=0.5))))


def test_a_web_on_the_command_line() -> None:
    assert generated_from("pages=5000, seed=3,drift=0.2") == Generated(pages=5000, seed=3, drift=0.2)
    with pytest.raises(InputError, match="unknown field `page`"):
        generated_from("page=3")


def test_tasks_are_written_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tasks: list[Task]
) -> None:
    file = tmp_path / "made.jsonl"
    shape = "pages=3000,parents=3,leaves=3,hosts=180,seed=5,targets=8"
    with pytest.raises(SystemExit) as left:
        lycosa.main(
            ["lab", "tasks", "--generated", shape, "--topics", "4", "-o", str(file)], prog_name="lycosa"
        )
    assert left.value.code == 0
    assert "4 at D = 1, 4 at D = 2, 4 at D = 3" in capsys.readouterr().out
    assert read_tasks(file) == tasks
    with pytest.raises(SystemExit) as left:
        lycosa.main(["lab", "tasks", "-o", str(file)], prog_name="lycosa")
    assert left.value.code == 2


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("generated = {page = 3}", "there is no key 'page'"),
        ("", "give either path or generated"),
        ('path = "x"\ngenerated = {pages = 3000}', "give either path or generated"),
        ("generated = {pages = 50}", "give each topic at least one host"),
    ],
)
def test_webs_that_are_none(written: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(f"[strategies]\na = 'best-first'\n[webs.w]\n{written}\n")
    with pytest.raises(InputError, match=told):
        run(load_experiment(tmp_path / "e.toml"), tmp_path / "run", workers=1)


# -- experiments ---------------------------------------------------------------------------------------------


def experiment(spec: Generated, **more: object) -> Experiment:
    settings: dict[str, object] = {
        "strategies": {"plain": "best-first", "broad": "breadth-first"},
        "webs": {"made": WebSpec(generated=spec)},
        "pages": 100,
        "distances": (2,),
        "most_topics": 2,
        **more,
    }
    return Experiment(**settings)  # type: ignore[arg-type]


def test_crawls_and_bounds_on_a_generated_web(tmp_path: Path) -> None:
    found = experiment(SMALL, examples=3).run(tmp_path, workers=1)
    assert not found.failed
    (group,) = found.groups
    means = found.means(group)
    assert set(means) == {"plain", "broad", *BOUNDS}
    assert means["oracle"].mean >= means["plain"].mean > means["broad"].mean
    again = Results(experiment(SMALL, examples=3), tmp_path)
    assert {each.digest for each in again.crawls} == {each.digest for each in found.crawls}
    assert all(0 < each.values["harvest@100"] <= 1 for each in found.crawls if each.cell.label == "plain")
    assert "3,000" in page_of(found)


def test_a_web_too_large_to_be_drawn_is_crawled_without_bounds(tmp_path: Path) -> None:
    """Of two million pages no graph is drawn (it would raise), and it is said that bounds are missing."""
    large = Generated(pages=2_000_000, parents=60, leaves=10, seed=1, topics=2)
    found = experiment(large, pages=30).run(tmp_path, workers=1)
    (group,) = found.groups
    assert set(found.means(group)) == {"plain", "broad"}
    assert "No bounds: made is too large for them to be worked out." in markdown(found)
    assert "No bounds: made is too large" in page_of(found)


def test_what_is_made_of_recorded_webs_is_not_offered(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'f' asks for Taxonomy, which is made of recorded webs only"):
        experiment(SMALL, strategies={"f": "focused"}).run(tmp_path, workers=1)


def test_tasks_may_come_from_a_file(tmp_path: Path, tasks: list[Task]) -> None:
    file = tmp_path / "own.jsonl"
    one: Task = tasks[0]
    file.write_bytes(msgspec.json.encode(one) + b"\n")
    own = experiment(SMALL, webs={"made": WebSpec(generated=SMALL, tasks=str(file))})
    assert [task.id for task in tasks_of(own, "made")] == [one.id]

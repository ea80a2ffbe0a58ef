"""Experiments: their files, their cells, what a run leaves, and what becomes of crawls that fail."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.labwebs import Raising, Unmakeable, record_web, small_experiment

from lycosa.lab import Experiment, Results, WebSpec, load_experiment
from lycosa.lab.experiments.cell import Result, pack, unpack
from lycosa.lab.experiments.design import bounded, cells_of, tasks_of
from lycosa.lab.experiments.runner import Progress, plan, results, run, saved_experiment
from lycosa.lab.experiments.runs import runs_of
from lycosa.lab.measures.trajectory import Names
from lycosa.lab.tasks.split import Tuned, split, write_tuned
from lycosa.lab.tasks.task import read_tasks, write_tasks
from lycosa.model import naming
from lycosa.model.errors import FolderError, InputError

EXPERIMENTS = Path(__file__).parents[2] / "benchmarks" / "experiments"
HUNTER = EXPERIMENTS.parent / "hunter"
ORDER = EXPERIMENTS.parent / "order"


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("web"))


def done(experiment: Experiment, folder: Path) -> list[Result]:
    return [each for web in experiment.webs for each in results(experiment, folder, web, Names())]


def digests(experiment: Experiment, folder: Path) -> dict[str, str]:
    """By file of a cell, what was crawled in which order."""
    return {
        file.name: result.digest()
        for file in sorted((folder / "cells").glob("*.cell"))
        if (result := unpack(file.read_bytes(), Names())) is not None
    }


# -- files ---------------------------------------------------------------------------------------------------


def test_an_experiment_is_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "first.toml").write_text(
        'pages = 10\ndistances = [1, 2]\n[strategies]\na = "best-first"\n'
        '[webs.here]\npath = "web"\n[webs.there]\npath = "${SOMEWHERE}/web"\ntasks = "own.jsonl"\n'
    )
    monkeypatch.setenv("SOMEWHERE", "/else")
    read = load_experiment(tmp_path / "first.toml")
    assert read.webs["here"].path == str(tmp_path.resolve() / "web")
    assert read.webs["there"] == WebSpec(path="/else/web", tasks=str(tmp_path.resolve() / "own.jsonl"))
    assert read.against == "a"
    monkeypatch.delenv("SOMEWHERE")
    with pytest.raises(InputError, match="SOMEWHERE, which is not set; set it with: export SOMEWHERE=PATH"):
        load_experiment(tmp_path / "first.toml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[webs.w]\npath = 'x'\n[strategies]\n", "no strategies"),
        ("[strategies]\na = 'best-first'\n[webs]\n", "no web"),
        (
            "baseline = 'c'\n[strategies]\na = 'best-first'\n[webs.w]\npath = 'x'\n",
            "'c' is none of the strategies",
        ),
        ("[strategies]\na = 'best-frist'\n[webs.w]\npath = 'x'\n", "did you mean 'best-first'"),
        ("[strategies]\na = 'best-first+nothing'\n[webs.w]\npath = 'x'\n", "nothing"),
        (
            "page = 3\n[strategies]\na = 'best-first'\n[webs.w]\npath = 'x'\n",
            "line 1: there is no key 'page'",
        ),
    ],
)
def test_what_no_crawl_could_be_made_of_is_refused(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(text)
    with pytest.raises(InputError, match=told):
        load_experiment(tmp_path / "e.toml")


def test_tuned_strategies_bring_their_topics(web: Path, tmp_path: Path) -> None:
    """What was tuned on may not be reported on; the other side of the split may."""
    topics = [task.id for task in tasks_of(small_experiment(web), "small")]
    lock = split(topics, 0.5)
    record = Tuned(
        strategy="bfs-n:n=4+explore:epsilon=0.1",
        parameters={"n": 7},
        web="small",
        topics=lock.tuning,
        split=lock.digest,
    )
    assert record.specification == "bfs-n:n=7+explore:epsilon=0.1"
    write_tuned(record, tmp_path / "mine.json")
    told = f'tuning_share = 0.5\n[strategies]\na = "@mine.json"\n[webs.small]\npath = "{web}"\n'
    (tmp_path / "e.toml").write_text("distances = [2]\n" + told)
    read = load_experiment(tmp_path / "e.toml")
    assert read.strategies == {"a": "bfs-n:n=7+explore:epsilon=0.1"}
    assert set(read.tuned_on) == set(lock.tuning)
    with pytest.raises(InputError, match="was tuned on: results on it cannot be reported"):
        tasks_of(read, "small")
    reporting = msgspec.structs.replace(read, topics="reporting")
    assert {task.id for task in tasks_of(reporting, "small")} == set(lock.reporting)
    (tmp_path / "mine.json").write_text("{}")
    with pytest.raises(InputError, match="lycosa lab tune"):
        load_experiment(tmp_path / "e.toml")


def test_without_topics_an_experiment_says_so(web: Path) -> None:
    with pytest.raises(InputError, match=r"no all topic with start pages at D = 4"):
        tasks_of(small_experiment(web, distances=(4,)), "small")


# -- cells ---------------------------------------------------------------------------------------------------


def test_equal_crawls_under_two_labels_run_once(web: Path, tmp_path: Path) -> None:
    experiment = small_experiment(web, strategies={"one": "best-first", "two": "best-first"}, most_topics=2)
    told: list[Progress] = []
    run(experiment, tmp_path, workers=1, tell=told.append)
    assert (told[-1].done, told[-1].of) == (2, 2)
    assert len(list((tmp_path / "cells").iterdir())) == 2
    assert [each.cell.label for each in done(experiment, tmp_path)] == ["one", "two"] * 2


def test_cells_come_topic_by_topic(web: Path) -> None:
    experiment = small_experiment(web, distances=(1, 2), frontiers=(0, 20), seeds=(0, 1))
    tasks = tasks_of(experiment, "small")
    cells = list(cells_of(experiment, "small", tasks))
    assert len(cells) == len(tasks) * 2 * 2 * 2 * 2
    assert [each.task for each in cells] == sorted(
        (each.task for each in cells), key=[t.id for t in tasks].index
    )


def test_a_bound_reaches_those_that_keep_their_urls_themselves(web: Path) -> None:
    """The crawl's frontier is nothing to InfoSpiders: without this, all sizes of it gave the same crawl."""
    assert bounded("best-first", 512) == "best-first"
    assert bounded("infospiders", 0) == "infospiders"
    assert bounded("infospiders", 1) == "infospiders:max_buffer=2"
    assert bounded("infospiders: max_buffer = 64", 512) == "infospiders: max_buffer = 64"
    around = bounded("infospiders:evolution=false+explore:epsilon=0.1", 512)
    assert around == "infospiders:evolution=false,max_buffer=512+explore:epsilon=0.1"
    experiment = small_experiment(web, strategies={"is": "infospiders"}, frontiers=(8, 0), most_topics=1)
    cells = cells_of(experiment, "small", tasks_of(experiment, "small"))
    assert [each.strategy for each in cells] == ["infospiders:max_buffer=8", "infospiders"]


def test_only_those_that_draw_lots_get_several_seeds(web: Path) -> None:
    experiment = small_experiment(
        web, strategies={"a": "best-first", "r": "random"}, seeds=(5, 6, 7), random=("r",), most_topics=1
    )
    cells = cells_of(experiment, "small", tasks_of(experiment, "small"))
    assert [(each.label, each.seed) for each in cells] == [("a", 5), ("r", 5), ("r", 6), ("r", 7)]
    with pytest.raises(InputError, match="random: 'b' is none of the strategies"):
        msgspec.structs.replace(experiment, random=("b",)).checked()


def test_a_key_names_the_crawl_not_the_label(web: Path) -> None:
    (one, two, *_) = cells_of(small_experiment(web), "small", tasks_of(small_experiment(web), "small"))
    assert one.key("w", "t") == msgspec.structs.replace(one, label="other").key("w", "t")
    others = [two.key("w", "t"), one.key("v", "t"), one.key("w", "s")]
    others += [
        msgspec.structs.replace(one, **{name: 77}).key("w", "t") for name in ("pages", "seed", "frontier")
    ]
    assert len({one.key("w", "t"), *others}) == len(others) + 1


def test_a_result_is_packed_and_unpacked(web: Path, tmp_path: Path) -> None:
    experiment = small_experiment(web, most_topics=1)
    run(experiment, tmp_path, workers=1)
    for result in done(experiment, tmp_path):
        names = Names(["http://first.test/"])  # another numbering
        again = unpack(pack(result), names)
        assert again is not None
        assert again.digest() == result.digest()
        assert again.trajectory.names() == result.trajectory.names()
        assert np.array_equal(again.trajectory.thinking, result.trajectory.thinking)
        assert 0 not in again.trajectory.pages
        assert unpack(pack(result)[:-7], names) is None
        assert unpack(b"", names) is None
        changed = bytearray(pack(result))
        changed[len(changed) // 2] ^= 1
        assert unpack(bytes(changed), names) is None


# -- runs ----------------------------------------------------------------------------------------------------


def test_a_run_cut_short_and_run_again_gives_the_same(web: Path, tmp_path: Path) -> None:
    """Interrupted after three crawls by Ctrl-C, then run again: what was finished is not touched."""
    experiment = small_experiment(web)
    run(experiment, tmp_path / "whole", workers=1)

    def interrupt(state: Progress) -> None:
        if state.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(experiment, tmp_path / "cut", workers=1, tell=interrupt)
    kept = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "cut" / "cells").iterdir()}
    assert len(kept) == 3
    told: list[Progress] = []
    run(experiment, tmp_path / "cut", workers=1, tell=told.append)
    assert told[0].kept == told[0].done == 3
    assert told[0].seconds_left is None
    assert digests(experiment, tmp_path / "cut") == digests(experiment, tmp_path / "whole")
    after = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "cut" / "cells").iterdir()}
    assert kept.items() <= after.items()
    first, second = runs_of(tmp_path / "cut")
    assert (first.made, second.made) == (3, told[0].of - 3)


def test_the_same_bit_for_bit_with_one_worker_and_with_two(web: Path, tmp_path: Path) -> None:
    experiment = small_experiment(web, most_topics=2, strategies={"a": "best-first", "r": "random"})
    run(experiment, tmp_path / "one", workers=1)
    run(experiment, tmp_path / "two", workers=2)
    found = digests(experiment, tmp_path / "one")
    assert len(found) == 4
    assert digests(experiment, tmp_path / "two") == found


def test_damaged_cells_are_run_again(web: Path, tmp_path: Path) -> None:
    experiment = small_experiment(web, most_topics=2)
    run(experiment, tmp_path, workers=1)
    before = digests(experiment, tmp_path)
    files = sorted((tmp_path / "cells").iterdir())
    files[0].write_bytes(b"")
    files[1].write_bytes(files[1].read_bytes()[:-5])
    assert len(done(experiment, tmp_path)) == 2
    told: list[Progress] = []
    run(experiment, tmp_path, workers=1, tell=told.append)
    assert told[0].kept == 2
    assert digests(experiment, tmp_path) == before


def test_crawls_of_other_code_are_kept_unless_asked_for_again(web: Path, tmp_path: Path) -> None:
    """Those that failed are run again in any case: the mistake may be mended."""
    experiment = small_experiment(web, most_topics=1)
    run(experiment, tmp_path, workers=1)
    (good, bad) = sorted((tmp_path / "cells").iterdir())
    for file, problem in ((good, ""), (bad, "it failed then")):
        old = unpack(file.read_bytes(), Names())
        assert old is not None
        file.write_bytes(pack(msgspec.structs.replace(old, code="older", problem=problem)))
    run(experiment, tmp_path, workers=1)
    assert {each.code == "older" for each in done(experiment, tmp_path)} == {True, False}
    assert not any(each.problem for each in done(experiment, tmp_path))
    run(experiment, tmp_path, workers=1, again=True)
    assert not any(each.code == "older" for each in done(experiment, tmp_path))


def test_a_strategy_that_fails_marks_only_its_cells(
    web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought = {"raising": Brought(Raising), "unmakeable": Brought(Unmakeable)}
    monkeypatch.setattr(naming, "brought", lambda group: brought)
    strategies = {"good": "best-first", "bad": "raising", "worse": "unmakeable"}
    experiment = small_experiment(web, most_topics=2, strategies=strategies)
    found = experiment.run(tmp_path, workers=1)
    problems = {each.cell.label: each.problem for each in found.crawls}
    assert problems["good"] == ""
    assert "ZeroDivisionError: by nought" in problems["bad"]
    assert problems["worse"] == "the strategy cannot be made: ValueError: no such luck"
    assert len(found.failed) == 4
    (group,) = found.groups
    assert set(found.means(group)) == {"good", "chance", "one-step clairvoyant", "oracle"}
    fifth = next(each for each in found.crawls if each.cell.label == "bad")
    assert fifth.values["pages"] == 4


class Brought:
    """What an entry point of another package is."""

    def __init__(self, cls: type) -> None:
        self.load = lambda: cls


def test_a_strategy_without_its_input_fails_alone(web: Path, tmp_path: Path) -> None:
    """Without example pages `nutch-parent` does with keywords; a wrong parameter is known before the first crawl."""
    experiment = small_experiment(web, most_topics=1, strategies={"a": "best-first:n=3", "b": "nutch-parent"})
    found = experiment.run(tmp_path, workers=1)
    assert [bool(each.problem) for each in found.crawls] == [True, False]
    assert "has no parameter 'n'" in found.failed[0].problem


def test_hidden_examples_fail_those_that_learn_from_them(web: Path, tmp_path: Path) -> None:
    """As in a task from a hub: what the crawls may not see teaches nobody, neither as example nor as category."""
    task, *others = read_tasks(web / "topics.jsonl")
    hiding = msgspec.structs.replace(task, excluded=task.examples)
    write_tasks([hiding, *others], tmp_path / "topics.jsonl")
    experiment = small_experiment(
        web,
        webs={"small": WebSpec(path=str(web), tasks=str(tmp_path / "topics.jsonl"))},
        strategies={each: each for each in ("best-first", "focused", "context-graph")},
        most_topics=2,
        examples=2,
    )
    found = experiment.run(tmp_path / "run", workers=1)
    problems = {(each.cell.task, each.cell.label) for each in found.failed}
    assert problems == {(task.id, "focused"), (task.id, "context-graph")}
    assert all("all its example pages are hidden from its crawls" in each.problem for each in found.failed)
    first, *_ = plan(experiment, tmp_path / "run")
    assert first.cell.task == task.id
    assert not first.brief.examples
    lines: list[str] = []
    list(plan(msgspec.structs.replace(experiment, most_topics=1), tmp_path / "run", lines.append))
    assert lines == ["small: no task has example pages that its crawls may see; they are given words only"]


def test_the_folder_tells_what_it_was_run_for(web: Path, tmp_path: Path) -> None:
    experiment = small_experiment(web, most_topics=1)
    run(experiment, tmp_path / "run", workers=1, command="lycosa lab run e.toml")
    assert saved_experiment(tmp_path / "run").digest() == experiment.digest()
    (noted,) = runs_of(tmp_path / "run")
    assert noted.command == "lycosa lab run e.toml"
    assert noted.made == noted.crawls == 2
    with pytest.raises(FolderError, match="holds no experiment"):
        Results.of(tmp_path)


def test_a_plan_tells_nothing_by_which_to_judge(web: Path, tmp_path: Path) -> None:
    """Targets and descriptions stay out of what a crawling process is sent."""
    experiment = small_experiment(web, most_topics=1)
    (task,) = tasks_of(experiment, "small")
    sent = msgspec.json.encode(list(plan(experiment, tmp_path)), enc_hook=str).decode()
    assert task.description not in sent
    assert not any(target in sent for target in task.wanted(2))


@pytest.mark.parametrize("file", sorted(EXPERIMENTS.glob("*.toml")), ids=lambda file: file.stem)
def test_the_experiments_of_the_reproduction_can_be_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LYCOSA_SHARED", "/somewhere")
    read = load_experiment(file)
    assert read.against == "best-first"
    assert all(web.path == f"/somewhere/webs/{name}" for name, web in read.webs.items())
    assert len(read.strategies) > 1


@pytest.mark.parametrize(
    "file", sorted([*HUNTER.glob("*.toml"), *ORDER.glob("*.toml")]), ids=lambda file: file.stem
)
def test_the_experiments_of_the_hunter_can_be_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LYCOSA_SHARED", "/somewhere")
    read = load_experiment(file)
    assert read.against in ("hunter", "shark")
    assert "hunter" in read.strategies
    assert all(web.generated or web.path.startswith("/somewhere/webs/") for web in read.webs.values())


def test_examples_in_docstrings_run() -> None:
    for module in ("lycosa.lab", "lycosa.lab.experiments.tune", "lycosa.strategies.other_crawlers"):
        outcome = doctest.testmod(import_module(module))
        assert outcome.attempted > 0
        assert outcome.failed == 0

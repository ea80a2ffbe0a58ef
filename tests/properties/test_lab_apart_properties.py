"""Topics that are kept apart are apart, whatever is offered."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.lab.tasks.apart import SHARED, apart
from lycosa.lab.tasks.task import Task
from lycosa.model.url import Url

PAGES = st.sets(st.integers(0, 30), min_size=1, max_size=12)


def task(targets: set[int], hub: int, words: set[str]) -> Task:
    return Task(
        id="t",
        keywords=tuple(sorted(words)),
        targets=tuple(Url(f"http://{page}.test/") for page in sorted(targets)),
        excluded=(Url(f"http://hub{hub}.test/"),),
    )


TASKS = st.lists(
    st.builds(task, PAGES, st.integers(0, 8), st.sets(st.sampled_from("abcdef"), min_size=1)), max_size=8
)


@given(TASKS, TASKS)
def test_little_in_common(offered: list[Task], others: list[Task]) -> None:
    before = list(others)
    for kept in apart(offered, others):
        for other in before:
            assert len({*kept.targets} & {*other.targets}) <= SHARED * len(kept.targets)
        before.append(kept)


@given(TASKS, TASKS)
def test_one_hub_one_topic(offered: list[Task], others: list[Task]) -> None:
    before = list(others)
    for kept in apart(offered, others):
        assert all(kept.excluded != other.excluded for other in before)
        assert all({*kept.keywords} != {*other.keywords} for other in before)
        before.append(kept)


@given(TASKS)
def test_a_topic_that_is_alone_is_kept(offered: list[Task]) -> None:
    assert list(apart(offered[:1])) == offered[:1]

"""Topics for tuning and topics for reporting: each on one side, and locked."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.lab.tasks.split import read_split, split, tuned, write_split
from lycosa.lab.tasks.task import Task
from lycosa.model.errors import InputError
from lycosa.model.url import Url

TOPICS = st.lists(st.text(max_size=8), max_size=30)


def tasks(*ids: str) -> list[Task]:
    return [Task(id=name, keywords=("k",), targets=(Url("http://a.test/"),)) for name in ids]


@given(TOPICS, TOPICS, st.floats(0, 1), st.text(max_size=3))
def test_one_side(some: list[str], others: list[str], share: float, salt: str) -> None:
    few, many = split(some, share, salt), split([*others, *some], share, salt)
    assert not set(few.tuning) & set(few.reporting)
    assert set(few.tuning) | set(few.reporting) == set(some)
    assert set(few.tuning) <= set(many.tuning)
    assert set(few.reporting) <= set(many.reporting)


@given(TOPICS, st.floats(0, 1))
def test_locked(topics: list[str], share: float) -> None:
    made = split(topics, share)
    made.permit(made.tuning, "tuning")
    made.permit(made.reporting, "reporting")
    for topic in made.reporting:
        with pytest.raises(InputError, match="not for tuning"):
            made.permit([*made.tuning, topic], "tuning")
        with pytest.raises(InputError, match="not for tuning"):
            tuned("best-first", {}, "a web", [topic], made)


def test_the_share_is_kept_about() -> None:
    made = split((f"topic {n}" for n in range(4000)), 0.25)
    assert len(made.tuning) == pytest.approx(1000, abs=90)
    assert split(["a"], 0).tuning == ()
    assert split(["a"], 1).reporting == ()
    with pytest.raises(InputError, match="from 0 to 1"):
        split(["a"], 1.5)


def test_the_split_of_these_five_is_always_this() -> None:
    """Kept so that no change of the program moves topics to the other side."""
    made = split(["art", "birds", "chess", "dance", "earth"], 0.5)
    assert made.tuning == ("art", "chess")
    assert made.digest.startswith("ab24edd35e82")


def test_picked_by_purpose() -> None:
    made = split(["art", "birds", "chess", "dance", "earth"], 0.5)
    everything = tasks("birds", "art", "dance", "chess", "earth")
    chosen = {
        purpose: [task.id for task in made.pick(everything, purpose)] for purpose in ("tuning", "reporting")
    }  # type: ignore[arg-type]
    assert sorted(chosen["tuning"] + chosen["reporting"]) == ["art", "birds", "chess", "dance", "earth"]
    assert set(chosen["tuning"]) == set(made.tuning)
    with pytest.raises(InputError, match="'golf' is in neither set"):
        made.pick(tasks("golf"), "tuning")


def test_kept_and_taken_back(tmp_path: Path) -> None:
    path, made = tmp_path / "split.json", split(["art", "birds", "chess"], 0.5)
    write_split(made, path)
    assert read_split(path) == made


def test_a_split_that_was_changed_is_refused(tmp_path: Path) -> None:
    path, made = tmp_path / "split.json", split(["art", "birds", "chess", "dance", "earth"], 0.5)
    write_split(made, path)
    path.write_text(path.read_text().replace(f'"{made.reporting[0]}"', '"mine"'))
    with pytest.raises(InputError, match="changed by hand"):
        read_split(path)
    write_split(made, path)
    path.write_text(path.read_text().replace("0.5", "0.6"))
    with pytest.raises(InputError, match="changed by hand"):
        read_split(path)
    path.write_text("{}")
    with pytest.raises(InputError, match="cannot be read"):
        read_split(path)


def test_what_parameters_were_tuned_on_is_told() -> None:
    made = split(["art", "birds", "chess", "dance", "earth"], 0.5)
    told = str(tuned("shark", {"d": 2}, "wikispeedia", made.tuning, made))
    assert told.startswith(
        f"shark was tuned on {len(made.tuning)} topics of wikispeedia (split {made.digest[:12]}): "
    )
    assert all(topic in told for topic in made.tuning)

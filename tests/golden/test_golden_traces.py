"""What the built-in strategies do on the generated web is what they did when somebody last looked at it."""

from __future__ import annotations

import pytest
from tests.golden.traces import MARKED, VISITS, file_of, trace_of, trace_with_marks

from lycosa.spec.registry import BUILT_IN


@pytest.mark.parametrize("name", BUILT_IN)
def test_trace_is_the_reviewed_one(name: str) -> None:
    reviewed = file_of(name).read_text(encoding="utf-8").splitlines()
    found = trace_of(name).splitlines()
    assert len(found) == VISITS
    differs = next(
        (i for i, pair in enumerate(zip(found, reviewed, strict=True)) if pair[0] != pair[1]), None
    )
    if differs is not None:
        pytest.fail(
            f"{name}: visit {differs + 1} is now\n  {found[differs]}\nand was\n  {reviewed[differs]}\n"
            "If that is meant: python -m tests.golden.traces, and read the difference before you commit it"
        )


def test_trace_with_marks_is_the_reviewed_one() -> None:
    reviewed = file_of(f"{MARKED}-marked").read_text(encoding="utf-8").splitlines()
    assert trace_with_marks(MARKED).splitlines() == reviewed
    assert reviewed != trace_of(MARKED).splitlines()[-len(reviewed) :]

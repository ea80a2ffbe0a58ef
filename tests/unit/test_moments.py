"""Times as people write them."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.cli.values import seconds, when
from lycosa.model.errors import InputError
from lycosa.model.moments import iso, moment, to_the_second

NOON = 1_795_176_000_000
"""2026-11-20 12:00 UTC."""
HOUR, DAY = 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("written", "begin", "end"),
    [
        ("2026-11-20", NOON - 12 * HOUR, NOON + 12 * HOUR),
        ("20261120", NOON - 12 * HOUR, NOON + 12 * HOUR),
        ("2026-11-20T12", NOON, NOON + HOUR),
        ("2026-11-20 12:00", NOON, NOON + 60_000),
        ("2026-11-20t12:00:00z", NOON, NOON + 1_000),
        ("20261120120000", NOON, NOON + 1_000),
        ("2026-11-20T14:00+02:00", NOON, NOON + 60_000),
        ("2026-11-20T06:30-0530", NOON, NOON + 60_000),
        ("2026-11-20T12:00:00.25Z", NOON + 250, NOON + 251),
        ("2026-11", NOON - 12 * HOUR - 19 * DAY, NOON - 12 * HOUR + 11 * DAY),
        ("2024-02", 1_706_745_600_000, 1_706_745_600_000 + 29 * DAY),
        ("1970", 0, 365 * DAY),
        (" 2026-11-20 ", NOON - 12 * HOUR, NOON + 12 * HOUR),
    ],
)
def test_a_time_and_the_last_moment_of_it(written: str, begin: int, end: int) -> None:
    assert moment(written) == begin
    assert moment(written, last=True) == end - 1


@pytest.mark.parametrize(
    "written",
    [
        "",
        "soon",
        "2026-13",
        "2026-02-30",
        "20261",
        "2026-11-20T25:00",
        "2026-11-20+02:00",
        "2026-11-20T12:00.5",
    ],
)
def test_what_is_no_time_is_told(written: str) -> None:
    with pytest.raises(InputError, match="is no time; write 2026-11-20"):
        moment(written)


@given(
    st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)), st.sampled_from(["seconds", "minutes", "hours"])
)
def test_what_python_writes_is_read(at: datetime, unit: str) -> None:
    written = at.isoformat(timespec=unit)
    meant = datetime.fromisoformat(written).replace(tzinfo=UTC)
    assert moment(written) == round(meant.timestamp() * 1000)
    assert moment(written) <= moment(written, last=True)


@given(st.text(alphabet="0123456789-:T Z.+", max_size=24))
def test_anything_is_read_or_refused(written: str) -> None:
    with suppress(InputError):
        assert moment(written) <= moment(written, last=True)


def test_the_last_year_has_an_end() -> None:
    assert moment("9999", last=True) > moment("9999-12-31")


@pytest.mark.parametrize(
    ("written", "long"), [("2w", 1_209_600), ("1w 2d", 777_600), ("36h", 129_600), ("1.5 weeks", 907_200)]
)
def test_spans_may_have_weeks(written: str, long: float) -> None:
    assert seconds(written) == long


@pytest.mark.parametrize("written", ["w", "2x", "2026-11-20 2w"])
def test_what_is_neither_a_span_nor_a_time_is_told(written: str) -> None:
    with pytest.raises(InputError, match="is no time"):
        when(written)


def test_so_long_ago_is_a_time() -> None:
    assert abs(when("2w") - (time.time() - 1_209_600) * 1000) < 60_000
    assert when("2026-11-20") == NOON - 12 * HOUR
    assert when("2026-11-20T12:00Z", last=True) == NOON + 59_999


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_is_written_as_python_writes_it(at: datetime) -> None:
    since = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    assert iso(since) == at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert to_the_second(since) == at.isoformat(timespec="seconds").replace("+00:00", "Z")
    assert moment(iso(since)) == since

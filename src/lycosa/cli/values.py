"""Values that a person writes on the command line: durations, sizes, names of folders."""

from __future__ import annotations

import math
import re
import time
from typing import Any

import click

from lycosa.model.errors import InputError
from lycosa.model.records import Millis

_SECONDS_IN = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_UNIT = r"ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?"
_SPAN = re.compile(rf"(?:{_NUMBER}\s*(?:{_UNIT})\s*)+")
_SPAN_PART = re.compile(rf"({_NUMBER})\s*({_UNIT})")
_BYTES_IN = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = re.compile(rf"({_NUMBER})\s*([kmgt]?)(?:i?b|bytes?)?")


LONGEST = 1e9
"""Seconds, as in a specification."""


def seconds(text: str) -> float:
    """A duration such as `90`, `.5`, `90s`, `2 min` or `1h30m`, in seconds. Raises `InputError`."""
    written = text.strip().lower()
    if re.fullmatch(_NUMBER, written):
        parts = [(written, "s")]
    elif _SPAN.fullmatch(written):
        parts = _SPAN_PART.findall(written)
    else:
        raise InputError(f"{text!r} is no duration; write 90s, 10m or 1h30m")
    found = sum(
        float(number) * _SECONDS_IN["ms" if unit.startswith(("ms", "milli")) else unit[0]]
        for number, unit in parts
    )
    if found > LONGEST:
        raise InputError(f"{text!r} is longer than thirty years; write 90s, 10m or 1h30m")
    return found


def size(text: str) -> int:
    """A size such as `500000`, `500k`, `10M` or `1.5G`, in bytes (k = 1,024). Raises `InputError`."""
    match = _SIZE.fullmatch(text.strip().lower())
    found = float(match[1]) * _BYTES_IN[match[2]] if match else 0.0
    if not 1 <= found < 1 << 63:
        raise InputError(f"{text!r} is no size; write 500k or 10M")
    return int(found)


def share(text: str) -> float:
    """A share such as `0.05` or `5%`, in [0, 1]. Raises `InputError`."""
    written = text.strip()
    try:
        found = float(written[:-1]) / 100 if written.endswith("%") else float(written)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise InputError(f"{text!r} is no share; write 0.05 or 5%")
    return found


def harvest_floor(text: str) -> tuple[float, int | None]:
    """A share and, after a colon, the number of pages over which it is taken: `5%:200`. Raises `InputError`."""
    rate, colon, window = text.partition(":")
    if colon and not (window.isdecimal() and int(window)):
        raise InputError(f"{text!r} is no harvest rate; write 5%, or 5%:200 for that of the last 200 pages")
    return share(rate), int(window) if colon else None


def as_factor(written: str) -> float:
    """A number above 0. The type of an option."""
    try:
        number = float(written)
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise click.BadParameter(f"{written!r} is no number above 0, such as 2 or 0.5")
    return number


_A_DAY: dict[str, float] = {
    "s": 86_400,
    "second": 86_400,
    "m": 1_440,
    "min": 1_440,
    "minute": 1_440,
    "h": 24,
    "hour": 24,
}
_A_DAY |= {"d": 1, "day": 1, "w": 1 / 7, "week": 1 / 7}


def as_rate(written: str) -> float:
    """So many a day, of what is written as `500/day`, `20/h` or `500`. The type of an option."""
    number, _, span = written.strip().replace("_", "").partition("/")
    times = _A_DAY.get(span.strip().lower() or "day")
    if times is None:
        raise click.BadParameter(f"{written!r} is no rate; write 500/day, 20/h or 1/s")
    return as_factor(number) * times


def as_share(written: str) -> float:
    """`share` as the type of an option."""
    try:
        return share(written)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def as_harvest_floor(written: str) -> tuple[float, int | None]:
    """`harvest_floor` as the type of an option."""
    try:
        return harvest_floor(written)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def duration(written: str) -> float:
    """`seconds` as the type of an option."""
    try:
        return seconds(written)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def size_in_bytes(written: str) -> int:
    """`size` as the type of an option."""
    try:
        return size(written)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def size_or_none(written: str) -> int:
    """`size` as the type of an option that can be turned off: 0."""
    return 0 if written.strip() == "0" else size_in_bytes(written)


def long_duration(written: str) -> float:
    """`duration` for long spans, which are never none at all."""
    if (found := duration(written)) <= 0:
        raise click.BadParameter(f"{written!r} is no span of time; write 2w, 36h or 1d 12h")
    return found


def when(text: str, *, last: bool = False) -> Millis:
    """A time as `moment` reads it, or so long ago: `2w`. Raises `InputError`."""
    from lycosa.model.moments import moment

    if not _SPAN.fullmatch(text.strip().lower()):  # of digits alone it is a date
        return moment(text, last=last)
    return Millis(round((time.time() - seconds(text)) * 1000))


def from_then(written: str) -> Millis:
    """`when` as the type of an option: the beginning of the time that is written."""
    try:
        return when(written)
    except InputError as error:
        raise click.BadParameter(f"{error}, or 2w for two weeks ago") from None


def as_of(written: str) -> Millis:
    """`when` as the type of an option: the end of the time that is written, so that a date has all of its day."""
    try:
        return when(written, last=True)
    except InputError as error:
        raise click.BadParameter(f"{error}, or 2w for two weeks ago") from None


class Whole(click.IntRange):
    """A whole number within bounds, also written `1e6`, `1,000` or `10_000`."""

    name = "n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        written = re.sub(r"(?<=\d)[_,](?=\d{3})", "", str(value).strip())
        if re.fullmatch(r"\d+(?:\.\d+)?e\+?\d{1,2}", written.lower()) and float(written).is_integer():
            written = str(int(float(written)))
        number: Any = written
        return super().convert(number, param, ctx)


seed_option = click.option(
    "--seed",
    type=int,
    default=0,
    metavar="N",
    show_default=True,
    help="Repeat random choices: the same number gives the same ones.",
)


def number_or_more(written: str) -> tuple[int, bool]:
    """A budget, and whether so many more are meant: `+100`. The type of an option."""
    try:
        number = Whole(1).convert(written.strip().removeprefix("+"), None, None)
    except click.BadParameter:
        raise click.BadParameter(
            f"{written!r} is no number; write 500 in all, or +100 for 100 more"
        ) from None
    return number, written.strip().startswith("+")


class SectionedOption(click.Option):
    """An option that stands under a heading of its own in the help text."""

    def __init__(self, *args: Any, section: str = "Options", **more: Any) -> None:
        super().__init__(*args, **more)
        self.section = section


class SectionedCommand(click.Command):
    """A command with so many options that its help text needs headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
                sections.setdefault(getattr(option, "section", "Help"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

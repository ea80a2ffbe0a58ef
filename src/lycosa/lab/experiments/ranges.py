"""From which values tuning draws the parameters of a strategy: those that its constructor allows, or the user's."""

from __future__ import annotations

import ast
import math
import random
from collections.abc import Iterable
from typing import Any

from lycosa.model.errors import InputError
from lycosa.model.naming import Parameter
from lycosa.model.records import Record
from lycosa.spec.registry import classes_of, parameters_of

WIDE = 20.0
"""A range whose ends differ by more than this factor is drawn from in logarithms."""
DIGITS = 3
"""Significant digits of a drawn number: more would tell nothing."""


class Range(Record, frozen=True, kw_only=True):
    """The values of one parameter: between two ends, or one of several.

    Invariant, the name of a property test:

    * within bounds: what is drawn lies in the range.
    """

    name: str
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    log: bool = False
    choices: tuple[Any, ...] = ()

    def draw(self, chance: random.Random) -> Any:
        """A value by chance."""
        if self.choices:
            return chance.choice(self.choices)
        if self.log:
            value = math.exp(chance.uniform(math.log(self.low), math.log(self.high)))
        else:
            value = chance.uniform(self.low, self.high)
        if self.whole:
            return min(int(self.high), max(math.ceil(self.low), round(value)))
        return min(self.high, max(self.low, float(f"{value:.{DIGITS}g}")))


def ranges_of(specification: str, written: Iterable[str] = ()) -> list[Range]:
    """The ranges of a strategy's parameters: those written, or else all that have bounds.

    Written: `name=low:high`, `name=low:high:log`, `name=a,b,c`. Raises `InputError`.
    """
    parameters = {each.name: each for each in parameters_of(classes_of(specification)[0])}
    asked = list(written)
    found = [_written(each, parameters) for each in asked] or [
        bounded for each in parameters.values() if (bounded := _bounded(each)) is not None
    ]
    if not found:
        there = ", ".join(parameters) or "none"
        raise InputError(
            f"strategy {specification!r} has no parameter with bounds (its parameters: {there}); "
            "give a range with --param name=low:high"
        )
    return found


def _bounded(parameter: Parameter) -> Range | None:
    if parameter.type == "bool":
        return Range(name=parameter.name, choices=(False, True))
    if parameter.type.startswith("Literal["):
        return Range(name=parameter.name, choices=tuple(ast.literal_eval(parameter.type[7:])))
    if parameter.type not in ("int", "float") or parameter.least is None or parameter.most is None:
        return None
    low, high = float(parameter.least), float(parameter.most)
    if not (math.isfinite(low) and math.isfinite(high)) or low >= high:
        return None
    log = low > 0 and high / low > WIDE
    return Range(name=parameter.name, low=low, high=high, whole=parameter.type == "int", log=log)


def _written(text: str, parameters: dict[str, Parameter]) -> Range:
    name, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not values:
        raise InputError(f"--param {text!r}: write name=low:high, name=low:high:log or name=a,b,c")
    if name not in parameters:
        raise InputError(f"--param {text!r}: there is no such parameter; there are: {', '.join(parameters)}")
    if ":" not in values:
        return Range(name=name, choices=tuple(value.strip() for value in values.split(",")))
    low, high, *scale = values.split(":")
    try:
        ends = float(low), float(high)
    except ValueError:
        raise InputError(f"--param {text!r}: the ends of a range are numbers") from None
    if not ends[0] < ends[1] or scale not in ([], ["log"]) or (scale and ends[0] <= 0):
        raise InputError(f"--param {text!r}: give the lower end first, above 0 for :log")
    whole = parameters[name].type == "int"
    return Range(name=name, low=ends[0], high=ends[1], whole=whole, log=bool(scale))

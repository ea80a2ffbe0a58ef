"""Things that are chosen by name, `NAME:parameter=value,…`: strategies of crawling, policies of visiting again.

Some are built in, others are brought by other packages (entry points). Their constructors' keywords are their
parameters, their docstrings their pages in the manual.
"""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Container, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, get_type_hints

import msgspec

from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.records import Record


class Parameter(Record, frozen=True, kw_only=True):
    """One parameter: its type as Python spells it, its default, its bounds (None: unbounded)."""

    name: str
    type: str
    default: Any
    least: float | None = None
    most: float | None = None


class Info(Record, frozen=True, kw_only=True):
    """What can be told of one."""

    name: str
    family: str
    """What it goes by; empty of what other packages bring."""
    summary: str
    parameters: tuple[Parameter, ...]
    reference: str
    manual: str
    """The docstring as it stands in the manual."""


class Kind(Record, frozen=True, kw_only=True):
    """What kind of thing is named: the word for it, the class that all are, the entry points that bring more."""

    word: str
    base: type
    group: str

    def names(self, places: Mapping[str, str]) -> list[str]:
        """Those at these places and those of other packages, sorted."""
        return sorted({*places, *brought(self.group)})

    def find(self, name: str, places: Mapping[str, str], listed: Iterable[str]) -> type[Any]:
        """The class of this name. Raises `InputError`, naming the closest of those `listed`, if there is none."""
        if name in places:
            module, _, attribute = places[name].partition(":")
            found = getattr(import_module(module), attribute)
        elif name in brought(self.group):
            found = self._load(name)
        else:
            raise InputError(f"there is no {self.word} {name!r}{closest(name, listed)}")
        if not (isinstance(found, type) and issubclass(found, self.base)):
            raise InputError(
                f"{self.word} {name!r} is registered as {found!r}, which is no lycosa {self.base.__name__} class"
            )
        return found

    def _load(self, name: str) -> Any:
        """What another package registered; that it is broken must not stop those who do not use it."""
        try:
            return brought(self.group)[name].load()
        except Exception as error:
            raise InputError(
                f"{self.word} {name!r} cannot be loaded: {type(error).__name__}: {error}; "
                "mend or remove its package"
            ) from error

    def values(self, name: str, cls: type, chosen: str, but: Container[str] = ()) -> dict[str, Any]:
        """The values of `parameter=value,…`, as the constructor's types have them.

        Raises `InputError` for an unknown parameter (those in `but` are none), and for a value of the wrong type or out
        of range.
        """
        parameters = {parameter.name: parameter for parameter in parameters_of(cls, but)}
        values: dict[str, Any] = {}
        for item in filter(None, (item.strip() for item in chosen.split(","))):
            key, equals, value = (part.strip() for part in item.partition("="))
            if not equals:
                raise InputError(f"{self.word} {name!r}: {item!r} is not parameter=value")
            if key not in parameters:
                raise InputError(
                    f"{self.word} {name!r} has no parameter {key!r}{closest(key, list(parameters))}"
                )
            hints = get_type_hints(cls.__init__, include_extras=True)  # type: ignore[misc]  # of that class
            what = f"{self.word} {name!r}: {key}={value}"
            values[key] = _converted(what, parameters[key], value, hints.get(key, Any))
        return values


def name_of(specification: str) -> str:
    """The name in `NAME:parameter=value,…`."""
    return specification.partition(":")[0].strip()


def manual_of(cls: type) -> tuple[str, str]:
    """The docstring of a class as it stands in the manual, and its first paragraph on one line."""
    manual = inspect.cleandoc(cls.__doc__ or "")
    return manual, manual.split("\n\n", 1)[0].replace("\n", " ")


def family_of(name: str, families: Mapping[str, tuple[str, ...]]) -> str:
    """The family in which a name stands, or nothing."""
    return next((family for family, names in families.items() if name in names), "")


def parameters_of(cls: type, but: Container[str] = ()) -> tuple[Parameter, ...]:
    """The keyword parameters of a constructor; bounds come from `Annotated[…, msgspec.Meta(ge=…, le=…)]`."""
    if cls.__init__ is object.__init__:  # type: ignore[misc]  # of that class
        return ()
    hints = get_type_hints(cls.__init__, include_extras=True)  # type: ignore[misc]  # of that class
    return tuple(
        _parameter(name, given.default, hints.get(name, Any))
        for name, given in inspect.signature(cls).parameters.items()
        if given.kind in (given.KEYWORD_ONLY, given.POSITIONAL_OR_KEYWORD) and name not in but
    )


@cache
def brought(group: str) -> Mapping[str, Any]:
    """What other packages bring: entry points by their names."""
    from importlib.metadata import entry_points  # half as much to import as all else that looks at a folder

    return {point.name: point for point in entry_points(group=group)}


def closest(name: str, among: Iterable[str]) -> str:
    """The end of a message about a name that is not known: what may have been meant, or all there are."""
    close = difflib.get_close_matches(name, among, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(among) or 'none'}"


def _parameter(name: str, default: Any, hint: Any) -> Parameter:
    bounds = next(
        (m for m in getattr(hint, "__metadata__", ()) if isinstance(m, msgspec.Meta)), msgspec.Meta()
    )
    plain = getattr(hint, "__origin__", hint) if hasattr(hint, "__metadata__") else hint
    return Parameter(
        name=name,
        type=plain.__name__ if isinstance(plain, type) else str(plain).replace("typing.", ""),
        default=None if default is inspect.Parameter.empty else default,
        least=bounds.ge if bounds.ge is not None else bounds.gt,
        most=bounds.le if bounds.le is not None else bounds.lt,
    )


def _converted(what: str, parameter: Parameter, value: str, hint: Any) -> Any:
    """The value as the parameter's type has it, its bounds kept."""
    plain = getattr(hint, "__origin__", hint) if hasattr(hint, "__metadata__") else hint
    try:
        found = float(value) if plain is float else converted(value, plain, strict=False)
    except (msgspec.ValidationError, ValueError):
        raise InputError(f"{what} is not of type {parameter.type}") from None
    if isinstance(found, float) and not math.isfinite(found):
        raise InputError(f"{what} is not a finite number")
    try:
        converted(found, hint)
    except msgspec.ValidationError as error:
        raise InputError(f"{what} is out of range: {str(error).lower()}") from None
    return found

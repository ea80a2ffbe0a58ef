"""Names for strategies, and what can be said of each: built in, or brought by other packages."""

from __future__ import annotations

import difflib
import inspect
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, get_args, get_type_hints

import msgspec

from lycosa.crawl.inputs import Input
from lycosa.crawl.strategy import Strategy
from lycosa.model.errors import InputError
from lycosa.model.records import Record

ENTRY_POINT_GROUP = "lycosa.strategies"

BUILT_IN: Mapping[str, str] = {
    "best-first": "lycosa.strategies.best_first:BestFirst",
    "bfs-n": "lycosa.strategies.best_first:BestFirstInBatches",
    "breadth-first": "lycosa.strategies.order:BreadthFirst",
    "context-graph": "lycosa.strategies.context_graph:ContextFocused",
    "depth-first": "lycosa.strategies.order:DepthFirst",
    "evolved": "lycosa.strategies.evolved:Evolved",
    "fish": "lycosa.strategies.fish:Fish",
    "focused": "lycosa.strategies.focused:Focused",
    "hunter": "lycosa.strategies.hunter.hunter:Hunter",
    "infospiders": "lycosa.strategies.infospiders.infospiders:InfoSpiders",
    "infospiders-energy": "lycosa.strategies.infospiders.energy:InfoSpidersEnergy",
    "intelligent": "lycosa.strategies.intelligent.intelligent:Intelligent",
    "ontology": "lycosa.strategies.ontology:OntologyFocused",
    "opic": "lycosa.strategies.importance.opic:Opic",
    "pagerank": "lycosa.strategies.importance.pagerank:PageRank",
    "random": "lycosa.strategies.order:RandomOrder",
    "rankmass": "lycosa.strategies.importance.rankmass:RankMass",
    "rl": "lycosa.strategies.rl:ReinforcementLearning",
    "shark": "lycosa.strategies.shark:Shark",
    "shark-n": "lycosa.strategies.shark:SharkInBatches",
    "url-patterns": "lycosa.strategies.url_patterns:UrlPatterns",
    "user-experience": "lycosa.strategies.intelligent.user_experience:UserExperience",
    "wire": "lycosa.strategies.importance.wire:Wire",
    "wtms": "lycosa.strategies.wtms:Wtms",
}

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "whatever the topic, in a plain order": ("breadth-first", "depth-first", "random"),
    "whatever the topic, by the importance of pages": ("opic", "pagerank", "rankmass", "wire"),
    "by the words of pages and links": ("best-first", "bfs-n", "fish", "shark", "shark-n", "wtms"),
    "by categories or concepts": ("focused", "ontology"),
    "learnt beforehand": ("context-graph", "evolved", "rl"),
    "learning while they crawl": ("hunter", "infospiders", "infospiders-energy", "intelligent"),
    "by what visitors did": ("url-patterns", "user-experience"),
}
"""What the built-in strategies go by: each stands in one family."""

WRAPPERS: Mapping[str, str] = {
    "batches": "lycosa.strategies.wrappers.wrapper:Batches",
    "damp-repeats": "lycosa.strategies.wrappers.links:DampRepeats",
    "explore": "lycosa.strategies.wrappers.wrapper:Explore",
    "host-cap": "lycosa.strategies.wrappers.hosts:HostCap",
    "host-share": "lycosa.strategies.wrappers.hosts:HostShare",
    "host-spacing": "lycosa.strategies.wrappers.hosts:HostSpacing",
    "merge": "lycosa.strategies.wrappers.links:Merge",
    "tunnel": "lycosa.strategies.wrappers.links:Tunnel",
}
"""What can be put around any strategy: `best-first+explore:epsilon=0.1+batches:n=16`, the first innermost."""

PEERS: Mapping[str, str] = {
    "ache-links": "lycosa.strategies.other_crawlers:LinkClassifier",
    "crawl4ai-keywords": "lycosa.strategies.other_crawlers:UrlKeywords",
    "nutch-parent": "lycosa.strategies.other_crawlers:ParentCosine",
}
"""Strategies of other crawlers, made anew for comparison: experiments may name them, lists of ours leave them out."""

INNER = "inner"
"""The parameter of a wrapper's constructor that takes the strategy inside."""

_JOINT = re.compile(r"\+(?=\s*[a-z])")  # not the plus of 1e+5


class Parameter(Record, frozen=True, kw_only=True):
    """One parameter of a strategy: its type as Python spells it, its default, its bounds (None: unbounded)."""

    name: str
    type: str
    default: Any
    least: float | None = None
    most: float | None = None


class StrategyInfo(Record, frozen=True, kw_only=True):
    """What `lycosa strategies` tells of one."""

    name: str
    family: str
    """What it goes by; empty of wrappers and of what other packages bring."""
    summary: str
    parameters: tuple[Parameter, ...]
    inputs: tuple[str, ...]
    """What it must be given besides: `keywords`, `examples`, …"""
    reference: str
    manual: str
    """The docstring as it stands in the manual."""


def strategy_names() -> list[str]:
    """All registered names, sorted."""
    return sorted({*BUILT_IN, *_brought()})


def wrapper_names() -> list[str]:
    """The names of what can be put around a strategy, sorted."""
    return sorted(WRAPPERS)


def strategy_class(name: str) -> type[Strategy]:
    """The class registered under a name. Raises `InputError`, naming the closest name, if there is none."""
    if name in BUILT_IN or name in WRAPPERS or name in PEERS:
        module, _, attribute = {**BUILT_IN, **WRAPPERS, **PEERS}[name].partition(":")
        found = getattr(import_module(module), attribute)
    elif name in _brought():
        found = _load(name)
    else:
        raise InputError(f"there is no strategy {name!r}{_closest(name, strategy_names())}")
    if not (isinstance(found, type) and issubclass(found, Strategy)):
        raise InputError(f"strategy {name!r} is registered as {found!r}, which is no lycosa Strategy class")
    return found


def strategy(specification: str, given: Iterable[Input] = ()) -> Strategy:
    """Make a strategy from `NAME`, `NAME:parameter=value,…`, or one of these and wrappers, joined by `+`.

    Of the `given` inputs each gets those that it asks for. Raises `InputError` for an unknown name or parameter, a
    value of the wrong type or out of range, or an input that was not given.
    """
    kinds = {type(each): each for each in given}
    first, *around = _JOINT.split(specification)
    made = _made(first, kinds, {})
    for wrapper in around:
        name = _name(wrapper)
        if name not in WRAPPERS:
            raise InputError(
                f"strategy {specification!r}: {name!r} is no wrapper{_closest(name, wrapper_names())}"
            )
        made = _made(wrapper, kinds, {INNER: made})
    return made


def with_parameters(specification: str, values: Mapping[str, Any]) -> str:
    """A specification with other values of some parameters of its first part, the strategy; wrappers stay."""
    first, *around = _JOINT.split(specification)
    name, _, chosen = first.partition(":")
    items = (item.partition("=") for item in chosen.split(",") if item.strip())
    told = {key.strip(): value.strip() for key, _, value in items}
    told |= {
        key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in values.items()
    }
    written = ",".join(f"{key}={value}" for key, value in told.items())
    return "+".join([f"{name.strip()}:{written}" if written else name.strip(), *around])


def classes_of(specification: str) -> list[type[Strategy]]:
    """The classes of the parts of a strategy, wrappers last. Raises `InputError` for an unknown name."""
    return [strategy_class(_name(part)) for part in _JOINT.split(specification)]


def inputs_asked(specification: str) -> list[type[Input]]:
    """The kinds of input that the parts of a strategy ask for. Raises `InputError` for an unknown name."""
    classes = classes_of(specification)
    return list(dict.fromkeys(kind for cls in classes for kind, _ in inputs_of(cls).values()))


def _name(part: str) -> str:
    return part.partition(":")[0].strip()


def _made(specification: str, given: Mapping[type[Input], Input], inner: Mapping[str, Strategy]) -> Strategy:
    """One part of a specification, with what it wraps, if it does."""
    name, chosen = _name(specification), specification.partition(":")[2]
    if name in WRAPPERS and not inner:
        raise InputError(f"{name!r} goes around a strategy: write best-first+{specification.strip()}")
    cls = strategy_class(name)
    parameters = {parameter.name: parameter for parameter in parameters_of(cls)}
    values: dict[str, Any] = {**inner, **_inputs(name, cls, given)}
    for item in filter(None, (item.strip() for item in chosen.split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InputError(f"strategy {name!r}: {item!r} is not parameter=value")
        if key not in parameters:
            raise InputError(f"strategy {name!r} has no parameter {key!r}{_closest(key, list(parameters))}")
        hints = get_type_hints(cls.__init__, include_extras=True)
        values[key] = _converted(name, parameters[key], value, hints.get(key, Any))
    return cls(**values)


def describe(name: str) -> StrategyInfo:
    """What is known of a registered strategy."""
    cls = strategy_class(name)
    manual = inspect.cleandoc(cls.__doc__ or "")
    return StrategyInfo(
        name=name,
        family=next((family for family, names in FAMILIES.items() if name in names), ""),
        summary=manual.split("\n\n", 1)[0].replace("\n", " "),
        parameters=parameters_of(cls),
        inputs=tuple(asked.name for asked, needed in inputs_of(cls).values() if needed),
        reference=cls.reference,
        manual=manual,
    )


def parameters_of(cls: type[Strategy]) -> tuple[Parameter, ...]:
    """The keyword parameters of a strategy's constructor; bounds come from `Annotated[…, msgspec.Meta(ge=…, le=…)]`."""
    if cls.__init__ is object.__init__:
        return ()
    hints = get_type_hints(cls.__init__, include_extras=True)
    return tuple(
        _parameter(name, given.default, hints.get(name, Any))
        for name, given in inspect.signature(cls).parameters.items()
        if given.kind in (given.KEYWORD_ONLY, given.POSITIONAL_OR_KEYWORD)
        and name != INNER
        and name not in inputs_of(cls)
    )


def inputs_of(cls: type[Strategy]) -> dict[str, tuple[type[Input], bool]]:
    """The inputs that a strategy's constructor asks for: parameter, kind of input, whether it must be given."""
    if cls.__init__ is object.__init__:
        return {}
    asked: dict[str, tuple[type[Input], bool]] = {}
    for name, hint in get_type_hints(cls.__init__).items():
        kinds = [
            each for each in (hint, *get_args(hint)) if isinstance(each, type) and issubclass(each, Input)
        ]
        if kinds:
            asked[name] = (kinds[0], type(None) not in get_args(hint))
    return asked


def _inputs(name: str, cls: type[Strategy], given: Mapping[type[Input], Input]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for parameter, (kind, needed) in inputs_of(cls).items():
        if kind in given:
            found[parameter] = given[kind]
        elif needed:
            raise InputError(f"strategy {name!r} needs {kind.name}: {kind.remedy}")
        else:
            found[parameter] = None
    return found


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


def _converted(strategy_name: str, parameter: Parameter, value: str, hint: Any) -> Any:
    """The value as the parameter's type has it, its bounds kept."""
    what = f"strategy {strategy_name!r}: {parameter.name}={value}"
    plain = getattr(hint, "__origin__", hint) if hasattr(hint, "__metadata__") else hint
    try:
        converted = float(value) if plain is float else msgspec.convert(value, plain, strict=False)
    except (msgspec.ValidationError, ValueError):
        raise InputError(f"{what} is not of type {parameter.type}") from None
    if isinstance(converted, float) and not math.isfinite(converted):
        raise InputError(f"{what} is not a finite number")
    try:
        msgspec.convert(converted, hint)
    except msgspec.ValidationError as error:
        raise InputError(f"{what} is out of range: {str(error).lower()}") from None
    return converted


def _load(name: str) -> Any:
    """What another package registered; that it is broken must not stop those who do not use it."""
    try:
        return _brought()[name].load()
    except Exception as error:
        raise InputError(
            f"strategy {name!r} cannot be loaded: {type(error).__name__}: {error}; mend or remove its package"
        ) from error


@cache
def _brought() -> Mapping[str, Any]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def _closest(name: str, among: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, among, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(among) or 'none'}"

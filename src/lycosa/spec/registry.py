"""Names for strategies, and what can be said of each: built in, or brought by other packages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args, get_type_hints

from lycosa.crawl.inputs import Input
from lycosa.crawl.strategy import Strategy
from lycosa.model import naming
from lycosa.model.errors import InputError
from lycosa.model.naming import Info, Kind, Parameter, closest, family_of, manual_of, name_of

ENTRY_POINT_GROUP = "lycosa.strategies"
KIND = Kind(word="strategy", base=Strategy, group=ENTRY_POINT_GROUP)

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


class StrategyInfo(Info, frozen=True, kw_only=True):
    """What `lycosa strategies` tells of one. Wrappers are of no family."""

    inputs: tuple[str, ...]
    """What it must be given besides: `keywords`, `examples`, …"""


def strategy_names() -> list[str]:
    """All registered names, sorted."""
    return KIND.names(BUILT_IN)


def wrapper_names() -> list[str]:
    """The names of what can be put around a strategy, sorted."""
    return sorted(WRAPPERS)


def strategy_class(name: str) -> type[Strategy]:
    """The class registered under a name. Raises `InputError`, naming the closest name, if there is none."""
    return KIND.find(name, {**BUILT_IN, **WRAPPERS, **PEERS}, strategy_names())


def strategy(specification: str, given: Iterable[Input] = ()) -> Strategy:
    """Make a strategy from `NAME`, `NAME:parameter=value,…`, or one of these and wrappers, joined by `+`.

    Of the `given` inputs each gets those that it asks for. Raises `InputError` for an unknown name or parameter, a
    value of the wrong type or out of range, or an input that was not given.
    """
    kinds = {type(each): each for each in given}
    first, *around = _JOINT.split(specification)
    made = _made(first, kinds, {})
    for wrapper in around:
        name = name_of(wrapper)
        if name not in WRAPPERS:
            raise InputError(
                f"strategy {specification!r}: {name!r} is no wrapper{closest(name, wrapper_names())}"
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
    return [strategy_class(name_of(part)) for part in _JOINT.split(specification)]


def inputs_asked(specification: str) -> list[type[Input]]:
    """The kinds of input that the parts of a strategy ask for. Raises `InputError` for an unknown name."""
    classes = classes_of(specification)
    return list(dict.fromkeys(kind for cls in classes for kind, _ in inputs_of(cls).values()))


def _made(specification: str, given: Mapping[type[Input], Input], inner: Mapping[str, Strategy]) -> Strategy:
    """One part of a specification, with what it wraps, if it does."""
    name, chosen = name_of(specification), specification.partition(":")[2]
    if name in WRAPPERS and not inner:
        raise InputError(f"{name!r} goes around a strategy: write best-first+{specification.strip()}")
    cls = strategy_class(name)
    given_to = {**inner, **_inputs(name, cls, given)}
    return cls(**given_to, **KIND.values(name, cls, chosen, _no_parameters(cls)))


def describe(name: str) -> StrategyInfo:
    """What is known of a registered strategy."""
    cls = strategy_class(name)
    manual, summary = manual_of(cls)
    return StrategyInfo(
        name=name,
        family=family_of(name, FAMILIES),
        summary=summary,
        parameters=parameters_of(cls),
        inputs=tuple(asked.name for asked, needed in inputs_of(cls).values() if needed),
        reference=cls.reference,
        manual=manual,
    )


def parameters_of(cls: type[Strategy]) -> tuple[Parameter, ...]:
    """The keyword parameters of a strategy's constructor; bounds come from `Annotated[…, msgspec.Meta(ge=…, le=…)]`."""
    return naming.parameters_of(cls, _no_parameters(cls))


def _no_parameters(cls: type[Strategy]) -> frozenset[str]:
    """What a constructor is given by other ways."""
    return frozenset({INNER, *inputs_of(cls)})


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

"""Names for policies of visiting pages again, and what can be said of each."""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.model.naming import Info, Kind, family_of, manual_of, name_of, parameters_of
from lycosa.revisit.policy import Policy

KIND = Kind(word="policy", base=Policy, group="lycosa.policies")

BUILT_IN: Mapping[str, str] = {
    "azar": "lycosa.revisit.optimal:Azar",
    "batch": "lycosa.revisit.rounds:Batch",
    "bounded-longevity": "lycosa.revisit.longevity:BoundedLongevity",
    "burner": "lycosa.revisit.rounds:Burner",
    "heritrix": "lycosa.revisit.adaptive:Heritrix",
    "lambda": "lycosa.revisit.optimal:Lambda",
    "longevity": "lycosa.revisit.longevity:Longevity",
    "nutch": "lycosa.revisit.adaptive:Nutch",
    "patterns": "lycosa.revisit.patterns:Patterns",
    "proportional": "lycosa.revisit.shares:Proportional",
    "steady": "lycosa.revisit.rounds:Steady",
    "topical": "lycosa.revisit.topical:Topical",
    "uniform": "lycosa.revisit.shares:Uniform",
    "user-centric": "lycosa.revisit.user_centric:UserCentric",
}

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "by a plain rule": ("uniform", "proportional"),
    "in rounds": ("batch", "steady", "burner"),
    "the best use of a budget": ("azar", "lambda", "topical"),
    "waits that adapt": ("heritrix", "nutch"),
    "by what changes and how much it matters": ("longevity", "bounded-longevity", "patterns", "user-centric"),
}
"""What the built-in policies go by: each stands in one family."""


def policy_names() -> list[str]:
    """All registered names, sorted."""
    return KIND.names(BUILT_IN)


def policy_class(name: str) -> type[Policy]:
    """The class registered under a name. Raises `InputError`, naming the closest name, if there is none."""
    return KIND.find(name, BUILT_IN, policy_names())


def policy(specification: str) -> Policy:
    """Make a policy from `NAME` or `NAME:parameter=value,…`.

    Raises `InputError` for an unknown name or parameter, or a value of the wrong type or out of range.

    >>> type(policy("azar:explore=0.1")).__name__
    'Azar'
    """
    name, chosen = name_of(specification), specification.partition(":")[2]
    cls = policy_class(name)
    return cls(**KIND.values(name, cls, chosen))


def describe(name: str) -> Info:
    """What is known of a registered policy."""
    cls = policy_class(name)
    manual, summary = manual_of(cls)
    return Info(
        name=name,
        family=family_of(name, FAMILIES),
        summary=summary,
        parameters=parameters_of(cls),
        reference=cls.reference,
        manual=manual,
    )

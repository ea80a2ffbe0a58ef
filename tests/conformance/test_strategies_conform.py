"""Every registered strategy keeps to everything that the kit asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from lycosa.lab.kit.conformance import (
    CHECKS,
    Make,
    check_hash_seed_does_not_matter,
    fingerprints_elsewhere,
    maker,
)
from lycosa.spec.registry import PEERS, strategy_names, wrapper_names


def name_of(check: Callable[[Make], None]) -> str:
    return check.__name__.removeprefix("check_").replace("_", " ")


making = cache(maker)
"""One for all checks of a strategy, which so share its whole crawl."""

WRAPPED = (
    "best-first+host-cap:n=5+damp-repeats",
    "best-first+host-share:share=0.05,grace=3",
    "best-first+host-spacing:k=6+batches:n=8",
    "best-first+merge:rule=sum+tunnel:steps=2+explore:epsilon=0.2",
    "opic+damp-repeats+host-share:share=0.1+host-spacing:k=3",
)
"""With parameters that bite on the kit's small web."""

SWITCHED = (
    "hunter:guard=1,referrers=0.5,lsa=0.5,rank=0.5,ways=ftrl",
    "hunter:ways=thompson",
    "focused:mode=hard,distill_every=20,revisit=2,rho=0.01",
)
"""What is off by default."""


def test_every_wrapper_is_put_to_the_test() -> None:
    assert {part.partition(":")[0] for name in WRAPPED for part in name.split("+")[1:]} == set(
        wrapper_names()
    )


NAMES = (*strategy_names(), *PEERS, *WRAPPED, *SWITCHED)
WITHIN = tuple(check for check in CHECKS if check is not check_hash_seed_does_not_matter)
"""The checks that need no other process."""


@pytest.mark.parametrize("check", WITHIN, ids=name_of)
@pytest.mark.parametrize("name", NAMES)
def test_conforms(name: str, check: Callable[[Make], None]) -> None:
    check(making(name))


def test_the_hash_seed_does_not_matter_to_any() -> None:
    """Two processes for all of them: what each comes to under one seed and under the other."""
    makes = [making(name) for name in NAMES]
    first, second = (fingerprints_elsewhere(makes, hash_seed) for hash_seed in ("1", "2"))
    assert dict(zip(NAMES, first, strict=True)) == dict(zip(NAMES, second, strict=True))

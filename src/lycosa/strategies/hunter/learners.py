"""Learners of what it is worth to follow a link, one reward at a time, all in [0, 1].

A link is told by its features, numbers below `SIZE`, of which the first names its class. `Ftrl` weighs all features;
`Bandit` and `Thompson` go by the class alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.links.smoothing import Floats, Ints

SIZE = 1 << 16
"""Features, by their hashes."""
ALPHA, BETA, RIDGE = 1.0, 1.0, 0.1
"""Of FTRL: how fast it learns at first, how it slows down, and what holds weights small."""
EXPLORE = 0.05
"""Of the bandit: small against the spread of means, since each link that is tried costs a page."""
PRIOR = 3.0
"""A class begins as if so many of its links had given the mean of all rewards."""
SUPPOSED = 0.5
"""The mean of all rewards as long as there are none; it counts as one."""
_LEAST = 1e-6


class Learner(ABC):
    """Invariant, the name of a property test:

    * values from 0 to 1: whatever the rewards were.
    """

    @abstractmethod
    def learn(self, features: Ints, reward: float) -> None:
        """A link with these features was followed and gave this reward."""

    @abstractmethod
    def values(self, features: Ints, starts: Ints) -> Floats:
        """What links are worth; their features come one link after the other, each with at least one, from these places
        on."""

    def draw(self, classes: Ints, rng: Random) -> None:  # noqa: B027 - optional, not abstract
        """All links are to be put in order anew; some have these classes."""

    @abstractmethod
    def save(self) -> Mapping[str, Any]: ...

    @abstractmethod
    def load(self, state: Mapping[str, Any]) -> None: ...


class Ftrl(Learner):
    """Logistic regression by FTRL-Proximal (McMahan et al., "Ad click prediction", KDD 2013, algorithm 1), λ₁ = 0.

    Each of k features has the value 1/√k. p = σ(x·w), g = (p - y) x; σᵢ = (√(nᵢ + gᵢ²) - √nᵢ) / α,
    zᵢ += gᵢ - σᵢ wᵢ, nᵢ += gᵢ²; wᵢ = -zᵢ / ((β + √nᵢ) / α + λ₂). The reward y may be any number from 0 to 1.
    """

    def __init__(self, alpha: float = ALPHA, beta: float = BETA, ridge: float = RIDGE) -> None:
        self._alpha, self._beta, self._ridge = alpha, beta, ridge
        self._z: Floats = np.zeros(SIZE)
        self._n: Floats = np.zeros(SIZE)

    def learn(self, features: Ints, reward: float) -> None:
        each = np.unique(features)
        value = 1.0 / np.sqrt(len(each))
        weights = self._weights(each)
        slope = (_logistic(weights.sum() * value) - reward) * value
        grown = np.sqrt(self._n[each] + slope**2)
        self._z[each] += slope - (grown - np.sqrt(self._n[each])) / self._alpha * weights
        self._n[each] += slope**2

    def values(self, features: Ints, starts: Ints) -> Floats:
        if not len(starts):
            return np.zeros(0)
        sums = np.add.reduceat(self._weights(features), starts)
        found: Floats = _logistic(sums / np.sqrt(np.diff(np.r_[starts, len(features)])))
        return found

    def _weights(self, features: Ints) -> Floats:
        rate = (self._beta + np.sqrt(self._n[features])) / self._alpha + self._ridge
        found: Floats = -self._z[features] / rate
        return found

    def save(self) -> Mapping[str, Any]:
        return _saved(z=self._z, n=self._n)

    def load(self, state: Mapping[str, Any]) -> None:
        self._z, self._n = _loaded(state, "z"), _loaded(state, "n")


class _OfClasses(Learner):
    """Sums of rewards and numbers of links tried, by class."""

    def __init__(self) -> None:
        self._sums: Floats = np.zeros(SIZE)
        self._tried: Floats = np.zeros(SIZE)
        self._rewards, self._links = SUPPOSED, 1.0  # of all classes

    def learn(self, features: Ints, reward: float) -> None:
        self._sums[features[0]] += reward
        self._tried[features[0]] += 1.0
        self._rewards += reward
        self._links += 1.0

    @property
    def _mean(self) -> float:
        return self._rewards / self._links

    def save(self) -> Mapping[str, Any]:
        return {**_saved(sums=self._sums, tried=self._tried), "rewards": self._rewards, "links": self._links}

    def load(self, state: Mapping[str, Any]) -> None:
        self._sums, self._tried = _loaded(state, "sums"), _loaded(state, "tried")
        self._rewards, self._links = state["rewards"], state["links"]


class Bandit(_OfClasses):
    """`auer` of the class, its mean drawn to that of all: (Σ y + κ ȳ) / (n + κ), and n + κ times tried; cut at 1."""

    def values(self, features: Ints, starts: Ints) -> Floats:
        classes = features[starts]
        times = self._tried[classes] + PRIOR
        means = (self._sums[classes] + PRIOR * self._mean) / times
        return np.minimum(auer(means, times, self._links, EXPLORE), 1.0)


class Thompson(_OfClasses):
    """A draw from Beta(κ ȳ + Σ y, κ (1 - ȳ) + n - Σ y) for each class (Thompson, Biometrika 25, 1933), the same for all
    its links until they are put in order anew; a class that was not drawn for yet has ȳ."""

    def __init__(self) -> None:
        super().__init__()
        self._drawn = np.full(SIZE, np.nan)

    def draw(self, classes: Ints, rng: Random) -> None:
        mean = self._mean
        for each in classes.tolist():
            good = PRIOR * mean + float(self._sums[each])
            bad = PRIOR * (1.0 - mean) + float(self._tried[each] - self._sums[each])
            self._drawn[each] = rng.betavariate(max(good, _LEAST), max(bad, _LEAST))

    def values(self, features: Ints, starts: Ints) -> Floats:
        drawn = self._drawn[features[starts]]
        return np.where(np.isnan(drawn), self._mean, drawn)

    def save(self) -> Mapping[str, Any]:
        return {**super().save(), **_saved(drawn=np.nan_to_num(self._drawn, nan=-1.0) + 1.0)}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        drawn = _loaded(state, "drawn") - 1.0
        self._drawn = np.where(drawn < 0, np.nan, drawn)


def auer(means: Floats, tried: Floats, time: float, alpha: float) -> Floats:
    """Mean + α √(ln t / (n + 10⁻⁶)): an upper bound of what a class gives that was tried n times in t.

    Auer, Cesa-Bianchi and Fischer, Machine Learning 47, 2002; with α = 2√2 it is that of Kleinberg, Niculescu-Mizil and
    Sharma, "Regret bounds for sleeping experts and bandits", Machine Learning 80, 2010.
    """
    found: Floats = means + alpha * np.sqrt(np.log(time) / (tried + _LEAST))
    return found


def _logistic(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0)))


def _saved(**columns: Floats) -> Mapping[str, Any]:
    """What is not 0 of some columns of `SIZE`."""
    found: dict[str, Any] = {}
    for name, column in columns.items():
        places = np.flatnonzero(column)
        found[name] = [places.astype(np.int32).tobytes(), column[places].tobytes()]
    return found


def _loaded(state: Mapping[str, Any], name: str) -> NDArray[np.float64]:
    places, values = state[name]
    column = np.zeros(SIZE)
    column[np.frombuffer(places, dtype=np.int32)] = np.frombuffer(values, dtype=np.float64)
    return column

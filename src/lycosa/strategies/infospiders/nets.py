"""The small neural nets by which agents judge links: from how near their keywords stand to what a visit brings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.links.vicinity import Inputs

NOISE = 0.5
"""Mutation adds a draw from U(-NOISE, NOISE) to a weight."""


class Perceptron:
    """One logistic unit over the keywords, o = 1 / (1 + exp(-(b + Σ w_k in_k))); weights 1 and bias 0 at first.

    (Menczer, Pant and Srinivasan 2004, section 3.1.5: no hidden layer, identical weights. Their value is ours.)
    """

    def __init__(self, weights: Iterable[float], bias: float = 0.0) -> None:
        self.weights, self.bias = list(weights), bias

    def output(self, inputs: Inputs) -> float:
        activity = self.bias + sum(self.weights[k] * value for k, value in inputs)
        return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, activity))))

    def learn(self, inputs: Inputs, target: float, eta: float) -> None:
        """One step of back-propagation: Δw = η (e - o) o (1 - o) in.

        >>> net = Perceptron([1.0, 1.0])
        >>> net.learn(((0, 1.0), (1, 0.5)), 0.3, 0.5)
        >>> [round(w, 6) for w in net.weights], round(net.bias, 6)
        ([0.961403, 0.980701], -0.038597)
        """
        output = self.output(inputs)
        delta = (target - output) * output * (1.0 - output)
        for k, value in inputs:
            self.weights[k] += eta * delta * value
        self.bias += eta * delta

    def extended(self) -> Perceptron:
        """A copy with one more keyword, whose weight is the mean of the others."""
        mean = sum(self.weights) / len(self.weights) if self.weights else 1.0
        return Perceptron([*self.weights, mean], self.bias)

    def copied(self) -> Perceptron:
        return Perceptron(self.weights, self.bias)

    def save(self) -> Mapping[str, Any]:
        return {"weights": list(self.weights), "bias": self.bias}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Perceptron:
        return cls(state["weights"], state["bias"])


class TanhNet:
    """Keywords, one hidden layer as wide as they are many, one output; each unit is tanh(b + Σ w in).

    (Küçük 2009, eq. 4-2, which prints tanh.) At first, and this is ours, each hidden unit listens to its own keyword
    with weight 1, and the output to all of them with weight 1: keywords close by are good until something else is
    learned.
    """

    def __init__(self, keywords: int) -> None:
        self.hidden: NDArray[np.float64] = np.eye(keywords)
        self.hidden_bias: NDArray[np.float64] = np.zeros(keywords)
        self.out: NDArray[np.float64] = np.ones(keywords)
        self.bias = 0.0

    def output(self, links: Sequence[Inputs]) -> NDArray[np.float64]:
        """λ of each link, in (-1, 1)."""
        seen = np.zeros((len(links), len(self.out)))
        for row, inputs in enumerate(links):
            for k, value in inputs:
                seen[row, k] = value
        inner = np.tanh(seen @ self.hidden.T + self.hidden_bias)
        outputs: NDArray[np.float64] = np.tanh(inner @ self.out + self.bias)
        return outputs

    def learn(self, inputs: Inputs, error: float, eta: float) -> None:
        """One step of back-propagation of an output's error δ: through tanh it is δ (1 - o²)."""
        seen = np.zeros(len(self.out))
        for k, value in inputs:
            seen[k] = value
        inner = np.tanh(self.hidden @ seen + self.hidden_bias)
        output = math.tanh(float(inner @ self.out) + self.bias)
        delta = error * (1.0 - output * output)
        deltas = delta * self.out * (1.0 - inner * inner)
        self.out = self.out + eta * delta * inner
        self.bias += eta * delta
        self.hidden = self.hidden + eta * np.outer(deltas, seen)
        self.hidden_bias = self.hidden_bias + eta * deltas

    def mutated(self, rng: Random, share: float, *, one_more: bool) -> TanhNet:
        """A copy in which each weight has noise added with probability `share`; with a unit for a new keyword."""
        size = len(self.out)
        net = TanhNet(size + one_more)
        net.hidden[:size, :size] = self.hidden
        net.hidden_bias[:size], net.out[:size], net.bias = self.hidden_bias, self.out, self.bias
        if one_more and size:
            net.out[size] = self.out.mean()
        for weights in (net.hidden, net.hidden_bias, net.out):
            flat = weights.reshape(-1)
            for place in range(len(flat)):
                if rng.random() < share:
                    flat[place] += rng.uniform(-NOISE, NOISE)
        return net

    def save(self) -> Mapping[str, Any]:
        return {
            "hidden": self.hidden.tolist(),
            "hidden_bias": self.hidden_bias.tolist(),
            "out": self.out.tolist(),
            "bias": float(self.bias),
        }

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> TanhNet:
        net = cls(len(state["out"]))
        net.hidden = np.array(state["hidden"]).reshape(net.hidden.shape)
        net.hidden_bias, net.out = np.array(state["hidden_bias"]), np.array(state["out"])
        net.bias = state["bias"]
        return net

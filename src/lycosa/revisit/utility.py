"""What a visit is worth by the time since the last one, and when it is worth its price.

A page costs D(t) a day when it was not visited for t days. A visit ends that, so visits every t days pay best where

    U(t) = t·D(t) - ∫₀ᵗ D(x) dx

is the same for all pages: the price λ of a visit (Olston & Pandey 2008). Here the cost is the expected loss of truth
w·(1 - exp(-Δt)) of a page that changes at rate Δ, and what waits to be found on it, s·t. Then

    U(t) = (w / Δ)·g(Δt) + s·t² / 2,    g(r) = 1 - (1 + r)·exp(-r),

which grows with t: it is 0 at 0, and above all bounds if s is above 0, else at most w / Δ.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from lycosa.revisit.policy import Floats

CLOSE: Final = 1e-10
"""Waits are found up to this share of them."""


def utility(worth: Floats, changes: Floats, finds: Floats, days: Floats | float) -> Floats:
    """U of pages of that worth w, that change Δ times a day (above 0) and have s to be found a day, after some days."""
    spans = np.minimum(changes * days, 700.0)
    return worth / changes * _gained(spans, np.exp(-spans)) + finds * np.square(days) / 2


def rates_at(worth: Floats, changes: Floats, finds: Floats, price: float) -> Floats:
    """Visits a day 1 / t with U(t) = price (above 0), 0 of pages whose visits are never worth it.

    Newton's method for log U as a function of log t, from below, within a bracket: of a page without finds it is
    concave, so that no step leads past the solution; with finds it is so at first.
    """
    rates = np.zeros(len(changes))
    open_ = np.flatnonzero((worth / changes > price * (1 + CLOSE)) | (finds > 0))
    # In units of 1 / Δ: U = a·g(r) + c·r², with r = Δt.
    a, c = worth[open_] / changes[open_], finds[open_] / changes[open_] ** 2 / 2
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        high = np.sqrt(price / c)  # as g ≥ 0
        # As g ≤ r² / 2, and as g ≤ 1: the second is 0 / 0 where there are no finds and the price is a.
        low = np.fmax(np.sqrt(price / (a / 2 + c)), np.sqrt(np.maximum(price - a, 0.0) / c))
    r = low.copy()
    for _ in range(100):
        decay = np.exp(-np.minimum(r, 700.0))
        square = r * r
        u = a * _gained(r, decay) + c * square
        step = np.log(price / u) * u / (square * (a * decay + 2 * c))
        np.copyto(low, r, where=step > 0)
        np.copyto(high, r, where=step < 0)
        ahead = r * np.exp(np.minimum(step, 2.0))
        r = np.where((ahead >= low) & (ahead <= high), ahead, np.sqrt(low * high))
        moving = np.abs(step) > CLOSE
        if not moving.any():
            break
        if 2 * np.count_nonzero(moving) < len(r):  # go on with those alone
            done = ~moving
            rates[open_[done]] = changes[open_[done]] / r[done]
            open_, a, c, r, low, high = (each[moving] for each in (open_, a, c, r, low, high))
    rates[open_] = changes[open_] / r
    return rates


def _gained(r: Floats, decay: Floats) -> Floats:
    """g(r) = 1 - (1 + r)·exp(-r); where that is the difference of two numbers that are nearly equal, its series."""
    return np.where(r < 1e-4, r * r * (0.5 - r / 3 + r * r / 8), -np.expm1(-r) - r * decay)

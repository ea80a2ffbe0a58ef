"""What a visit is worth by the time since the last one, and when it is worth its price.

A page costs D(t) a day when it was not visited for t days. A visit ends that, so visits every t days pay best where

    U(t) = t·D(t) - ∫₀ᵗ D(x) dx = ∫₀ᵗ x dD(x)

is the same for all pages: the price λ of a visit (Olston & Pandey 2008). Here the cost is the expected loss of truth
w·(1 - exp(-Δt)) of a page that changes at rate Δ, and what waits to be found on it, s·t. Then

    U(t) = (w / Δ)·g(Δt) + s·t² / 2,    g(r) = 1 - (1 + r)·exp(-r),

which grows with t: it is 0 at 0, and above all bounds if s is above 0, else at most w / Δ.

Of a page that was seldom looked at the rate is not known. If it has a Gamma distribution of mean Δ and shape k (it is
known as well as from k changes of known time), the expected loss is w·(1 - (1 + Δt/k)⁻ᵏ), and

    g(r) = k / (k - 1)·(1 - (1 + r)·(1 + r/k)⁻ᵏ),

at most k / (k - 1). For large k that is as above; for k near 1 it grows without end: a page that seems to change too
often to be worth a visit is not given up before that is known.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from lycosa.revisit.policy import Floats

CLOSE: Final = 1e-10
"""Waits are found up to this share of them."""
FAR: Final = 700.0
"""Beyond it exp(-x) is no normal number."""
SHORT: Final = 1e-5
"""Below it g is worked out as a series."""


def utility(
    worth: Floats, changes: Floats, finds: Floats, days: Floats | float, shape: Floats | None = None
) -> Floats:
    """U of pages of that worth w, that change Δ times a day (above 0) and have s to be found a day, after some days.
    `shape`, above 1, tells how well the rates are known; None: for certain."""
    return worth / changes * _gained(changes * days, shape) + finds * np.square(days) / 2


def rates_at(
    worth: Floats, changes: Floats, finds: Floats, price: float, shape: Floats | None = None
) -> Floats:
    """Visits a day 1 / t with U(t) = price (above 0), 0 of pages whose visits are never worth it.

    Newton's method for log U as a function of log t, from below, within a bracket: of a page without finds it is
    concave, so that no step leads past the solution; with finds it is so at first.
    """
    rates = np.zeros(len(changes))
    most = worth / changes if shape is None else worth / changes * shape / (shape - 1)
    open_ = np.flatnonzero((most > price * (1 + CLOSE)) | (finds > 0))
    # In units of 1 / Δ: U = a·g(r) + c·r², with r = Δt.
    a, c = worth[open_] / changes[open_], finds[open_] / changes[open_] ** 2 / 2
    most, k = most[open_], None if shape is None else shape[open_]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        high = np.sqrt(price / c)  # as g ≥ 0
        # As g ≤ r² / 2, and as a·g ≤ most: the second is 0 / 0 where there are no finds and the price is that.
        low = np.fmax(np.sqrt(price / (a / 2 + c)), np.sqrt(np.maximum(price - most, 0.0) / c))
    r = low.copy()
    for _ in range(100):
        square = r * r
        u = a * _gained(r, k) + c * square
        step = np.log(price / u) * u / (square * (a * _density(r, k) + 2 * c))
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
            k = None if k is None else k[moving]
    rates[open_] = changes[open_] / r
    return rates


def _gained(r: Floats, k: Floats | None) -> Floats:
    """g(r); where that is the difference of two numbers that are nearly equal, its series."""
    if k is None:
        whole = -np.expm1(-r) - r * np.exp(-np.minimum(r, FAR))
        third = r / 3
    else:
        whole = k / (k - 1) * (1 - (1 + r) * np.exp(-k * np.log1p(r / k)))
        third = (1 + 1 / k) * r / 3
    return np.where(r < SHORT, r * r * (0.5 - third), whole)


def _density(r: Floats, k: Floats | None) -> Floats:
    """g'(r) / r: how fast what is expected to be lost grows."""
    fallen: Floats = np.exp(-np.minimum(r if k is None else (k + 1) * np.log1p(r / k), FAR))
    return fallen

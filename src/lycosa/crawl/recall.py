"""How much of what is relevant a crawl has found: estimates from samples, with their intervals. Plain arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt
from typing import Literal

from lycosa.model.records import Record

Z = 1.959964
"""The 97.5 % point of the normal distribution: all intervals are of 95 %."""

MISLED = 1.5
"""By about so much, in log odds of recall, estimates by capture–recapture are wrong, far more than chance in the sample
explains; their intervals allow for it. Set on recorded webs, where 86 % of the intervals hold the truth, not 95: see
benchmarks/results/stopping.md."""

By = Literal["held-out examples", "capture–recapture"]


class Estimate(Record, frozen=True, kw_only=True):
    """What share of the relevant pages was found: a middle and a 95 % interval in [0, 1], low ≤ recall ≤ high."""

    by: By
    """`held-out examples` or `capture–recapture`."""
    recall: float
    """The most likely share."""
    low: float
    high: float
    found: int
    """Relevant pages found, or held-out examples."""
    of: float
    """How many there are, by the estimate; of held-out examples it is known."""

    def __str__(self) -> str:
        span = f"{100 * self.low:.0f}–{100 * self.high:.0f} %"
        return f"about {100 * self.recall:.0f} % ({span}) of the relevant pages found, by {self.by}"


def chapman(first: int, second: int, both: int) -> float:
    """The size of a population of which one sample caught `first`, a second one `second`, and both of them `both`.

    N̂ = (n₁ + 1)(n₂ + 1) / (m + 1) − 1, which unlike Petersen's n₁n₂ / m is finite for m = 0, and unbiased for
    n₁ + n₂ ≥ N (Chapman, "Some properties of the hypergeometric distribution with applications to zoological sample
    censuses", Univ. Calif. Publ. Statistics 1(7), 1951). It takes for granted that the samples are independent and all
    members equally easy to catch.

    >>> chapman(20, 15, 5)
    55.0
    """
    return (first + 1) * (second + 1) / (both + 1) - 1


def chao(once: float, twice: float, occasions: int | None = None) -> float:
    """At least how many members no sample has caught, of those that were caught `once` and `twice`.

    f₁(f₁ − 1) / (2(f₂ + 1)), the bias-corrected form of f₁² / 2f₂ (Chao, "Nonparametric estimation of the number of
    classes in a population", Scand. J. Statistics 11, 1984), times (t − 1)/t where a catch is to be on one of t
    `occasions` (Chao, "Estimating the population size for capture-recapture data with unequal catchability",
    Biometrics 43, 1987). A lower bound: it allows for members of unequal catchability, not for members that cannot be
    caught at all. 0 for f₁ < 1.

    >>> chao(10, 4)
    9.0
    >>> chao(10, 4, occasions=10)
    8.1
    """
    share = (occasions - 1) / occasions if occasions else 1.0
    return share * max(0.0, once * (once - 1)) / (2 * (twice + 1))


def chao_variance(once: float, twice: float, occasions: int | None = None) -> float:
    """The asymptotic variance of `chao` (Chao 1987; the bias-corrected form as Colwell's EstimateS has it).

    With A = (t − 1)/t: A f₁(f₁−1)/(2(f₂+1)) + A² f₁(2f₁−1)²/(4(f₂+1)²) + A² f₁² f₂ (f₁−1)²/(4(f₂+1)⁴).
    """
    if once <= 1:
        return 0.0
    share = (occasions - 1) / occasions if occasions else 1.0
    more = twice + 1
    return (
        share * once * (once - 1) / (2 * more)
        + share**2 * once * (2 * once - 1) ** 2 / (4 * more**2)
        + share**2 * once**2 * twice * (once - 1) ** 2 / (4 * more**4)
    )


def wilson(found: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share of which `found` of `of` were counted; (0, 1) of nothing.

    (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), from Wilson, "Probable inference, the law of succession, and
    statistical inference", J. Amer. Statistical Association 22, 1927.
    """
    if not of:
        return 0.0, 1.0
    share, spread = found / of, Z * Z / of
    middle, half = share + spread / 2, Z * sqrt(share * (1 - share) / of + spread / (4 * of))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def of_examples(found: int, of: int) -> Estimate | None:
    """Recall as the share of held-out examples that a crawl has fetched; None without any.

    It is exact on average if the examples are a random draw of the relevant pages. Those that a person knows are
    easier to find than the rest, mostly, and then it is too high.
    """
    if not of:
        return None
    low, high = wilson(found, of)
    return Estimate(
        by="held-out examples",
        recall=found / of,
        low=min(low, found / of),
        high=max(high, found / of),
        found=found,
        of=of,
    )


class Catch(Record, frozen=True, kw_only=True):
    """The URLs that were caught on k occasions, for one k."""

    relevant: int = 0
    """Fetched, and relevant."""
    other: int = 0
    """Fetched in vain: not relevant, or no page."""
    waiting: int = 0
    """Known, and not fetched."""

    @property
    def rate(self) -> float:
        """The share of those fetched that were relevant; 0 if none was."""
        fetched = self.relevant + self.other
        return self.relevant / fetched if fetched else 0.0


def of_catches(catches: Sequence[Catch], occasions: int, fresh: float = 0.0) -> Estimate | None:
    """Recall by capture–recapture: `catches[k]` counts the URLs that relevant pages linked to on k of the occasions.

    Of the waiting URLs q_k of each k as many are taken for relevant as were among the fetched ones of the same k:
    g_k = f_k + q_k r_k. What no relevant page links to is at least `chao(g₁, g₂)` (or g₀, if that is more). Each
    relevant page shows `fresh` URLs that nobody knew, μ = fresh · r₁ of them relevant, and these show others: with
    w = Σ q_k r_k waiting, w / (1 − μ) are still to be found along such links, as in a branching process. So
    N̂ = Σ f_k + max(w / (1 − μ), Σ_{k≥1} g_k + max(g₀, chao(g₁, g₂)) − Σ f_k), and recall is Σ f_k / N̂.

    The interval is log-normal in N̂ − Σ f_k (Chao 1987), from the variance of `chao`, the binomial one of the waiting
    URLs, and `MISLED`; half a page is taken for missing at least. None while nothing relevant was found, and while
    μ ≥ 1: then there is no end in sight. With nothing waiting, all that links lead to was found.

    It takes for granted that waiting URLs are as good as fetched ones with as many links, which makes it too low for a
    strategy that tells them apart by more than that, and that what lies behind links nobody has seen yet is no richer
    than what does not, which makes it too high in a web of which little was seen.
    """
    found = sum(catch.relevant for catch in catches)
    heirs = fresh * catches[1].rate
    if not found or heirs >= 1:
        return None
    if not any(catch.waiting for catch in catches):
        return Estimate(by="capture–recapture", recall=1.0, low=1.0, high=1.0, found=found, of=found)
    expected = [catch.relevant + catch.waiting * catch.rate for catch in catches]
    waiting = (sum(expected) - found) / (1 - heirs)
    unlinked = max(expected[0], chao(expected[1], expected[2], occasions))
    missing = max(0.0, waiting, sum(expected[1:]) + unlinked - found)
    variance = sum(map(_waiting_variance, catches)) / (1 - heirs) ** 2
    if unlinked > expected[0]:
        variance += chao_variance(expected[1], expected[2], occasions)
    spread = max(missing, 0.5)
    factor = exp(Z * sqrt(log(1 + variance / spread**2) + MISLED**2))
    return Estimate(
        by="capture–recapture",
        recall=found / (found + missing),
        low=found / (found + spread * factor),
        high=found / (found + missing / factor),
        found=found,
        of=found + missing,
    )


def _waiting_variance(catch: Catch) -> float:
    """Of q r with r counted on v fetched URLs: q r(1 − r) for the waiting ones, q² r(1 − r)/v for r itself."""
    spread = catch.rate * (1 - catch.rate)
    fetched = catch.relevant + catch.other
    return catch.waiting * spread + (catch.waiting**2 * spread / fetched if fetched else 0.0)

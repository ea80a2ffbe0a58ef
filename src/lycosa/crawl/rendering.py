"""Which pages are worth a browser: decided by what pages that were rendered brought, never by their size."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final, Literal

from lycosa.model.records import Page, Record, Request
from lycosa.model.url import Host, Url, host_of

When = Literal["never", "auto", "always"]

RECENT: Final = 200
"""Visits whose scores tell what a good link is."""
LEARNT: Final = 3
"""Pages of a kind at a host that must have been rendered before the others are left alone."""
SAMPLED: Final = 0.05
"""Of pages that are not expected to bring anything so many are rendered all the same: sites change."""
ENOUGH_WORDS: Final = 25
"""Words more that are worth a browser, or a tenth of what the page has without it, whichever is more."""
SHARE: Final = 0.1


class RenderRules(Record, frozen=True, kw_only=True, gc=False):
    """What may be rendered."""

    when: When = "auto"
    per_host: int = 500
    """Pages of a host that are rendered at most; 0: no limit."""
    pages: int = 0
    """Pages that are rendered at most in all; 0: no limit."""


class Decision(Record, frozen=True, kw_only=True, gc=False):
    """Whether to render a page, and why, as a sentence."""

    render: bool
    why: str


def pays(links: int, words: int, page: Page) -> bool:
    """Whether so many new targets and so many words more than the page was sent with are worth a browser."""
    most_links, has_words = len(page.out), sum(page.terms.values())
    return links > SHARE * most_links or words >= max(ENOUGH_WORDS, SHARE * has_words)


class Renderings:
    """Learns at which hosts a browser brings more, from the pages that were rendered, and decides of others by that.

    Pages that have hardly any text without scripts (`Page.needs_script`) and others are learnt of apart. At a host of
    which `LEARNT` were rendered, the next is when at least half of them paid: (k + 1) / (n + 2) ≥ ½ of n rendered and
    k that paid, the mean of a Beta distribution that begins even. Of the rest a sample is rendered, by seed and URL.
    Pages with text are rendered only where the link that led to them is in the upper half of the last `RECENT`.
    A page of which nothing came teaches nothing.

    Its state comes from committed pages alone. A decision is made while the page is visited, and stands in the journal
    with the page: a replay makes none.

    Invariants, each the name of a property test:

    * budgets hold: no more pages are rendered than the limits say, in all and of a host, those that are out included.
    * without scripts nothing is rendered: unless every page is.
    * learnt from pages alone: the same pages give the same decisions, whatever was asked in between.
    """

    def __init__(self, rules: RenderRules | None = None, seed: int = 0) -> None:
        self.rules, self._seed = rules or RenderRules(), seed
        self.made = 0
        """Pages for which a browser was used."""
        self.paid = 0
        self._tried: dict[Host, int] = {}
        self._known: dict[str, list[int]] = {}  # by kind and host: pages rendered, and those that paid
        self._scores: deque[float] = deque(maxlen=RECENT)
        self._out: dict[Url, Host] = {}  # being rendered, by the URL that was asked for

    def decides(self, page: Page, *, scripted: bool, wanted: bool | None = None) -> Decision:
        """Whether a page, as it was sent, is to be rendered. `scripted`: it has scripts. `wanted`: what the strategy
        says, None if it says nothing."""
        host = host_of(page.final_url)
        decision = self._decision(page, host, scripted=scripted, wanted=wanted)
        if decision.render:
            self._out[page.request.url] = host
        return decision

    def came_home(self, url: Url) -> None:
        """A visit is over, whatever it brought."""
        self._out.pop(url, None)

    def _decision(self, page: Page, host: Host, *, scripted: bool, wanted: bool | None) -> Decision:
        if exceeded := self._exceeds(host):
            return Decision(render=False, why=exceeded)
        if self.rules.when == "always":
            return Decision(render=True, why="every page is (--render always)")
        if not scripted:
            return Decision(render=False, why="it has no scripts")
        if wanted is not None:
            return Decision(render=wanted, why=f"the strategy {'asked for it' if wanted else 'left it out'}")
        return self._by_experience(page, host)

    def _by_experience(self, page: Page, host: Host) -> Decision:
        bare = page.needs_script
        if not bare and not self._is_good(page.request):
            return Decision(render=False, why="its link was not among the better half")
        tried, paid = self._known.get(_kind(bare, host), (0, 0))
        so_far = f"{paid} of {tried} pages of its host that were rendered brought more"
        if tried < LEARNT and bare:
            return Decision(render=True, why="it has hardly any text without its scripts")
        if tried >= LEARNT and 2 * (paid + 1) >= tried + 2:
            return Decision(render=True, why=so_far)
        chance = SAMPLED if tried >= LEARNT else 1 / (tried + 1)
        if _drawn(self._seed, page.request.url) < chance:
            return Decision(render=True, why=f"as a sample: {so_far}" if tried else "to learn of its host")
        return Decision(render=False, why=so_far if tried else "it was not drawn to learn of its host")

    def _exceeds(self, host: Host) -> str:
        rules = self.rules
        if rules.pages and self.made + len(self._out) >= rules.pages:
            return f"{rules.pages} pages were rendered, the limit"
        at_host = self._tried.get(host, 0) + sum(each == host for each in self._out.values())
        if rules.per_host and at_host >= rules.per_host:
            return f"{rules.per_host} pages of its host were rendered, the limit"
        return ""

    def _is_good(self, request: Request) -> bool:
        """Whether a link is as good as the middle one of those that were followed last."""
        scores = sorted(self._scores)
        return not scores or request.score >= scores[len(scores) // 2]

    def seen(self, page: Page) -> None:
        """Take in a page that was committed."""
        self._scores.append(page.request.score)
        done = page.rendering
        if done is None or not done.was_tried:
            return
        host = host_of(page.final_url)
        self.made += 1
        self._tried[host] = self._tried.get(host, 0) + 1
        if done.record is None:
            return
        self.paid += done.pays
        known = self._known.setdefault(_kind(done.bare, host), [0, 0])
        known[0] += 1
        known[1] += done.pays

    def save(self) -> Mapping[str, Any]:
        return {
            "made": self.made,
            "paid": self.paid,
            "tried": self._tried,
            "known": self._known,
            "scores": list(self._scores),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.made, self.paid = state["made"], state["paid"]
        self._tried = {Host(host): count for host, count in state["tried"].items()}
        self._known = {kind: list(counts) for kind, counts in state["known"].items()}
        self._scores = deque(state["scores"], maxlen=RECENT)


def _kind(bare: bool, host: Host) -> str:
    return f"{'bare' if bare else 'full'} {host}"


def _drawn(seed: int, url: Url) -> float:
    """A number in [0, 1) that depends on seed and URL alone."""
    digest = blake2b(f"render/{seed}/{url}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64

"""Sets of values with which a crawl behaves as published ones did. What the user says besides goes before them."""

from __future__ import annotations

from lycosa.spec.tree import (
    CrawlSpec,
    DeadSpec,
    FetchSpec,
    FrontierSpec,
    PolitenessSpec,
    Profile,
    TrapSpec,
)
from lycosa.spec.webs import web_of

S2_MAX_BUFFER = 2_048
"""The paper has 256, 512, 1,024 and 2,048."""
S2_MAX_BYTES = 10 * 1024
S2_PAGES = 1_000


def base_spec(profile: Profile = "", web: str = "live") -> CrawlSpec:
    """A specification with the values of a profile, else with lycosa's own defaults.

    `s2`: Menczer, Pant and Srinivasan, "Topical Web Crawlers: Evaluating Adaptive Algorithms", ACM TOIT 4(4), 2004,
    sec. 2. Bodies are cut at 10 KB, so links beyond are not seen; the frontier holds MAX_BUFFER URLs, 2,048 unless
    `frontier.capacity` says otherwise; 1,000 pages. Ties go first in first out and of two scores the better counts;
    the paper leaves both open. Each URL that answers is a page, whatever it says. On a recorded web no host rests
    between two visits, and visits are made one by one, as in the paper's loop: so the order is that of the strategy
    alone. On the live web politeness and width stay as they are: a published experiment is no licence to hurry
    somebody's server.
    """
    if profile != "s2":
        return CrawlSpec(web=web)
    recorded = web_of(web).is_recorded
    return CrawlSpec(
        profile=profile,
        web=web,
        pages=S2_PAGES,
        frontier=FrontierSpec(capacity=S2_MAX_BUFFER),
        fetch=FetchSpec(max_bytes=S2_MAX_BYTES, width=1) if recorded else FetchSpec(max_bytes=S2_MAX_BYTES),
        politeness=PolitenessSpec(delay=0.0) if recorded else PolitenessSpec(),
        traps=TrapSpec(aliases=False),
        dead=DeadSpec(soft_errors=False),
    )

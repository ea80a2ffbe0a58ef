"""Laws of littered webs, for any web and any litter."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials

from lycosa.drive.clock import VirtualClock
from lycosa.lab.webs.clutter import Clutter, Copy, TimedVisitor, Trap
from lycosa.lab.webs.conditions import Conditions, visitor_under
from lycosa.lab.webs.generated import GeneratedLab
from lycosa.model.records import Page, Request, Visit
from lycosa.model.url import Url, canonical
from lycosa.web.made.topical import TopicalShape, TopicalWeb

BEHIND = GeneratedLab(
    TopicalWeb(TopicalShape(pages=300, hosts=30, parents=2, leaves=2, failures=0.1, redirects=0.1), 1)
)
litters = st.builds(Clutter, copied=st.floats(0, 1), copies=st.integers(1, 5), traps=st.floats(0, 1))
numbers = st.lists(st.integers(0, 299), min_size=1, max_size=8, unique=True)


def visitor(litter: Clutter, seed: int) -> TimedVisitor:
    conditions = Conditions(litter=litter, seed=seed)
    return visitor_under(conditions, BEHIND, lambda request, url: None, VirtualClock())


def visit(visitor: TimedVisitor, url: str) -> Visit:
    return asyncio.run(visitor(Request(url=Url(url), order=0)))


@settings(max_examples=trials(10), deadline=None)
@given(litters, st.integers(0, 2**32), numbers)
def test_by_seed_and_url(litter: Clutter, seed: int, numbers: list[int]) -> None:
    """In whatever order it is asked: pages, and all that they link to."""
    one, other = visitor(litter, seed), visitor(litter, seed)
    urls = [BEHIND.urls[number] for number in numbers]
    pages = [page for url in urls if isinstance(page := visit(one, url), Page)]
    urls += [url for page in pages for url in page.out[-6:]]
    again = {url: visit(other, url) for url in reversed(urls)}
    assert all(visit(one, url) == again[url] for url in urls)


@settings(max_examples=trials(30), deadline=None)
@given(litters, st.integers(0, 2**32), numbers)
def test_all_else_unchanged(litter: Clutter, seed: int, numbers: list[int]) -> None:
    littered, plain = visitor(litter, seed), visitor(Clutter(), 0)
    for number in numbers:
        found, was = visit(littered, BEHIND.urls[number]), visit(plain, BEHIND.urls[number])
        if not isinstance(found, Page) or not isinstance(was, Page):
            assert found == was
            continue
        kept = [link for link in found.links if not (Copy.at(link.target) or Trap.at(link.target))]
        assert kept == list(was.links)
        assert (found.text, found.terms, found.hops) == (was.text, was.terms, was.hops)
        assert all(canonical(link.target) == link.target for link in found.links)


@settings(max_examples=trials(10), deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 299), st.integers(0, 2))
def test_no_end(seed: int, number: int, turn: int) -> None:
    """Forty steps into a trap, always by the same turn, and not one page comes twice."""
    through = visitor(Clutter(traps=1.0), seed)
    page = visit(through, BEHIND.urls[number])
    if not isinstance(page, Page):
        return
    seen = {page.final_url}
    url = next(url for url in page.out if Trap.at(url))
    for _ in range(40):
        assert url not in seen
        seen.add(url)
        inside = visit(through, url)
        assert isinstance(inside, Page)
        onward = [to for to in inside.out if to != page.final_url]
        assert onward
        assert all((found := Trap.at(to)) and found.page == page.final_url for to in onward)
        url = onward[turn % len(onward)]

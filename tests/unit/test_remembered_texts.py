"""What is worked out of pages is the same whether it is remembered or not."""

from __future__ import annotations

import random
from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from lycosa.crawl.site_names import Text, Told, _where_to
from lycosa.crawl.traps import Gists, Traps
from lycosa.crawl.variants import stem_of
from lycosa.frontier.lane import HostLane, Waiting
from lycosa.frontier.turns import BestPlaces, smaller
from lycosa.lab.webs.pages import PAGES_KEPT
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.model.url import Host, Url

SITE = "http://a.example/"


def _page(number: int, words: str) -> Page:
    url = Url(f"{SITE}{number}")
    return Page(
        request=Request(url=url, order=number),
        final_url=url,
        status=200,
        fetched_at=Millis(0),
        media_type="text/html",
        digest=f"sha1:{number}",
        title="",
        text=f"menu of the site\n{words}\nfooter of the site",
        links=(Link(source=url, target=Url(f"{SITE}{number + 1}")),),
        fingerprint=number + 1,
    )


def _pages() -> list[Page]:
    draw = random.Random(3)
    words = [" ".join(draw.choice("coral reef wolf spider sea sand") for _ in range(60)) for _ in range(40)]
    return [_page(number, draw.choice(words)) for number in range(120)]


def test_crawls_that_share_gists_notice_the_same_as_crawls_of_their_own() -> None:
    shared = Gists(PAGES_KEPT)
    for order in (1, -1):  # other pages before a page make other templates of it
        alone, together = Traps(), Traps(gists=shared)
        for page in _pages()[::order]:
            alone.seen(page)
            together.seen(page)
            assert alone.damping(Host("a.example")) == together.damping(Host("a.example"))
        assert alone.save() == together.save()
    assert shared.gist.cache_info().hits  # or it was no test


def test_what_a_page_says_is_told_anew_when_a_part_of_it_is_another() -> None:
    told, page = Told(2), _page(1, "coral " * 40)
    assert told(page) == told(replace(page, relevance=0.5)) == Text.of(page)
    for other in (
        replace(page, text=page.text + " more"),
        replace(page, links=()),
        replace(page, digest="sha1:OTHER"),
        replace(page, fingerprint=0),
        replace(page, final_url=Url(f"{SITE}elsewhere")),
    ):
        assert told(other) == Text.of(other)
    assert told(page) == Text.of(page)


def test_no_more_pages_are_remembered_than_asked_for() -> None:
    told = Told(2)
    for page in _pages()[:5]:
        told(page)
    assert len(told._known) == 2


def test_better_places_of_a_host_are_counted_as_if_looked_at_each_time() -> None:
    draw, host = random.Random(7), Host("a.example")
    lane = HostLane()
    for step in range(3_000):
        waiting = list(lane.waiting)
        match draw.randrange(8):
            case 0 | 1 if len(waiting) < 60:
                key = (draw.randrange(2), -draw.random(), step)
                depth = draw.randrange(3)
                new = Waiting(url=Url(f"{SITE}{step}"), host=host, key=key, order=step, depth=depth)
                lane.add(new)
                lane.place([new])
            case 2 if waiting:
                lane.remove(draw.choice(waiting))
            case 3 if waiting:
                moved = lane.waiting[draw.choice(waiting)]
                moved.key = (draw.randrange(2), -draw.random(), moved.order)
                lane.place([moved])
            case _:
                key, most = (draw.randrange(3), -draw.random(), 0), draw.randrange(1, 20)
                assert lane._before(host, key, most) == _counted(lane, host, key, most)


def _counted(
    lane: HostLane, host: Host, key: tuple[int, float, int], most: int
) -> tuple[int, tuple[int, float, int] | None]:
    places = BestPlaces[tuple[int, float, int]](most)
    standing = sorted((each.key, each.url) for each in lane.at_host(host))
    for at, url in smaller(standing, key):
        if not places.add(at, url, lane.waiting[url].depth):
            break
    linked = places.linked()
    return min(len(linked), most), linked[0] if linked else None


_PARTS = st.sampled_from(["", "a", "A", "menu", "index.html", "a.html", "a/b", "?q=1", ";jsessionid=1"])
_URLS = st.builds("http://{}/{}/{}".format, st.sampled_from(["a.example", "b.example"]), _PARTS, _PARTS).map(
    Url
)


@given(_URLS, st.lists(_URLS))
def test_where_a_page_leads_is_told_path_by_path(final: Url, targets: list[Url]) -> None:
    links = tuple(Link(source=final, target=target) for target in targets)
    own = stem_of(final).partition("/")[2]
    leads = {target.partition("?")[0].split("/", 3)[3].rstrip("/"): target for target in targets}
    others = [
        path
        for path, url in leads.items()
        if not (path.lower().startswith(own) and stem_of(url).partition("/")[2] == own)
    ]
    page = replace(_page(1, "coral"), final_url=final, links=links)
    assert _where_to(page) == crc32("\n".join(sorted(others)).encode())

"""Traps are refused, genuine URLs never, and a crawl gets out of each trap at a bounded cost."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recordings import RECORDS, recorded
from tests.worlds import made_page

from lycosa.crawl.traps import TrapLimits, Traps
from lycosa.model.packed import listed
from lycosa.model.records import Page, Request
from lycosa.model.url import Host, Url, canonical, host_of
from lycosa.read.duplicates import simhash


def page(url: str, fingerprint: int) -> Page:
    return made_page(Request(url=Url(url), order=0), fingerprint=fingerprint)


def entered(traps: Traps, urls: list[str]) -> list[str]:
    """The URLs that get in, each asked for and then admitted."""
    kept = []
    for url in urls:
        if traps.refuses(Url(url)) is None:
            traps.admit(Url(url))
            kept.append(url)
    return kept


@pytest.mark.parametrize(
    ("url", "refused"),
    [
        ("http://h.example/" + "x" * 239, False),
        ("http://h.example/" + "x" * 240, True),
        ("http://h.example/" + "%C3" * 239, False),
        ("http://h.example/" + "%C3" * 240, True),
        ("http://h.example/a/b/a/c/a", True),
        ("http://h.example/a/b/a/c/d", False),
        ("http://h.example/a/a", False),
        ("http://h.example/a/b/a/b", True),
        ("http://h.example/x/a/b/c/a/b/c/", True),
        ("http://h.example/a/b/c/b/a", False),
        ("http://h.example////", True),
        ("http://h.example/?a=1&a=1&a=1", True),
        ("http://h.example/?a=1&a=2&a=3", False),
        ("http://h.example/index.php/news.php/x", True),
        ("http://h.example/index.php/news", False),
        ("http://h.example/?next=/a.php/b.php/c", False),
        ("http://h.example/?C=M;O=D", False),
        ("http://h.example/", False),
    ],
)
def test_what_shows_in_the_url_itself(url: str, refused: bool) -> None:
    assert (Traps().refuses(Url(url)) is not None) is refused


def test_each_rule_can_be_switched_off() -> None:
    off = TrapLimits(**dict.fromkeys(TrapLimits.__struct_fields__, 0))
    urls = ["http://h.example/" + "a/" * 400, "http://h.example/a.php/b.php/c"]
    urls += [f"http://h.example/cal?year={year}&sid=abcdef{year}" for year in range(1000, 2000)]
    urls.append("http://h.example/d/?C=M;O=D")
    traps = Traps(off)
    assert entered(traps, urls) == urls
    for n in range(100):
        traps.seen(page(f"http://h.example/{n}", 1))
    assert traps.damping(Host("h.example")) == 1.0
    assert not listed(traps.save()["recent"]), "nothing is kept for a rule that is off"
    assert (
        Traps(TrapLimits(refuse_listing_orders=True)).refuses(Url("http://h.example/d/?C=M;O=D")) is not None
    )


def test_variants_of_one_address_are_counted() -> None:
    traps = Traps(TrapLimits(dates=3, sessions=2, orders=2))
    days = [f"http://h.example/events/2024-01-{day:02}" for day in range(1, 9)]
    assert entered(traps, days) == days[:3]
    assert "3 dates" in (traps.refuses(Url(days[5])) or "")
    assert traps.refuses(Url(days[0])) is None, "what came in is not refused later"
    assert entered(traps, ["http://h.example/events/2024-01-05/talk"]) != [], "another address"
    sessions = [f"http://h.example/shop?item=7&PHPSESSID=abc{n:029}" for n in range(5)]
    assert entered(traps, sessions) == sessions[:2]
    orders = [f"http://h.example/f?{q}" for q in ("a=1&b=2", "b=2&a=1", "a=1&c=3", "a=9&b=9")]
    assert entered(traps, orders) == [orders[0], orders[1], orders[3]]


@pytest.mark.parametrize(
    "shape",
    [
        "http://h.example/a;jsessionid={n:032}",
        "http://h.example/a?sid=a{n:08}",
        "http://h.example/a?x=1&session_id={n:08}&y=2",
        "http://h.example/a?{n:032x}",
        "http://h.example/(S({n:024}))/a.aspx",
    ],
)
def test_session_ids_are_known_in_many_forms(shape: str) -> None:
    urls = [shape.format(n=n) for n in range(50)]
    assert len(entered(Traps(), urls)) == TrapLimits().sessions


@pytest.mark.parametrize(
    "shape",
    [
        "http://h.example/story?sid={n}",
        "http://h.example/view?d={n}",
        "http://h.example/jobs?candidate={n}",
        "http://h.example/news-{n}.html",
        "http://h.example/{n}/",
        "http://h.example/wiki?title=P{n}&action=edit",
    ],
)
def test_numbered_pages_are_neither_sessions_nor_dates(shape: str) -> None:
    urls = [shape.format(n=n) for n in range(100_000, 101_000)]
    assert len(entered(Traps(), urls)) == 1000


@pytest.mark.parametrize(
    "shape",
    [
        "http://h.example/cal?y={year}&m={month}&d=1",
        "http://h.example/blog?m={year}{month:02}",
        "http://h.example/{year}/{month}/",
        "http://h.example/cal/{year}-{month:02}-11",
        "http://h.example/cal?year={year}&month={month}",
        "http://h.example/cal.php?view=day&date={year}{month:02}11",
    ],
)
def test_calendars_are_known_in_many_forms(shape: str) -> None:
    urls = [shape.format(year=year, month=month) for year in range(1900, 2000) for month in range(1, 13)]
    assert len(entered(Traps(), urls)) == TrapLimits().dates


def test_pages_of_a_host_can_be_capped() -> None:
    traps = Traps(TrapLimits(pages_per_host=2))
    urls = ["http://a.example/1", "http://a.example/2", "http://a.example/3", "http://b.example/1"]
    assert entered(traps, urls) == [urls[0], urls[1], urls[3]]


# ----------------------------------------------------------------------------- hosts that repeat themselves


def test_a_host_of_near_duplicates_is_damped_and_may_recover() -> None:
    traps, host = Traps(), Host("a.example")
    for n in range(49):
        traps.seen(page(f"http://a.example/{n}", 0xFFFF0000 ^ (1 << n % 2)))
        assert traps.damping(host) == 1.0, "too few pages to judge"
    traps.seen(page("http://a.example/x", 0xFFFF0000))
    assert traps.damping(host) == 0.1
    assert traps.damping(Host("b.example")) == 1.0
    for n in range(11):  # now 39 of the last 50 repeat, less than four fifths
        traps.seen(page(f"http://a.example/new{n}", 0x0123456789ABCDEF * (2 * n + 3) % (1 << 64)))
    assert traps.damping(host) == 1.0


def test_three_bits_are_near_and_four_are_not() -> None:
    traps = Traps(TrapLimits(sample=2, near_duplicates=0.4))
    traps.seen(page("http://a.example/1", 0b1111_0000))
    traps.seen(page("http://a.example/2", 0b1111_0111))
    assert traps.damping(Host("a.example")) == 0.1
    traps.seen(page("http://b.example/1", 0b1111_0000))
    traps.seen(page("http://b.example/2", 0b1111_1111))
    assert traps.damping(Host("b.example")) == 1.0


def test_pages_without_text_say_nothing_of_a_host() -> None:
    traps = Traps()
    for n in range(100):
        traps.seen(page(f"http://a.example/{n}", 0))
    assert traps.damping(Host("a.example")) == 1.0


# ----------------------------------------------------------------------------- pages within a site's template


def prose(name: str, words: int, a_line: int = 25) -> str:
    """So many words by chance, always the same of one name, in lines."""
    draw = random.Random(name)
    drawn = ["".join(draw.choices("abdeiklmnorstu", k=6)) for _ in range(words)]
    return "\n".join(" ".join(drawn[at : at + a_line]) for at in range(0, words, a_line))


def brought(*texts: str, share: float = 0.8) -> float:
    """How a host is damped that has brought pages of these texts."""
    traps = Traps(TrapLimits(sample=len(texts), near_duplicates=share))
    for n, text in enumerate(texts):
        one = made_page(Request(url=Url(f"http://a.example/{n}"), order=n), text=text)
        traps.seen(msgspec.structs.replace(one, fingerprint=simhash(one.terms)))
    return traps.damping(Host("a.example"))


def test_different_articles_in_one_large_template_are_no_copies() -> None:
    menu, footer = prose("menu", 1_200, 3), prose("footer", 1_200)
    assert brought(*(f"{menu}\n{prose(f'article {n}', 60)}\n{footer}" for n in range(50))) == 1.0


def test_copies_in_different_templates_are_copies() -> None:
    """Each article is there twice, to be read and to be printed: of the later half, each repeats one before."""
    screen, printed = prose("screen", 1_000, 3), prose("printed", 1_000)
    articles = [prose(f"article {n}", 300) for n in range(12)]
    texts = [f"{template}\n{article}" for article in articles for template in (screen, printed)]
    assert brought(*texts, share=0.4) == 0.1
    others = [f"{screen}\n{article}\n{prose(article, 300)}" for article in articles]
    assert brought(*others, share=0.1) == 1.0


def test_copies_of_words_in_another_order_are_copies_within_a_template_too() -> None:
    menu = prose("menu", 600, 3)
    words = prose("article", 500).split()
    orders = [random.Random(n).sample(words, len(words)) for n in range(12)]
    assert brought(*(f"{menu}\n{' '.join(order)}" for order in orders)) == 0.1


def test_pages_that_are_hardly_more_than_their_template_are_judged_as_a_whole() -> None:
    menu = prose("menu", 600)
    assert brought(*(f"{menu}\nno events on day {n}" for n in range(20))) == 0.1
    assert brought(*([menu] * 20)) == 0.1


# ------------------------------------------------------------------------------------- servers without end


def growing_path(url: str, n: int) -> Iterator[str]:
    yield url + "a/"


def growing_round(url: str, n: int) -> Iterator[str]:
    yield from (url + part for part in ("news/index/", "about/", "staff/alumni/"))


def calendar(url: str, n: int) -> Iterator[str]:
    yield from (
        f"http://trap.example/calendar?year={1990 + m // 12}&month={m % 12 + 1}" for m in (n, n + 1, n + 2)
    )


def sessions(url: str, n: int) -> Iterator[str]:
    yield from (f"http://trap.example/item{item}?sid={n:08x}{item:08x}" for item in range(3))


def shuffled(url: str, n: int) -> Iterator[str]:
    names = [f"f{(n * 7 + k * 3) % 23}" for k in range(1 + n % 5)]
    yield from (f"http://trap.example/shop?{'&'.join(f'{a}=1' for a in [*names, extra])}" for extra in "xyz")


@pytest.mark.parametrize(
    ("trap", "cap"),
    [(growing_path, 2), (growing_round, 114), (calendar, 366), (sessions, 15), (shuffled, 100)],
)
def test_a_crawl_of_1000_pages_leaves_the_trap(trap: Callable[[str, int], Iterator[str]], cap: int) -> None:
    """One host has 2,000 ordinary pages, the other has no end and is found first."""
    traps = Traps()
    start = ["http://trap.example/", "http://good.example/0"]
    queue, known, fetched = deque(start), set(start), Counter[str]()
    for n in range(1000):
        url = queue.popleft()
        fetched[host_of(Url(url))] += 1
        number = int(url.rsplit("/", 1)[1]) if "good" in url else 0
        links = [f"http://good.example/{number + 1}"] if "good" in url else list(trap(url, n))
        for link in entered(traps, [link for link in links if link not in known]):
            known.add(link)
            queue.append(link)
    assert 1 <= fetched["trap.example"] <= 1 + cap, "the start page and what the limit admits"
    assert fetched.total() == 1000


# ------------------------------------------------------------------------------------------ recorded data


def most_frequent(url: str) -> int:
    """How often the most frequent segment of a path occurs."""
    segments = Counter(segment for segment in url.partition("?")[0].split("/")[3:] if segment)
    return max(segments.values(), default=0)


def test_no_genuine_url_is_refused_and_most_traps_are(shared: Path) -> None:
    genuine = [url for _, url in recorded(shared)]
    assert len(genuine) == RECORDS
    for urls in (genuine, [canonical(url) for url in genuine]):
        assert entered(Traps(), urls) == urls
    raw = (shared / "cases" / "traps" / "urls.txt").read_text("utf-8").splitlines()
    clear = [url for url in raw if most_frequent(url) >= 3]
    refused = [url for url in raw if Traps().refuses(canonical(url)) is not None]
    assert len(clear) == 334
    assert len(set(clear) & set(refused)) >= 333
    assert len(refused) >= 342


# --------------------------------------------------------------------------------------------- properties

_urls = st.builds(
    lambda host, parts, query: f"http://{host}.example/{'/'.join(parts)}{query}",
    st.sampled_from("ab"),
    st.lists(st.sampled_from(["a", "b", "2024", "01", "x.php", "2024-01-02"]), max_size=4),
    st.sampled_from(
        ["", "?a=1&b=2", "?b=1&a=2", "?c=1&d=2", "?sid=1234567a", "?sid=8765432b", "?sid=abcdefg1", "?day=3"]
    ),
).map(Url)
_small = TrapLimits(dates=2, sessions=2, orders=2, pages_per_host=6, sample=3)


@given(st.lists(_urls, max_size=30), st.lists(st.integers(0, 7), max_size=8), _urls)
def test_load_restores_every_answer(urls: list[Url], marks: list[int], asked: Url) -> None:
    traps = Traps(_small)
    entered(traps, list(urls))
    for mark in marks:
        traps.seen(page("http://a.example/", mark))
    saved = msgspec.msgpack.decode(msgspec.msgpack.encode(traps.save()))
    restored = Traps(_small)
    restored.load(saved)
    assert restored.refuses(asked) == traps.refuses(asked)
    assert restored.damping(Host("a.example")) == traps.damping(Host("a.example"))
    assert restored.save() == traps.save()


@given(st.lists(_urls, max_size=30))
def test_refuses_changes_nothing_and_the_admitted_stay_welcome(urls: list[Url]) -> None:
    traps = Traps(TrapLimits(dates=2, sessions=2, orders=2))
    for url in urls:
        before = traps.save()
        answer = traps.refuses(url)
        assert traps.refuses(url) == answer
        assert traps.save() == before
        if answer is None:
            traps.admit(url)
            assert traps.refuses(url) is None
    kept = [url for url in urls if traps.refuses(url) is None]
    assert entered(traps, list(kept)) == kept


@given(st.lists(_urls, max_size=30))
def test_no_count_exceeds_its_limit(urls: list[Url]) -> None:
    traps = Traps(_small)
    entered(traps, list(urls))
    saved = traps.save()
    for kind, limit in {"dates": 2, "session ids": 2, "parameter orders": 2}.items():
        assert all(len(known) <= limit for _, known in listed(saved["variants"][kind]))
    assert all(count <= 6 for count in saved["pages"].values())


@given(st.text(max_size=60))
def test_any_url_gets_an_answer(rest: str) -> None:
    url = canonical("http://h.example/" + rest.encode("utf-8", "replace").decode("utf-8"))
    traps = Traps()
    answer = traps.refuses(url)
    assert answer is None or answer.strip()
    traps.admit(url)
    assert answer is not None or traps.refuses(url) is None, "what was admitted stays admitted"

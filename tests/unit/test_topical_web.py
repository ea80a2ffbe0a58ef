"""The made-up topical web and the laboratory's way to it: what it is like, and what can be known of it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from hashlib import sha256

import pytest

from lycosa.drive.clock import VirtualClock
from lycosa.lab.webs.generated import GeneratedLab
from lycosa.model.errors import InputError
from lycosa.model.records import Failure, Fault, Page, Reason, Request, Response
from lycosa.model.url import Url, canonical
from lycosa.read.html import read
from lycosa.scoring.words.stopwords import ENGLISH
from lycosa.scoring.words.terms import stem
from lycosa.web.made.faulty import Faults, FaultyWeb
from lycosa.web.made.topical import TopicalShape, TopicalWeb

SMALL = TopicalShape(pages=1500, hosts=90, parents=3, leaves=3)
WEB = TopicalWeb(SMALL, seed=4)
PAGES = range(len(WEB))


def ask(web: TopicalWeb | FaultyWeb, url: str) -> Response | Fault:
    return asyncio.run(web.fetch(Url(url)))


def body(number: int) -> Response:
    answer = ask(WEB, WEB.url(number))
    assert isinstance(answer, Response)
    return answer


def share(hits: int, of: int) -> float:
    return hits / of


def test_every_page_has_a_name_and_every_name_a_page() -> None:
    urls = [WEB.url(number) for number in PAGES]
    assert [WEB.number(url) for url in urls] == list(PAGES)
    assert [canonical(url) for url in urls] == urls
    strangers = [
        "http://h0.test/p/0",
        "http://h0.test/p/99999",
        "http://h999.test/",
        "http://x.test/",
        "https://h0.test/",
    ]
    assert [WEB.number(url) for url in strangers] == [None] * 5


def test_shares_are_as_asked_for() -> None:
    """Standard error of a share at 1,500 pages: 0.013 at most; four of them are allowed."""
    fates = Counter(map(WEB.fate, PAGES))
    assert share(fates["redirect"], 1500) == pytest.approx(SMALL.redirects, abs=0.02)
    failed = sum(fates[fate] for fate in ("connect", "timeout", "404", "503"))  # type: ignore[index]
    assert share(failed, 1500) == pytest.approx(SMALL.failures, abs=0.02)
    assert share(sum(WEB.topic(number) is None for number in PAGES), 1500) == pytest.approx(
        0.15 * 0.94, abs=0.04
    )
    copies = sum(WEB.original(number) != number for number in PAGES)
    assert share(copies, 1500) == pytest.approx(SMALL.duplicates, abs=0.02)
    degrees = [len(WEB.links(number)) for number in PAGES]
    assert max(degrees) > 20


def test_topical_pages_link_to_their_own_kind() -> None:
    def kin(web: TopicalWeb) -> float:
        ends = [(web.topic(page), web.topic(to)) for page in PAGES for to in web.links(page)]
        topical = [one == other for one, other in ends if one is not None]
        return share(sum(topical), len(topical))

    scattered = TopicalWeb(
        TopicalShape(pages=1500, hosts=90, parents=3, leaves=3, internal=0, locality=0, kinship=0, hubs=0),
        seed=4,
    )
    assert kin(scattered) == pytest.approx(0.85 / 9, abs=0.03)
    assert kin(WEB) > 4 * kin(scattered)


def test_hosts_are_of_uneven_size() -> None:
    sizes = Counter(WEB.url(number).split("/")[2] for number in PAGES)
    assert len(sizes) == 90
    # By hand: ten hosts a topic with shares k ** -0.7, which sum to 3.971; 156.67 pages a topic besides one a host:
    # the largest has 1 + 156.67 / 3.971 = 40.5, the smallest 1 + 156.67 * 0.1995 / 3.971 = 8.9.
    assert max(sizes.values()) in (40, 41)
    assert min(sizes.values()) == 9
    even = TopicalWeb(TopicalShape(pages=1500, hosts=90, parents=3, leaves=3, unevenness=0.0))
    sizes = Counter(even.url(number).split("/")[2] for number in PAGES)
    assert max(sizes.values()) - min(sizes.values()) <= 1


def test_a_page_says_what_it_is_about_and_links_where_it_should() -> None:
    number = next(
        page for page in PAGES if WEB.fate(page) == "page" and WEB.topic(page) == 5 and WEB.links(page)
    )
    response = body(number)
    document = read(response.body, response.url, response.header("content-type") or "")
    assert {WEB.number(link.target) for link in document.links} == set(WEB.links(number))
    own = set(WEB.description(5).split())
    other = set(WEB.description(2).split())
    assert sum(document.terms.get(word, 0) for word in own) > 30
    assert sum(document.terms.get(word, 0) for word in other) < 5
    inside = [link for link in document.links if link.target.split("/")[2] == response.url.split("/")[2]]
    assert all(link.in_nav for link in inside)


def test_words_are_neither_stemmed_nor_stop_words() -> None:
    words = {word for topic in range(WEB.topics) for word in WEB.description(topic).split()}
    assert len(words) == 9 * 40 + 3 * 25
    assert all(stem(word) == word for word in words)
    assert not ENGLISH & words
    assert set(WEB.keywords(5)) <= set(WEB.description(5).split())


def test_a_near_duplicate_differs_in_few_words() -> None:
    shape = TopicalShape(pages=600, hosts=20, parents=2, leaves=2, duplicates=0.3, failures=0, redirects=0)
    web = TopicalWeb(shape, 1)
    copy = next(number for number in range(600) if web.original(number) != number)
    answers = [ask(web, web.url(number)) for number in (copy, web.original(copy), copy + 1)]
    texts = [set(read(answer.body, answer.url).terms) for answer in answers if isinstance(answer, Response)]
    assert len(texts[0] & texts[1]) > 0.85 * len(texts[1])
    assert len(texts[0] & texts[2]) < 0.7 * len(texts[2])
    assert web.topic(copy) == web.topic(web.original(copy))


def test_a_calendar_never_ends() -> None:
    shape = TopicalShape(pages=600, hosts=20, parents=2, leaves=2, traps=1.0, failures=0, redirects=0)
    web = TopicalWeb(shape, 1)
    url = Url("http://h3.test/")
    for _ in range(5):
        answer = ask(web, url)
        assert isinstance(answer, Response)
        days = [link.target for link in read(answer.body, url).links if "/calendar/" in link.target]
        assert web.number(days[-1]) is None
        url = days[-1]
    assert url == "http://h3.test/calendar/9"
    assert ask(web, "http://h3.test/calendar/x").status == 404  # type: ignore[union-attr]
    assert ask(WEB, "http://h3.test/calendar/1").status == 404  # type: ignore[union-attr]


def test_robots_slow_hosts_and_strangers() -> None:
    web = TopicalWeb(TopicalShape(pages=600, hosts=20, parents=2, leaves=2, robots=1.0, slow=1.0), 1)
    robots = ask(web, "http://h3.test/robots.txt")
    assert isinstance(robots, Response)
    assert b"Disallow: /private/" in robots.body
    assert web.url(27) == f"http://{web.url(27).split('/')[2]}/private/27"
    calm = TopicalWeb(TopicalShape(pages=600, hosts=20, parents=2, leaves=2, slow=0.0), 1)
    assert web.latency(web.url(5)) == 20 * calm.latency(calm.url(5))
    stranger = ask(web, "http://nowhere.test/")
    assert isinstance(stranger, Fault)
    assert stranger.reason is Reason.DNS


def test_targets_are_homes_of_the_topic_that_answer() -> None:
    targets = WEB.targets(5, 6)
    assert len(set(targets)) == 6
    assert {WEB.topic(target) for target in targets} == {5}
    assert {WEB.fate(target) for target in targets} == {"page"}
    assert all(WEB.url(target).endswith(".test/") for target in targets)


@pytest.mark.parametrize("distance", [0, 1, 2])
def test_seeds_are_so_many_links_from_a_target(distance: int) -> None:
    targets = set(WEB.targets(5, 20))
    seeds = WEB.seeds(5, distance)
    assert 5 <= len(seeds) <= 10
    for seed in seeds:
        reached, steps = {seed}, 0
        while not reached & targets:
            reached = {to for page in reached for to in WEB.links(page)}
            steps += 1
        assert steps <= distance


def test_ten_million_pages_are_not_stored() -> None:
    web = TopicalWeb(TopicalShape(pages=10_000_000, hosts=500_000), seed=2)
    checked = 0
    for number in (1_234_567, 4_999_999, 9_999_999):
        assert web.number(web.url(number)) == number
        popularity = [(len(web.url(target)), target) for target in web.links(number)]
        if popularity:  # the longest names are those of pages far down, which few link to
            assert number in web.in_links(max(popularity)[1])
            checked += 1
    assert checked


def test_too_few_hosts_or_pages() -> None:
    for shape in (TopicalShape(hosts=50), TopicalShape(pages=500, hosts=600)):
        with pytest.raises(InputError, match="give each topic at least one host"):
            TopicalWeb(shape)


def test_the_same_in_every_process() -> None:
    program = (
        "import asyncio, hashlib\n"
        "from lycosa.web.made.topical import *\n"
        "w = TopicalWeb(TopicalShape(pages=1500, hosts=90, parents=3, leaves=3), seed=4)\n"
        "print(hashlib.sha256(repr([asyncio.run(w.fetch(w.url(n))) for n in range(40)]).encode()).hexdigest())"
    )
    environment = {"PYTHONHASHSEED": "5", "PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", program]
    there = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    here = sha256(repr([ask(WEB, WEB.url(number)) for number in range(40)]).encode()).hexdigest()
    assert there.stdout.strip() == here


# -- in the laboratory ---------------------------------------------------------------------------------------


def test_a_graph_of_visits() -> None:
    lab = GeneratedLab(WEB)
    graph = lab.graph()
    visitor = lab.visitor(lambda request, url: None, VirtualClock())
    for number in range(0, 1500, 30):
        visit = asyncio.run(visitor(Request(url=WEB.url(number), order=0)))
        if not isinstance(visit, Page) or visit.hops:
            assert not len(graph.out(number))
            continue
        targets = [target for target in visit.out if "/calendar/" not in target]
        ends = [asyncio.run(visitor(Request(url=target, order=0))) for target in targets]
        landed = {WEB.number(end.final_url) for end in ends if isinstance(end, Page)} - {number}
        assert landed == set(graph.out(number).tolist())
        assert graph.missing[number] == sum(isinstance(end, Failure) for end in ends)


def test_hidden_pages_of_a_generated_web() -> None:
    lab = GeneratedLab(WEB)
    number = next(page for page in PAGES if WEB.fate(page) == "page" and len(WEB.in_links(page)) > 3)
    url = WEB.url(number)
    visitor = lab.visitor(lambda request, url: None, VirtualClock(), excluded=[url])
    gone = asyncio.run(visitor(Request(url=url, order=0)))
    assert isinstance(gone, Failure)
    assert gone.status == 404
    assert visitor.latency(url) == lab.latency(url) == gone.elapsed
    graph = lab.graph([url])
    assert number not in graph.indices.tolist()
    assert not len(graph.out(number))
    assert number in lab.graph().indices.tolist()


def test_names_in_a_generated_web() -> None:
    lab = GeneratedLab(WEB)
    moved = next(page for page in PAGES if WEB.fate(page) == "redirect" and WEB.landing(page) is not None)
    assert lab.index(WEB.url(moved)) == WEB.landing(moved) != moved
    assert lab.index("http://nowhere.test/") is None
    assert len(lab.urls) == 1500
    assert lab.urls[3] == WEB.url(3)
    assert lab.urls[-2:] == [WEB.url(1498), WEB.url(1499)]
    with pytest.raises(InputError, match="ask page by page"):
        GeneratedLab(TopicalWeb(TopicalShape(pages=2_000_000))).graph()


# -- faulty --------------------------------------------------------------------------------------------------

BAD = Faults(timeouts=0.1, refusals=0.1, errors=0.3, missing=0.1, slow=0.3)
GOOD = TopicalWeb(TopicalShape(pages=1500, hosts=90, parents=3, leaves=3, failures=0, redirects=0), 4)


def test_faults_come_in_the_shares_asked_for() -> None:
    web = FaultyWeb(GOOD, BAD, seed=1)
    answers = [ask(web, GOOD.url(number)) for number in PAGES]
    assert sum(web.made.values()) == sum(not isinstance(a, Response) or a.status != 200 for a in answers)
    for name in ("timeouts", "refusals", "errors", "missing"):
        assert web.made[name] / 1500 == pytest.approx(getattr(BAD, name), abs=0.05)
    statuses = Counter(answer.status for answer in answers if isinstance(answer, Response))
    assert set(statuses) == {200, 404, 500, 502, 503}
    assert min(statuses[status] for status in (500, 502, 503)) > 100
    reasons = Counter(answer.reason for answer in answers if isinstance(answer, Fault))
    assert set(reasons) == {Reason.TIMEOUT, Reason.CONNECT}
    assert all(
        answer.header("retry-after")
        for answer in answers
        if isinstance(answer, Response) and answer.status == 503
    )


def test_latencies_are_those_of_the_answers() -> None:
    web = FaultyWeb(GOOD, BAD, seed=1)
    urls = [GOOD.url(number) for number in range(300)]
    assert [web.latency(url) for url in urls] == [ask(web, url).elapsed for url in urls]
    slow = {url.split("/")[2] for url in urls if web.latency(url) == 20 * GOOD.latency(url)}
    assert 0 < len(slow) < 90
    timed_out = [web.latency(url) for url in urls if web.fault(url) == "timeouts"]
    assert set(timed_out) == {10_000}


def test_shares_that_are_none() -> None:
    for faults in (
        Faults(timeouts=0.6, errors=0.6),
        Faults(missing=-0.1),
        Faults(slow=2.0),
        Faults(slowness=0.5),
    ):
        with pytest.raises(InputError, match="give shares"):
            FaultyWeb(GOOD, faults)

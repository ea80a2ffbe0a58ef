"""Invariants of what learns while it crawls, and of what learns from logs; each test is named after one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log
from random import Random
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import CosineTopic, by_table, drive, journal, made_page, make_crawl, u, visited

from lycosa.crawl.inputs import PageView, UsageLog
from lycosa.crawl.strategy import Strategy
from lycosa.lab.webs.visitors import Sight, SurfShape, surf
from lycosa.model.records import Millis, Page, Request
from lycosa.model.url import Url
from lycosa.scoring.links.patterns import Behaviour, PatternTree, class_of, parts_of
from lycosa.sources.discovery import is_private
from lycosa.sources.logs import LogReader, LogRules
from lycosa.strategies.intelligent.candidates import Candidates, Weights
from lycosa.strategies.intelligent.intelligent import Intelligent
from lycosa.strategies.intelligent.interest import (
    Base,
    Features,
    Rule,
    interest_ratio,
    significance,
    url_tokens,
)
from lycosa.strategies.intelligent.user_experience import UserExperience
from lycosa.strategies.intelligent.visitor_features import Traces
from lycosa.strategies.url_patterns import UrlPatterns

WORDS = ("coral", "reef", "sea", "tax", "law", "bank")
NAMES = "abcdefghijkl"

graphs = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=6), min_size=3)
texts = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join))


def crawled(strategy: Strategy, graph: Mapping[str, Sequence[str]], words: Mapping[str, str]) -> list[Url]:
    crawl = make_crawl(strategy, topic=CosineTopic("coral"))
    crawl.start([u(name) for name in list(graph)[:2]], Millis(0))
    drive(crawl, by_table(graph, words))
    return visited(crawl)


# -- intelligent ---------------------------------------------------------------------------------------------


class Naive:
    """All that was crawled, in order, and every part of a score by going over all of it."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.pages: list[
            tuple[Page, bool, list[int]]
        ] = []  # page, whether good, pages that linked to it before

    def add(self, page: Page, good: bool) -> None:
        self.pages.append((page, good, self.parents(page.url)))

    def parents(self, url: Url) -> list[int]:
        return [i for i, (page, _, _) in enumerate(self.pages) if url in page.out][::-1]

    @property
    def share(self) -> float:
        return fmean(good for _, good, _ in self.pages)

    def ratio(self, good: float, expected: float) -> float:
        return log(interest_ratio(good, expected, self.rule.smoothing))

    def features(self, met: list[bool]) -> float | None:
        n, good = len(met), sum(met)
        if not n or significance(good, n, self.share) < self.rule.t:
            return None
        return self.ratio(good, n * self.share)

    def mean(self, logs: Iterable[float | None]) -> float:
        told = [each for each in logs if each is not None]
        return (fmean(told) if self.rule.geometric else sum(told)) if told else 0.0

    def score(self, url: Url) -> float:
        pages, parents = self.pages, self.parents(url)
        terms = [term for parent in parents for term in pages[parent][0].terms]
        words = self.mean(
            self.features([g for _, g, ps in pages if any(term in pages[p][0].terms for p in ps)])
            for term in terms
        )
        tokens = self.mean(
            self.features([g for page, g, _ in pages if token in url_tokens(page.url)])
            for token in url_tokens(url)
        )
        pairs = [(pages[p][1], good) for _, good, ps in pages for p in ps]
        share, links = self.share, 0.0
        for parent in parents:
            kind = pages[parent][1]
            expected = (share if kind else 1 - share) * share * len(pairs)
            links += self.ratio(sum(p == kind and good for p, good in pairs), expected)
        kids = [good for parent in parents for _, good, ps in pages if parent in ps]
        return words + tokens + links + self.ratio(sum(kids), len(kids) * share)


@given(graphs, texts, st.booleans(), st.sampled_from([0.0, 1.03, 2.1]))
@settings(max_examples=trials(60), deadline=None)
def test_one_sum(
    graph: Mapping[str, Sequence[str]], words: Mapping[str, str], geometric: bool, t: float
) -> None:
    rule = Rule(t=t, geometric=geometric)
    known, naive = Candidates(rule, Weights(), 100), Naive(rule)
    for order, (name, to) in enumerate(graph.items()):
        page = made_page(
            Request(url=u(name), order=order), *map(u, dict.fromkeys(to)), text=words.get(name, "")
        )
        good = "coral" in page.terms
        known.add(page, good, list(page.out))
        naive.add(page, good)
    if not 0 < known.base.good < known.base.pages:
        return
    known.sum_up()
    numbers = np.arange(len(known))
    scores = known.weigh(numbers)
    assert scores.tolist() == pytest.approx([naive.score(url) for url in known.urls], abs=1e-4)


@given(graphs, texts)
@settings(max_examples=trials(40), deadline=None)
def test_breadth_first_at_first(graph: Mapping[str, Sequence[str]], words: Mapping[str, str]) -> None:
    from lycosa.strategies.order import BreadthFirst

    plain = {name: text.replace("coral", "") for name, text in words.items()}
    assert crawled(Intelligent(), graph, plain) == crawled(BreadthFirst(), graph, plain)


@given(st.integers(0, 1000))
@settings(max_examples=trials(25), deadline=None)
def test_no_evidence_no_effect(seed: int) -> None:
    """A word that says nothing, on 4,000 pages of which a tenth satisfies: its ratio is within 5 σ of 1."""
    rng = Random(seed)
    words, base = Features(), Base()
    (word,) = words.numbers(["word"])
    for _ in range(4000):
        good = rng.random() < 0.1
        base.pages, base.good = base.pages + 1, base.good + good
        if rng.random() < 0.5:
            words.count(np.array([word]), good)
    ratio = float(np.exp(words.log_ratios(base, Rule(t=0.0))[0]))
    assert ratio == pytest.approx(1.0, abs=5 * (0.9 / 0.1 / 2000) ** 0.5)


@given(graphs, texts, st.integers(1, 5))
@settings(max_examples=trials(40), deadline=None)
def test_without_traces_it_visits_what_intelligent_visits_in_the_same_order(
    graph: Mapping[str, Sequence[str]], words: Mapping[str, str], every: int
) -> None:
    """And by the same scores."""
    asked = []
    for strategy in (Intelligent(every=every), UserExperience(None, every=every)):
        crawl = make_crawl(strategy, topic=CosineTopic("coral"))
        crawl.start([u(name) for name in list(graph)[:2]], Millis(0))
        drive(crawl, by_table(graph, words))
        asked.append([entry.commands for entry in journal(crawl)])
    assert asked[0] == asked[1]


# -- logs ------------------------------------------------------------------------------------------------------

views = st.lists(
    st.tuples(
        st.integers(0, 3), st.integers(0, 5_000), st.sampled_from(NAMES), st.sampled_from(("-", *NAMES))
    ),
    max_size=60,
)


def line(user: int, second: int, name: str, referrer: str) -> str:
    time = f"01/Jan/2026:{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02} +0000"
    ref = referrer if referrer == "-" else u(referrer)
    return f'10.0.0.{user} - - [{time}] "GET {u(name)} HTTP/1.1" 200 1 "{ref}" "Firefox"'


@given(views, st.lists(st.text(max_size=30), max_size=5), st.randoms(use_true_random=False))
@settings(max_examples=trials(60), deadline=None)
def test_sessions_partition_the_cleaned_records_and_nothing_is_lost_silently(
    made: list[tuple[int, int, str, str]], junk: list[str], rng: Random
) -> None:
    lines = [line(*view) for view in made] + ["! " + " ".join(text.split()) for text in junk]
    rng.shuffle(lines)
    reader = LogReader(LogRules())
    reader.read("log", lines)
    log, account = reader.told()
    found = [
        (user, view.at, log.urls[view.url])
        for user, s in zip(log.users, log.sessions, strict=True)
        for view in s
    ]
    kept = [(second * 1000 + 1_767_225_600_000, u(name)) for _, second, name, _ in made]
    assert sorted((at, url) for _, at, url in found) == sorted(kept)
    assert len(set(log.users)) == len({user for user, *_ in made})
    for session in log.sessions:
        gaps = [b.at - a.at for a, b in pairwise(session)]
        assert all(0 <= gap <= 1_800_000 for gap in gaps)
    starts = [session[0].at for session in log.sessions]
    assert starts == sorted(starts)
    assert account.lines == account.views + account.broken + sum(account.dropped.values())


@given(views, st.permutations(range(4)))
@settings(deadline=None)
def test_order_of_users_does_not_matter(made: list[tuple[int, int, str, str]], names: list[int]) -> None:
    scores = []
    for naming in (list(range(4)), names):
        sessions = [
            (
                user,
                [
                    PageView(url=NAMES.index(name), at=Millis(at))
                    for who, at, name, _ in sorted(made)
                    if who == user
                ],
            )
            for user in range(4)
        ]
        used = [(naming[user], tuple(session)) for user, session in sessions if session]
        log_ = UsageLog(
            urls=tuple(map(u, NAMES)),
            users=tuple(user for user, _ in used),
            sessions=tuple(s for _, s in used),
        )
        traces, base = Traces(log_, Millis(1000)), Base()
        for name in NAMES:
            base.pages, base.good = base.pages + 1, base.good + (name in "abc")
            traces.count(u(name), name in "abc")
        traces.weigh(base, 0.5, 1.0)
        again = Traces(log_, Millis(1000))
        again.load(traces.save())
        assert again.save() == traces.save()
        scores.append(traces.scores)
    assert scores[0] == pytest.approx(scores[1])


# -- patterns --------------------------------------------------------------------------------------------------

paths = st.lists(
    st.sampled_from(("a", "b", "news", "7", "8", "2026-01-01", "x-y", "")), min_size=1, max_size=4
)
urls = st.builds(lambda host, path, query: Url(f"http://{host}.test/{'/'.join(path)}{query}"),
                 st.sampled_from("hi"), paths, st.sampled_from(("", "?a=1", "?a=1&b=2")))  # fmt: skip


def tree_of(found: Sequence[Url], least: int) -> PatternTree:
    treated = [Behaviour(1 + len(url) % 5, 1, len(url) % 2, 0) for url in found]
    return PatternTree(found, treated, least, 0.05)


@given(st.lists(urls, min_size=1, max_size=20, unique=True), urls, st.integers(1, 4))
@settings(deadline=None)
def test_exactly_one(found: list[Url], unseen: Url, least: int) -> None:
    tree = tree_of(found, least)
    for url in (*found, unseen):
        parts, pattern = parts_of(url), tree.match(url)
        fits = [
            each
            for each in tree
            if len(each.parts) <= len(parts)
            and all(
                a == b or (a == class_of(b) and b[:1] != "?") for a, b in zip(each.parts, parts, strict=False)
            )
        ]
        assert pattern in fits
        assert not [
            each for each in fits if each.parts[:-1] == pattern.parts and each in pattern.below.values()
        ]


@given(
    st.lists(urls, min_size=1, max_size=40, unique=True), st.integers(1, 4), st.randoms(use_true_random=False)
)
def test_order_does_not_matter(found: list[Url], least: int, rng: Random) -> None:
    before = {str(pattern) for pattern in tree_of(found, least)}
    rng.shuffle(found)
    assert {str(pattern) for pattern in tree_of(found, least)} == before


@given(views, st.integers(1, 4))
@settings(deadline=None)
def test_importance_is_a_distribution(made: list[tuple[int, int, str, str]], least: int) -> None:
    reader = LogReader()
    reader.read("log", [line(*view) for view in made])
    patterns = UrlPatterns(reader.told()[0], least=least)
    assert patterns.importance.sum() == pytest.approx(1.0 if made else 0.0)
    assert (patterns.scores >= 0).all()


# -- surfers and discovery ----------------------------------------------------------------------------------------


@given(graphs, st.integers(0, 5), st.floats(0, 1))
@settings(max_examples=trials(12), deadline=None)
def test_surfers_write_what_can_be_read(graph: Mapping[str, Sequence[str]], seed: int, noise: float) -> None:
    def look(url: Url) -> Sight | None:
        name = url[7:].partition(".")[0]
        return Sight([u(to) for to in graph[name]], {"word": 1}) if name in graph else None

    starts = [u(name) for name in list(graph)[:2]]
    shape = SurfShape(users=5, sessions=2, noise=noise)
    lines = surf(look, starts, shape, seed)
    assert lines == surf(look, starts, shape, seed)
    reader = LogReader(LogRules(site=u("a")[:-1]))
    reader.read("log", lines)
    log_, account = reader.told()
    assert not account.broken
    site = {"a"}  # requests to one host alone are written as paths, which are read as those of the site
    assert {url[7:].partition(".")[0] for url in log_.urls} <= set(graph) | site
    assert account.sessions > 0
    assert len(set(log_.users)) <= 5


@given(st.sampled_from(("10.0.0.1", "localhost", "wiki", "a.internal", "[::1]", "192.168.3.4:8080")))
def test_closed_networks_are_private(host: str) -> None:
    assert is_private(Url(f"http://{host}/a"))
    assert not is_private(Url("http://example.org/a"))

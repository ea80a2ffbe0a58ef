"""What fish search and shark search promise, for any page."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import lease, made_page, make_crawl, u

from lycosa.crawl.inputs import Query
from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.protocol import Tie
from lycosa.model.commands import Enqueue
from lycosa.model.records import Link, Millis
from lycosa.scoring.words.similarity import CHANGED_BY_STEMMING, Similarity
from lycosa.scoring.words.terms import cosine, counts, query_terms, stem
from lycosa.strategies.fish import Fish
from lycosa.strategies.shark import Shark

ENDINGS = (
    *(
        "s",
        "ies",
        "sses",
        "eed",
        "ed",
        "ing",
        "y",
        "ational",
        "tional",
        "ency",
        "ancy",
        "izer",
        "ably",
        "ally",
    ),
    *("ently", "ely", "ously", "ization", "ation", "ator", "alism", "iveness", "fulness", "ousness", "ality"),
    *("ivity", "ibility", "ability", "icate", "ative", "alize", "icity", "ical", "ful", "ness", "ment", "e"),
    *("ble", "iz", "at", "ll"),
)
WORDS = st.builds(
    lambda base, endings: base + "".join(endings),
    st.text("abeilnrstvyz", min_size=1, max_size=6),
    st.lists(st.sampled_from(ENDINGS), max_size=3),
)
TEXTS = st.lists(
    WORDS
    | st.sampled_from(
        [
            "apple",
            "apples",
            "Äpfel",
            "Apple-pie",
            "ski",
            "SKIES",
            "\u212aiwi",
            "’kiwi‘",
            "ｋｉｗｉ",
            "İkiwi",
            "kiwi…",
            "苹果汁",
            "果汁",
        ]
    ),
    max_size=12,
).map(" ".join)
QUERIES = st.text().map(query_terms) | TEXTS.map(query_terms) | st.just({"appl": 1})
SHARES = st.floats(0, 1)


@given(WORDS)
def test_a_stem_begins_as_its_word_does(word: str) -> None:
    assert word.startswith(stem(word)[:-CHANGED_BY_STEMMING])


@given(QUERIES, TEXTS | st.text())
def test_no_shortcut_shows(query: dict[str, int], text: str) -> None:
    assert Similarity(query).of(text) == cosine(query, counts(text))


@given(TEXTS.filter(query_terms), TEXTS)
def test_no_shortcut_shows_where_there_is_something_to_find(text: str, more: str) -> None:
    query = query_terms(text)
    assert Similarity(query).of(f"{more} {text}") == cosine(query, counts(f"{more} {text}"))


def asked_by_shark(shark: Shark, text: str, anchors: list[tuple[str, str]]) -> list[Enqueue]:
    crawl = make_crawl(shark)
    crawl.start([u("s")], Millis(0))
    links = tuple(
        Link(source=u("s"), target=u(f"a/{i}"), anchor=anchor, context=f"{before} {anchor}")
        for i, (anchor, before) in enumerate(anchors)
    )
    crawl.commit(msgspec.structs.replace(made_page(lease(crawl), text=text), links=links), Millis(0))
    commands = [command for entry in crawl.store.entries() for command in entry.commands]
    return [command for command in commands if isinstance(command, Enqueue)][1:]


ANCHORS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4)


@given(SHARES, SHARES, SHARES, st.integers(0, 20), TEXTS, ANCHORS)
def test_scores_lie_in_0_to_1_and_a_matching_anchor_counts(
    gamma: float, delta: float, beta: float, window: int, text: str, anchors: list[tuple[str, str]]
) -> None:
    query = Query(terms={"appl": 1, "ski": 2})
    shark = Shark(query, gamma=gamma, delta=delta, beta=beta, window=window)
    asked = asked_by_shark(shark, text, anchors)
    assert len(asked) == len(anchors)
    for command, (anchor, _) in zip(asked, anchors, strict=True):
        assert -1e-12 <= command.score <= 1 + 1e-12
        if cosine(query.terms, counts(anchor)):
            assert command.score >= (1 - gamma) * (1 - beta) - 1e-12


@given(
    st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 30), max_size=8)), max_size=8),
    st.integers(0, 4),
    st.integers(0, 3),
)
@pytest.mark.parametrize("tie", ["fifo", "lifo"])
def test_every_link_has_a_place_and_newest_first_in_front_oldest_first_elsewhere(
    tie: Tie, pages: list[tuple[bool, list[int]]], width: int, depth: int
) -> None:
    """Fish beside a list that is only a list."""
    crawl = make_crawl(
        Fish(Query(terms={"appl": 1}), width=width, depth=depth), frontier=MemoryFrontier(tie=tie)
    )
    seed = u("seed")
    crawl.start([seed], Millis(0))
    front, middle, end, depths, seen = [seed], list[str](), list[str](), {seed: depth}, {seed}
    for relevant, numbers in pages:
        if not (front or middle or end):
            break
        request = lease(crawl)
        assert request.url == (front or middle or end)[0]
        (front or middle or end).pop(0)
        own = depths[request.url]
        targets = [u(f"h{n}") for n in dict.fromkeys(numbers)]
        crawl.commit(made_page(request, *targets, text="apple" if relevant else "cloud"), Millis(0))
        links = [url for url in targets if url != request.url]
        n = -(-3 * width // 2) if relevant else width if own else 0
        carried = depth if relevant else max(0, own - 1)
        firsts = [url for url in links[:n] if url not in seen or url in front + middle + end]
        for url in firsts if relevant else ():
            for part in (front, middle, end):
                if url in part:
                    part.remove(url)
            depths[url] = carried
        if relevant:
            front[:0] = firsts
        for url in firsts if not relevant else ():
            if url not in front + middle:
                if url in end:
                    end.remove(url)
                middle.append(url)
                depths[url] = carried
        for url in links[n:]:
            if url not in seen:
                end.append(url)
                depths[url] = carried
        seen.update(links)
    keys = crawl.frontier.keys()
    assert sorted(keys, key=lambda url: keys[url]) == front + middle + end

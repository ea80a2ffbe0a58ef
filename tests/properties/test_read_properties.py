"""What holds for every page, every text and every set of fingerprints."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials

from lycosa.crawl.sketch import exact
from lycosa.read.blocks import single_blanks
from lycosa.read.charset import decode
from lycosa.read.duplicates import hash64, jaccard, majority, shingles, simhash
from lycosa.read.html import read
from lycosa.read.kinds import readable
from lycosa.read.markup import flat
from lycosa.read.tags import MAX_ATTRIBUTES, has_excess, tags
from lycosa.read.wording import html_text
from lycosa.scoring.words.fingerprints import NearIndex, hamming
from lycosa.scoring.words.terms import PLAIN, Vocabulary, cosine, counts, tokens

URL = "http://example.org/a/b?c"
TYPES = st.sampled_from(
    [
        "text/html",
        "text/plain",
        "text/xml",
        "application/rss+xml",
        "",
        "text/html; charset=utf-16",
        "text/html;charset=big5",
    ]
)
PIECES = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        '<a\thref="x">',
        "<a\thref='//h/#y'>",
        "</a>",
        "<nav>",
        "</nav>",
        "<b>",
        "</b>",
        "<ul><li>",
        "<li>",
        "</ul>",
        "<table><tr><td>",
        "</table>\n",
        "",
        "",
        "",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<title>",
        "</title>",
        "<h1>",
        "</h1>",
        "<img\talt=q>",
        "<base\thref=z>",
        "<svg>",
        "</svg>",
        "<br>",
        "<footer>",
        "words\n",
        "",
        "",
        "",
        "spider",
        "&amp;",
        "&#0;",
        "&nbsp;",
        "\x00",
        "\x01",
        "\x00a",
        "\x00z",
        "\x00\x00!",
        "<template>",
        "</template>",
        "<select><option>",
        "<form>",
        "<iframe\tsrc=f>",
        "<dt>",
        "<noscript>\n",
        "",
        "",
        "",
        "</noscript>",
        "<meta\tname=robots\tcontent=none>",
        "<frameset>",
        "<frame\tsrc=g>",
        "<math>",
        "<a\thref=>",
        "<",
        ">",
        '"',
        "=",
    ]
)
MARKUP = st.lists(PIECES, max_size=40).map("".join)
VECTORS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 1000), max_size=6)
FINGERPRINTS = st.integers(0, 2**64 - 1)


@given(st.binary(max_size=2000), TYPES)
def test_never_raises(body: bytes, content_type: str) -> None:
    readable(content_type, body)
    read(body, URL, content_type)


@given(st.binary(max_size=300), st.text(max_size=40))
def test_decode_never_raises(body: bytes, content_type: str) -> None:
    text, charset = decode(body, content_type)
    assert isinstance(text, str)
    assert charset


@settings(max_examples=trials(400))
@given(MARKUP)
def test_one_line_a_block(markup: str) -> None:
    document = read(markup.encode(), URL)
    assert "\0" not in document.text
    for line in document.text.split("\n") if document.text else []:
        assert line
        assert line == " ".join(line.split())
    for link in document.links:
        assert link.target.startswith("http")
        assert link.context == " ".join(link.context.split())
        assert link.anchor == " ".join(link.anchor.split())
        assert "\0" not in link.anchor + link.context + link.heading + link.path
        assert 0 <= link.position < 1


@settings(max_examples=trials(400))
@given(MARKUP)
def test_union_of_blocks(markup: str) -> None:
    document = read(markup.encode(), URL)
    main, boilerplate = iter(document.content.split("\n")), iter(document.boilerplate.split("\n"))
    lines = document.text.split("\n") if document.text else []
    assert [next(main if content else boilerplate) for content in document.content_lines] == lines
    assert len(document.content_lines) == len(lines)
    assert not any(document.content_lines[place] for place in document.nav_lines)
    assert list(document.nav_lines) == sorted(set(document.nav_lines))


@settings(max_examples=trials(400))
@given(MARKUP, TYPES)
def test_same_text(markup: str, content_type: str) -> None:
    text = html_text(markup.encode(), content_type)
    assert text is None or text == read(markup.encode(), URL, content_type).text


@given(MARKUP)
def test_same_bytes_same_document(markup: str) -> None:
    assert read(markup.encode(), URL) == read(markup.encode(), URL)


@given(st.text())
def test_single_blanks_agree_with_splitting(text: str) -> None:
    assert single_blanks(text).strip(" ") == " ".join(text.split())


@given(MARKUP)
def test_flat_leaves_small_pages_alone(markup: str) -> None:
    assert flat(markup) == markup


@given(st.text(max_size=200))
def test_counts_count_tokens(text: str) -> None:
    unstemmed = Vocabulary((), stemming=False)
    assert sum(unstemmed.counts(text).values()) == len(tokens(text))
    assert counts(text) == Vocabulary().counts(text) == PLAIN.counts(text)


@given(st.text(max_size=100))
def test_tokens_are_folded(text: str) -> None:
    assert tokens(text) == [word for word in tokens(text) if word == word.lower() and not word.isspace()]


@given(VECTORS, VECTORS, st.integers(1, 50))
def test_cosine_is_a_similarity(one: dict[str, int], other: dict[str, int], factor: int) -> None:
    similarity = cosine(one, other)
    assert 0 <= similarity <= 1
    assert similarity == pytest.approx(cosine(other, one))
    assert similarity == pytest.approx(cosine({term: n * factor for term, n in one.items()}, other))
    proportional = len(one) == len(other) and all(
        one[t] * sum(other.values()) == other.get(t, 0) * sum(one.values()) for t in one
    )
    assert (similarity > 1 - 1e-12) == (proportional and bool(one))


@given(st.dictionaries(st.text(max_size=8), st.integers(1, 10**6), max_size=20))
def test_simhash_is_the_majority(terms: dict[str, int]) -> None:
    assert simhash(terms) == majority([(n, hash64(term)) for term, n in terms.items()], 64)


@given(FINGERPRINTS, FINGERPRINTS, FINGERPRINTS)
def test_hamming_is_a_distance(one: int, two: int, three: int) -> None:
    assert hamming(one, one) == 0
    assert hamming(one, two) == hamming(two, one) <= hamming(one, three) + hamming(three, two)


@given(
    st.lists(st.sampled_from("abc"), max_size=12),
    st.lists(st.sampled_from("abc"), max_size=12),
    st.integers(1, 4),
)
def test_jaccard_is_a_similarity(one: list[str], other: list[str], n: int) -> None:
    first, second = shingles(one, n), shingles(other, n)
    assert 0 <= jaccard(first, second) == jaccard(second, first) <= 1
    assert jaccard(first, first) == 1


@given(st.text())
def test_exact_digests_see_words_only(text: str) -> None:
    assert exact(text) == exact(f" {text}\n")


def test_finds_all_and_first_in_first_out() -> None:
    """Against comparison with everything, on 10,000 fingerprints of which many have near neighbours."""
    draw = random.Random(3)
    fingerprints = [draw.getrandbits(64) for _ in range(5_000)]
    for _ in range(5_000):
        bits = draw.sample(range(64), draw.randint(0, 5))
        fingerprints.append(draw.choice(fingerprints) ^ sum(1 << bit for bit in bits))
    index = NearIndex()
    for place, fingerprint in enumerate(fingerprints):
        index.add(str(place), fingerprint)
    index.add("4900", fingerprints[4_900])  # a key added again is told once
    for asked in fingerprints[4_900:5_100]:
        expected = [str(i) for i, known in enumerate(fingerprints) if (known ^ asked).bit_count() <= 3]
        assert index.near(asked) == expected


@given(
    st.lists(
        st.sampled_from(["one", " ", "two three", '<a href="/a">four</a>', '<a href="/b"><img></a>', "<p>"])
    )
)
@settings(max_examples=trials(150), deadline=None)
def test_places_of_links_are_where_their_words_stand(parts: list[str]) -> None:
    document = read("".join(parts).encode(), "http://a.test/", "text/html")
    assert len(document.places) == len(document.links)
    assert list(document.places) == sorted(document.places)
    for link, place in zip(document.links, document.places, strict=True):
        assert document.text[place:].startswith(link.anchor)


@given(
    st.lists(
        st.sampled_from(
            [
                "<p",
                "<svg",
                "</svg>",
                "<title>",
                "</title>",
                "<script",
                "</script>",
                "</SCRIPT ",
                "<!--",
                "-->",
                "<!-->",
                ">",
                "<![CDATA[",
                "]]>",
                "<",
                " a",
                ' b="',
                '"',
                "'",
                "=",
                "/",
                " x",
                " x" * MAX_ATTRIBUTES,
                "a" * 9,
                "<html>",
                "\n",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_an_excess_is_seen_without_making_the_tags(source: str) -> None:
    assert has_excess(source) == any(tag.excess < tag.end for tag in tags(source))

"""Templates: which lines of a host's pages repeat over them, in bounded memory."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict, deque

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawl import templates
from lycosa.crawl.templates import BLOCKS, PAGES, Templates, without_template
from lycosa.model.packed import listed
from lycosa.model.url import Host

A, B = Host("a.example"), Host("b.example")


def test_what_stands_on_three_pages_is_template_and_what_stands_on_two_is_not() -> None:
    known = Templates()
    assert known.seen(A, "menu\none\nfooter") == bytes([False, False, False])
    assert known.seen(A, "menu\ntwo") == bytes([False, False])
    assert known.seen(B, "menu\nthree") == bytes([False, False]), "another host"
    text = "menu\nthree\nfooter"
    template = known.seen(A, text)
    assert template == bytes([True, False, False])
    assert without_template(text, template) == "three\nfooter"


def test_a_block_that_a_page_repeats_counts_once() -> None:
    known = Templates()
    known.seen(A, "one\none\none")
    known.seen(A, "two")
    assert known.seen(A, "one\nthree\none") == bytes([False, False, False])


def test_several_templates_of_a_site_are_known_side_by_side() -> None:
    known = Templates()
    for n in range(20):
        known.seen(A, f"menu {n % 4}\ntext {n}")
    assert known.seen(A, "menu 0\ntext") == bytes([True, False])
    assert known.seen(A, "menu 3\ntext") == bytes([True, False])


def test_a_template_that_is_given_up_is_forgotten() -> None:
    known = Templates()
    for n in range(PAGES):
        known.seen(A, f"old menu\ntext {n}")
    for n in range(PAGES - 2):
        known.seen(A, f"new menu\ntext {n}")
    assert known.seen(A, "old menu\nnew menu") == bytes([False, True])


def test_pages_without_text_are_not_noted() -> None:
    known = Templates()
    assert known.seen(A, "") == b""
    assert not listed(known.save())
    assert without_template("", b"") == ""


def test_of_a_long_page_the_middle_is_not_looked_at() -> None:
    known = Templates()
    lines = [f"line {n}" for n in range(BLOCKS + 3)]
    for _ in range(3):
        template = known.seen(A, "\n".join(lines))
    half = BLOCKS // 2
    assert template == b"\1" * half + b"\0" * 3 + b"\1" * half


def test_the_host_that_brought_nothing_for_the_longest_time_is_forgotten() -> None:
    known = Templates(most=6)
    known.seen(A, "menu\none")
    known.seen(B, "menu\none")
    known.seen(A, "menu\ntwo")
    known.seen(Host("c.example"), "menu")
    assert [host for host, _ in listed(known.save())] == [A, "c.example"]


# --------------------------------------------------------------------------------------------- properties

_pages = st.lists(
    st.tuples(
        st.sampled_from([A, B, Host("c.example")]),
        st.lists(st.sampled_from("uvwxyz"), max_size=6).map("\n".join),
    ),
    max_size=40,
)


class Counted:
    """The simple twin: the last pages of each host, block by block."""

    def __init__(self) -> None:
        self._pages: defaultdict[str, deque[set[str]]] = defaultdict(lambda: deque(maxlen=PAGES))

    def seen(self, host: Host, text: str) -> bytes:
        if not text:
            return b""
        lines, pages = text.split("\n"), self._pages[host]
        pages.append(set(lines))
        counts = Counter(line for page in pages for line in page)
        return bytes(counts[line] >= max(templates.LEAST, templates.SHARE * len(pages)) for line in lines)


@given(_pages)
def test_as_if_counted(pages: list[tuple[Host, str]]) -> None:
    known, counted = Templates(), Counted()
    for host, text in pages:
        assert known.seen(host, text) == counted.seen(host, text)


@given(_pages, _pages, st.integers(6, 60))
def test_load_restores(before: list[tuple[Host, str]], after: list[tuple[Host, str]], most: int) -> None:
    known, restored = Templates(most), Templates(most)
    for host, text in before:
        known.seen(host, text)
    restored.load(msgspec.msgpack.decode(msgspec.msgpack.encode(known.save())))
    for host, text in after:
        assert restored.seen(host, text) == known.seen(host, text)
    assert restored.save() == known.save()


@given(_pages, st.integers(1, 60))
def test_within_bounds(pages: list[tuple[Host, str]], most: int) -> None:
    known = Templates(most)
    for host, text in pages:
        known.seen(host, text)
        hosts = listed(known.save())
        kept = [array("I", page) for _, of_host in hosts for page in of_host]
        assert sum(map(len, kept)) <= most
        assert all(len(of_host) <= PAGES for _, of_host in hosts)
        assert all(len(page) <= BLOCKS for page in kept)

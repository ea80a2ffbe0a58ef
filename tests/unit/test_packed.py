"""Lists of a snapshot in one run of bytes, and snapshots of the versions before that had them as plain values."""

from __future__ import annotations

import tracemalloc
from array import array
from collections.abc import Iterable
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.test_aliases import told
from tests.unit.test_traps import page

from lycosa.crawl.aliases import Aliases
from lycosa.crawl.soft_errors import SoftErrors
from lycosa.crawl.templates import Templates
from lycosa.crawl.traps import TrapLimits, Traps
from lycosa.model.commands import Enqueue
from lycosa.model.packed import listed, packed
from lycosa.model.url import Host, Url

_VALUES = st.recursive(
    st.none() | st.integers(0, 1 << 63) | st.text(max_size=9),
    lambda each: st.lists(each, max_size=4),
    max_leaves=9,
)


@given(st.lists(_VALUES, max_size=20))
def test_a_list_is_told_again(items: list[Any]) -> None:
    assert listed(packed(len(items), items)) == msgspec.msgpack.decode(msgspec.msgpack.encode(items)) == items


def test_plain_values_of_earlier_versions_are_read() -> None:
    assert listed([1, [2]]) == [1, [2]]
    assert listed({"a": [1]}) == [("a", [1])]


def test_of_a_long_list_one_item_is_in_memory_at_once() -> None:
    def items() -> Iterable[list[int]]:
        return ([number] * 3 for number in range(100_000, 200_000))

    tracemalloc.start()
    found = packed(100_000, items())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 3 * len(found), "as plain values they are 11 MB, for 1.6"


def test_aliases_of_the_version_before() -> None:
    aliases, _ = told((Url(f"http://h{n % 3}.example/a?b={n}&c=1"), n % 2) for n in range(20))
    aliases.lend(Url("http://h.example/a"), Enqueue(url=Url("http://h.example/b"), score=0.5))
    saved = aliases.save()
    sites = [
        [
            host,
            evidence,
            names,
            [list(each) for each in zip(texts, array("Q", marks), array("Q", prints), strict=True)],
        ]
        for host, evidence, names, texts, marks, prints in listed(saved["sites"])
    ]
    before = {
        "sites": sites,
        "left": dict(listed(saved["left"])),
        "texts": listed(saved["texts"]),
        "lent": listed(saved["lent"]),
    }
    assert any(texts for *_, texts in sites)
    again = Aliases()
    again.load(before)
    assert again.save() == saved


def test_traps_of_the_version_before() -> None:
    traps = Traps(TrapLimits(dates=3))
    for n in range(9):
        traps.admit(Url(f"http://h.example/2024-01-0{n + 1}"))
        traps.seen(page(f"http://h{n % 2}.example/{n}", n + 1))
    saved = traps.save()
    recent = {
        host: (repeats, array("Q", marks), array("I", bands))
        for host, repeats, marks, bands in listed(saved["recent"])
    }
    before = {
        **saved,
        "variants": {kind: dict(listed(known)) for kind, known in saved["variants"].items()},
        "recent": {host: [repeats, *marks] for host, (repeats, marks, _) in recent.items()},
        "bands": {host: bands.tolist() for host, (*_, bands) in recent.items()},
    }
    assert recent
    assert before["variants"]["dates"]
    again = Traps(TrapLimits(dates=3))
    again.load(before)
    assert again.save() == saved


def test_templates_of_the_version_before() -> None:
    templates, again = Templates(), Templates()
    for n in range(9):
        templates.seen(Host("h.example"), f"menu\nnews\n{n}\nfoot")
    saved = templates.save()
    again.load([[host, [list(array("I", page)) for page in pages]] for host, pages in listed(saved)])
    assert again.save() == saved


def test_soft_errors_of_the_version_before() -> None:
    known = {"h.example": [[7, "http://h.example/a"]]}
    before, again = SoftErrors(), SoftErrors()
    before.load(known)
    again.load(before.save())
    assert again.save() == before.save()
    assert dict(listed(again.save())) == known

"""Pages under two names: which differences between names make none, and what the rules that were learned get wrong.

    LYCOSA_SHARED=FOLDER python benchmarks/aliases.py [--webs uci-ics-10k,webkb,boost-www,wikispeedia] [--orders 5]

For each recorded web in `webs/`: pairs of recorded URLs that differ in one kind of variant, by whether they hold the same
words, nearly the same (fingerprints differ in at most three bits) or others; the URLs that its pages link to and that the
recording has under another name only; and what a crawl of all its pages, in an order drawn by chance, would not have
fetched, and would have lost by that.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from lycosa.crawl.aliases import Aliases
from lycosa.crawl.sketch import exact
from lycosa.crawl.traps import NEAR
from lycosa.crawl.variants import SHAPES, parameters, site_of, without
from lycosa.lab.webs.lab_web import LabWeb
from lycosa.model.records import Request, UrlState
from lycosa.model.url import Host, Url

SAME, NEARLY, OTHERWISE = "same", "nearly the same", "different"
SHOWN = 12
"""Parameters that are told one by one, those of most pairs."""


class Texts:
    """What the pages of a web say."""

    def __init__(self, web: LabWeb) -> None:
        self.words = [exact(web.text(row)) for row in range(len(web))]
        pages = map(web.page, range(len(web)))
        self.marks = [(page.digest, page.fingerprint) for page in pages]

    def compared(self, one: int, other: int) -> str:
        (digest, mark), (its_digest, its_mark) = self.marks[one], self.marks[other]
        if digest == its_digest or (mark and self.words[one] == self.words[other]):
            return SAME
        near = mark and its_mark and (mark ^ its_mark).bit_count() <= NEAR
        return NEARLY if near else OTHERWISE


def pairs(urls: Iterable[Url]) -> Iterator[tuple[str, int, int]]:
    """Kind of variant, and two rows: the first of each group of names and each other one."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, url in enumerate(urls):
        for kind in {*SHAPES, *(kind for kind, _ in parameters(url))}:
            groups[kind, without(url, {kind})].append(row)
    bare = {url: row for row, url in enumerate(urls)}
    for (kind, name), rows in groups.items():
        shown = [bare[Url(name)]] if kind not in SHAPES and Url(name) in bare else []
        first, *others = dict.fromkeys([*shown, *rows])
        for other in others:
            yield kind, first, other


def table_of_pairs(web: LabWeb, texts: Texts) -> Iterator[str]:
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    by_site: dict[str, dict[Host, set[str]]] = defaultdict(lambda: defaultdict(set))
    for kind, one, other in pairs(web.urls):
        verdict = texts.compared(one, other)
        counted[kind][verdict] += 1
        by_site[kind][site_of(web.urls[one])].add(verdict)
    yield "| kind | pairs | same | nearly | different | sites | of them always the same |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    order = sorted(counted, key=lambda kind: (kind not in SHAPES, -counted[kind].total(), kind))
    for kind in [kind for kind in order if kind in SHAPES] + [k for k in order if k not in SHAPES][:SHOWN]:
        counts, sites = counted[kind], by_site[kind].values()
        always = sum(verdicts == {SAME} for verdicts in sites)
        yield (
            f"| {kind} | {counts.total():,} | {counts[SAME]:,} | {counts[NEARLY]:,} | {counts[OTHERWISE]:,} "
            f"| {len(sites)} | {always} |"
        )
    rest = Counter[str]()
    for kind in [kind for kind in order if kind not in SHAPES][SHOWN:]:
        rest += counted[kind]
    yield f"| other parameters | {rest.total():,} | {rest[SAME]:,} | {rest[NEARLY]:,} | {rest[OTHERWISE]:,} | | |"


def known_otherwise(web: LabWeb) -> Counter[str]:
    """Links' targets that the recording has, but under another name, by the kinds between the names."""
    found = Counter[str]()
    for number, row in enumerate(web.pages.nodes):
        asked = Url(web.pages.urls[number])
        if row < 0 or asked == (name := web.urls[row]):
            continue
        needed = [
            kind
            for kind in sorted(SHAPES)
            if without(asked, SHAPES - {kind}) != without(name, SHAPES - {kind})
        ]
        alike = without(asked, SHAPES) == without(name, SHAPES)
        found[" and ".join(needed) if alike and needed else "something else"] += 1
    return found


def crawled(web: LabWeb, texts: Texts, draw: random.Random) -> Counter[str]:
    """All pages in an order by chance: what is refused as a second name, and whether a fetched page has its text."""
    aliases, rows = Aliases(), list(range(len(web)))
    draw.shuffle(rows)
    fetched, refused = list[int](), list[tuple[int, int]]()
    numbers = {url: row for row, url in enumerate(web.urls)}
    for row in rows:
        first = aliases.first_name(web.urls[row], lambda url: UrlState.VISITED)
        if first is not None:
            refused.append((row, numbers[first]))
            continue
        fetched.append(row)
        aliases.seen(web.pages.page(row, Request(url=web.urls[row], order=row)))
    had = {texts.words[row] for row in fetched}
    told = Counter(texts.compared(*pair) for pair in refused)
    lost = [row for row, _ in refused if texts.words[row] not in had]
    told["lost"] = len({texts.words[row] for row in lost})
    told["lost for good"] = len(
        {
            texts.words[row]
            for row, first in refused
            if row in set(lost) and texts.compared(row, first) == OTHERWISE
        }
    )
    told["second names"] = len(web) - len(set(texts.words))
    return told

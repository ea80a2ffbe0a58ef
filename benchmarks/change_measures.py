"""How pages change, by each measure of it: on the versions of a real site.

    LYCOSA_SHARED=FOLDER python benchmarks/change_measures.py [--web boost-www]

Each version of a page is compared with the one before. Told are: how often the bytes, the dressing or the content
differ; how divergence, importance and the number of changed lines go together; what one comparison costs; whether pages
whose content changes often are those whose content is gone soon (Olston & Pandey, WWW 2008, report a correlation of .67
for their pages); and what the curve that `longevity` fits to the looks knows of versions further off. How long text
lives is counted by its shingles, runs of five words: from the version in which one is first to the one in which it is
not any more, or to the end of the page.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lycosa.archive.collection import Collection
from lycosa.archive.reader import Reader
from lycosa.crawl.sketch import shingle_hashes, word_hashes
from lycosa.drive.page import page_of
from lycosa.model.records import Change, Look, Millis, Page, Request, Sight, Worth
from lycosa.model.url import Url
from lycosa.read.difference import difference, divergence
from lycosa.revisit.history import DAY
from lycosa.revisit.longevity import fitted, profiles

ALL_TEXT = 10.0
"""Points towards a share of 1: enough that a curve has nearly no other."""
LEAST_CHANGES = 10
"""Changes of content from which on a page counts in what is told of pages."""


class Step(NamedTuple):
    """One version and the one before."""

    at: Millis
    change: Change
    lines: int
    """Of the text, that only one of the two has."""
    is_markup: bool
    """Other bytes of the same words and links."""
    octets: int
    took: float
    """Milliseconds."""


class Life(NamedTuple):
    """A page: its steps, when it was first there, and how long its shingles live on average, in days."""

    url: Url
    begin: Millis
    end: Millis
    steps: Sequence[Step]
    shingle_life: float
    later: Sequence[tuple[float, float]]
    """Days between a version and the fourth after it, and their divergence: what no two looks in turn can tell."""


def lives(web: Path) -> Iterator[Life]:
    collection = Collection.open([web])
    captures = defaultdict(list)
    for capture in collection.captures():
        captures[Url(capture.url)].append(capture)
    collection.close()
    last = max(capture.at for group in captures.values() for capture in group)
    ends = removals(web)
    reader = Reader([web])
    for url, group in captures.items():
        pages = []
        for capture in sorted(group, key=lambda each: each.at):
            response = reader.read(capture.ref)
            pages.append((page_of(Request(url=url, order=0), response, None), len(response.body)))
        begin, latest = pages[0][0].fetched_at, pages[-1][0].fetched_at
        end = ends.get(url, last)
        end = end if end > latest else last
        yield Life(url, begin, end, list(steps(pages)), shingle_life(pages, end), list(later(pages)))
    reader.close()


def removals(web: Path) -> dict[Url, Millis]:
    """When pages were taken away for the last time, if they did not come back."""
    found: dict[Url, Millis] = {}
    for line in (web / "versions.tsv").read_text("utf-8").splitlines()[1:]:
        when, url, status, *_ = line.split("\t")
        found.pop(Url(url), None)
        if status == "404":
            found[Url(url)] = Millis(int(np.datetime64(when.rstrip("Z"), "ms").astype(int)))
    return found


def steps(pages: Sequence[tuple[Page, int]]) -> Iterator[Step]:
    for (before, _), (page, octets) in pairwise(pages):
        begin = time.perf_counter()
        change = difference(before, page)
        took = 1e3 * (time.perf_counter() - begin)
        old, new = (Counter(each.text.split("\n")) for each in (before, page))
        lines = (old - new).total() + (new - old).total()
        is_markup = not lines and page.out == before.out and change.worth is Worth.DRESSING
        yield Step(page.fetched_at, change, lines, is_markup, octets, took)


def later(pages: Sequence[tuple[Page, int]]) -> Iterator[tuple[float, float]]:
    for (page, _), (fourth, _) in zip(pages, pages[4:], strict=False):
        yield (fourth.fetched_at - page.fetched_at) / DAY, divergence(page.text, fourth.text)


def shingle_life(pages: Sequence[tuple[Page, int]], end: Millis) -> float:
    """Those that are there to the end are counted with what they lived until then."""
    born: dict[int, Millis] = {}
    lived: list[int] = []
    for page, _ in pages:
        now = set(shingle_hashes(word_hashes(page.text, most=len(page.text))).tolist())
        for gone in born.keys() - now:
            lived.append(page.fetched_at - born.pop(gone))
        for new in now - born.keys():
            born[new] = page.fetched_at
    lived += [max(end, pages[-1][0].fetched_at) - at for at in born.values()]
    return sum(lived) / len(lived) / DAY if lived else 0.0


def looks(life: Life) -> list[Look]:
    """As a crawl sees the page that comes with each version."""
    sights = {Worth.SAME: Sight.SAME, Worth.DRESSING: Sight.DRESSING, Worth.CONTENT: Sight.CHANGED}
    found = [Look(at=life.begin, sight=Sight.FIRST)]
    for step in life.steps:
        change = step.change
        look = Look(at=step.at, sight=sights[change.worth], importance=change.importance)
        found.append(
            Look(at=look.at, sight=look.sight, importance=look.importance, divergence=change.divergence)
        )
    return found


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.corrcoef(one, other)[0, 1])


def by_rank(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's correlation: of the ranks, equal values sharing theirs."""
    return correlation(_ranks(one), _ranks(other))


def _ranks(values: Sequence[float]) -> Sequence[float]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places].tolist()  # type: ignore[no-any-return]


def table_of_worth(found: Sequence[Life]) -> Iterator[str]:
    busiest = max(found, key=lambda life: len(life.steps))
    yield "| versions | compared | same | dressing | content | markup alone | new links | lost links |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for name, some in (
        ("all", found),
        (f"without {busiest.url}", [life for life in found if life is not busiest]),
    ):
        each = [step.change for life in some for step in life.steps]
        counts = Counter(change.worth for change in each)
        shares = [f"{counts[worth]:,} ({counts[worth] / len(each):.0%})" for worth in Worth]
        markup = sum(step.is_markup for life in some for step in life.steps)
        new, lost = sum(change.new_links for change in each), sum(change.lost_links for change in each)
        yield f"| {name} | {len(each):,} | {' | '.join(shares)} | {markup:,} | {new:,} | {lost:,} |"


def table_of_measures(found: Sequence[Life]) -> Iterator[str]:
    changed = [
        step for life in found for step in life.steps if step.change.worth is Worth.CONTENT and step.lines
    ]
    measures = {
        "divergence": [step.change.divergence for step in changed],
        "importance": [step.change.importance for step in changed],
        "changed lines": [float(step.lines) for step in changed],
    }
    yield f"| of {len(changed):,} changes of text | median | nine in ten below | {' | '.join(measures)} |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, values in measures.items():
        middle, most = np.quantile(values, [0.5, 0.9])
        ranks = [f"{by_rank(values, other):.2f}" for other in measures.values()]
        yield f"| {name} | {middle:.3g} | {most:.3g} | {' | '.join(ranks)} |"


def table_of_longevity(found: Sequence[Life]) -> Iterator[str]:
    rows = []
    for life in found:
        contents = sum(step.change.worth is Worth.CONTENT for step in life.steps)
        if contents >= LEAST_CHANGES:
            interval = (life.end - life.begin) / DAY / contents
            known = profiles(looks(life))
            fits = [fitted(known).life, fitted(known, ALL_TEXT).life]
            rows.append((interval, life.shingle_life, *fits))
    intervals, shingles, curves, of_all = zip(*rows, strict=True)
    yield f"| correlation over {len(rows)} pages | by rank | of logarithms | as they are |"
    yield "|---|---:|---:|---:|"
    for name, one, values in (
        ("days between changes, mean life of shingles", intervals, shingles),
        ("days between changes, life of the fitted curve", intervals, curves),
        ("mean life of shingles, life of the fitted curve", shingles, curves),
        ("mean life of shingles, life of the curve if all of the text changes", shingles, of_all),
    ):
        plain = correlation(one, values)
        logs = correlation(np.log(one).tolist(), np.log(values).tolist())
        yield f"| {name} | {by_rank(one, values):.2f} | {logs:.2f} | {plain:.2f} |"


def table_of_curves(found: Sequence[Life]) -> Iterator[str]:
    errors: dict[str, list[float]] = defaultdict(list)
    for life in found:
        if sum(step.change.worth is Worth.CONTENT for step in life.steps) < LEAST_CHANGES:
            continue
        known = profiles(looks(life))
        curve, of_all = fitted(known), fitted(known, ALL_TEXT)
        middle = float(np.mean([profile[-1][1] for profile in known]))
        for name, told in (
            ("the fitted curve", lambda days, curve=curve: curve.divergence(days)),
            ("the curve if all of the text changes", lambda days, of_all=of_all: of_all.divergence(days)),
            ("the mean of those seen", lambda days, middle=middle: middle),
            ("none at all", lambda days: 0.0),
        ):
            errors[name].append(float(np.mean([abs(told(days) - seen) for days, seen in life.later])))
    yield f"| divergence of the fourth version after one, by | mean error over {len(errors['none at all'])} pages |"
    yield "|---|---:|"
    for name, values in errors.items():
        yield f"| {name} | {np.mean(values):.3f} |"


def table_of_costs(found: Sequence[Life]) -> Iterator[str]:
    costs = [step for life in found for step in life.steps if step.change.worth is not Worth.SAME]
    yield "| HTML | comparisons | median, ms | 99 in 100 below, ms |"
    yield "|---|---:|---:|---:|"
    for name, least, most in (
        ("below 10 KB", 0, 10_000),
        ("10 to 40 KB", 10_000, 40_000),
        ("40 to 60 KB", 40_000, 60_000),
    ):
        took = [step.took for step in costs if least <= step.octets < most]
        middle, high = np.quantile(took, [0.5, 0.99])
        yield f"| {name} | {len(took):,} | {middle:.2f} | {high:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--web", default="boost-www", help="folder in webs/ of the recorded web")
    given = parser.parse_args()
    found = list(lives(Path(os.environ["LYCOSA_SHARED"]) / "webs" / given.web))
    for table in (table_of_worth, table_of_measures, table_of_longevity, table_of_curves, table_of_costs):
        print("\n".join(table(found)), end="\n\n")


if __name__ == "__main__":
    main()

"""What classes of pages get right, beside what Chung and Clarke report of theirs (CIKM 2002, section 5).

    LYCOSA_SHARED=FOLDER python benchmarks/sharing/classes.py [--kinds nb,lewis,…] [--seeds 5] [--manuals FOLDER]

Accuracy and topic locality of each kind, on the categories of wikispeedia and webkb (recorded webs in `webs/`) and on
those of the bundled sample; pages a second of one process; and the gate by common words. Accuracy: at most 500 pages
of a class to learn from and as many others to test on, over several ways of parting them. Locality: 100 pages of each
class from those learned from, up to five of their links each, by chance: the share whose page is told to be in the
class of the page that links to it. The gate is chosen on one half of texts and reported on the other: pages of the
webs, which are in English, and manual pages in many languages, by the folder in which they lie.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from scipy.stats import binomtest

from lycosa.archive.collection import Collection
from lycosa.drive.page import page_of
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.records import Millis, Page, Request, Response
from lycosa.model.url import Url
from lycosa.read.language import language
from lycosa.scoring.learning.class_training import KINDS, learned, parted
from lycosa.scoring.learning.classes import Classes, Rules, common_share
from lycosa.scoring.learning.quality import class_quality_of
from lycosa.scoring.words.terms import Counts, counts
from lycosa.sources.classes import labelled_in

SAMPLE = Path(__file__).parents[2] / "examples"
MOST, LEAST, WORDS = 500, 10, 50
PAGES, LINKS = 100, 5
TIMED, ROUNDS = 400, 5


class Web(NamedTuple):
    """A web with the pages of each class, by their numbers, of those that have enough words."""

    name: str
    web: LabWeb
    pages: Mapping[str, Sequence[int]]


def labelled(name: str, place: Path, labels: Path) -> Web:
    web = open_web([place])
    found = {
        of: [n for n in dict.fromkeys(map(web.index, each)) if n is not None and words(web.terms(n)) >= WORDS]
        for of, each in labelled_in(labels).pages.items()
    }
    return Web(name, web, {of: each for of, each in found.items() if len(each) >= 2 * LEAST})


def words(terms: Counts) -> int:
    return sum(terms.values())


# -- accuracy and locality -----------------------------------------------------------------------------------


class Row(NamedTuple):
    accuracy: float
    balanced: float
    locality: float
    by_chance: float
    """The locality if the linked pages were dealt out anew."""


class Trial(NamedTuple):
    """A model, what it learned from, and how it did on other pages."""

    model: Classes
    learned_from: Mapping[str, Sequence[int]]
    labels: Sequence[int]
    told: Sequence[int | None]


def trial(kind: str, given: Web, seed: int) -> Trial:
    web = given.web
    parts = {
        name: [[int(n) for n in part] for part in parted(list(map(str, pages)), MOST, 0.5, seed)]
        for name, pages in given.pages.items()
    }
    texts = {name: [web.terms(n) for n in part[0]] for name, part in parts.items()}
    model = Classes(learned(kind, texts, seed=seed))  # type: ignore[arg-type]
    return Trial(
        model,
        {name: part[0] for name, part in parts.items()},
        [model.names.index(name) for name, part in parts.items() for _ in part[1]],
        [model.best(web.terms(n)) for part in parts.values() for n in part[1]],
    )


def row(kind: str, given: Web, seed: int) -> Row:
    model, learned_from, labels, told = trial(kind, given, seed)
    quality = class_quality_of(told, labels, model.names)
    pairs = list(linked(model, given.web, learned_from, random.Random(seed)))
    same = sum(source == target for source, target in pairs) / max(1, len(pairs))
    shares = [sum(p[0] == c for p in pairs) * sum(p[1] == c for p in pairs) for c in range(len(model.names))]
    return Row(quality.accuracy, quality.balanced_accuracy, same, sum(shares) / max(1, len(pairs)) ** 2)


def beside_one_another(given: Web) -> None:
    """Of one way of parting, pages that one kind tells and the other does not, with McNemar's test."""
    right = {}
    for kind in ("nb", "lewis", "rocchio"):
        _, _, labels, told = trial(kind, given, 0)
        right[kind] = [one == other for one, other in zip(labels, told, strict=True)]
    for one, other in combinations(right, 2):
        pairs = list(zip(right[one], right[other], strict=True))
        first, second = pairs.count((True, False)), pairs.count((False, True))
        p = binomtest(first, first + second).pvalue if first + second else 1.0
        print(f"{one} right where {other} is wrong: {first}, the other way: {second}; p = {p:.2g}")


def linked(
    model: Classes, web: LabWeb, learned_from: Mapping[str, Sequence[int]], chance: random.Random
) -> Iterator[tuple[int, int | None]]:
    """Classes of pages that link, as labelled, and of what they link to, as told."""
    graph = web.graph()
    for name, pages in learned_from.items():
        for page in chance.sample(list(pages), min(PAGES, len(pages))):
            targets = graph.out(page).tolist()
            for target in chance.sample(targets, min(LINKS, len(targets))):
                yield model.names.index(name), model.best(web.terms(target))


def accuracies(given: Web, kinds: Sequence[str], seeds: int) -> None:
    sizes = [min(MOST, (len(pages) + 1) // 2) for pages in given.pages.values()]
    print(f"\n{given.name}: {len(sizes)} classes, {min(sizes)} to {max(sizes)} pages of each learned from")
    print("| kind | accuracy | balanced | locality | by chance |\n|---|---|---|---|---|")
    for kind in kinds:
        rows = [row(kind, given, seed) for seed in range(seeds)]
        told = [
            f"{statistics.mean(column):.3f} ± {statistics.stdev(column):.3f}"
            for column in zip(*rows, strict=True)
        ]
        print(f"| {kind} | {' | '.join(told)} |", flush=True)
    beside_one_another(given)


def leaving_one_out(kinds: Sequence[str]) -> None:
    """The bundled sample's own taxonomy is too small to be halved: each page is told by a model of the others."""
    found = labelled_in(SAMPLE / "sample-taxonomy.toml", level=2).pages
    web = open_web([SAMPLE / "sample-web"])
    texts = {
        name: [web.terms(n) for n in map(web.index, pages) if n is not None] for name, pages in found.items()
    }
    total = sum(map(len, texts.values()))
    print(
        f"\nthe bundled sample: {len(texts)} classes of 4 pages, each told by a model of the {total - 1} others"
    )
    print("| kind | right |\n|---|---|")
    for kind in kinds:
        right = 0
        for name, each in texts.items():
            for left_out in range(len(each)):
                others = {
                    of: [t for i, t in enumerate(e) if (of, i) != (name, left_out)] for of, e in texts.items()
                }
                model = Classes(learned(kind, others))  # type: ignore[arg-type]
                right += model.best(each[left_out]) == model.names.index(name)
        print(f"| {kind} | {right} of {total} |", flush=True)


# -- speed ---------------------------------------------------------------------------------------------------


def speeds(given: Web, place: Path, kinds: Sequence[str]) -> None:
    """Pages a second of CPU time: told alone, and read from HTML as well, which is the same for all kinds."""
    collection, numbers = Collection.open([place]), [n for pages in given.pages.values() for n in pages]
    urls = [given.web.urls[n] for n in random.Random(0).sample(numbers, TIMED)]
    responses = [
        Response(
            url=Url(url),
            status=200,
            headers=(("Content-Type", "text/html"),),
            body=found.body,
            fetched_at=Millis(0),
        )
        for url in urls
        if (found := collection.find(url)) is not None
    ]
    pages = [read(response) for response in responses]
    size = statistics.mean(len(response.body) for response in responses)
    distinct = statistics.mean(len(page.terms) for page in pages)
    reading = least(lambda: [read(response) for response in responses]) / len(pages)
    print(f"\nspeed: {len(pages)} pages of {given.name}, {size:,.0f} bytes and {distinct:.0f} terms each")
    print(f"reading a page: {reading * 1e3:.2f} ms\n")
    print("| kind | µs a page | with the gate | pages/s, read and told |\n|---|---|---|---|")
    for kind in kinds:
        texts = {name: [given.web.terms(n) for n in each[:MOST]] for name, each in given.pages.items()}
        model = learned(kind, texts)  # type: ignore[arg-type]
        costs = []
        for rules in (Rules(), Rules(gate="words")):
            classes = Classes(model, rules)
            costs.append(least(lambda classes=classes: [classes.of(page) for page in pages]) / len(pages))
        both = 1 / (reading + costs[1])
        print(f"| {kind} | {costs[0] * 1e6:.0f} | {costs[1] * 1e6:.0f} | {both:,.0f} |", flush=True)


def read(response: Response) -> Page:
    return page_of(Request(url=response.url, order=0), response, None)


def least(work: Callable[[], object]) -> float:
    """CPU seconds, the least of some rounds."""
    taken = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


# -- the gate ------------------------------------------------------------------------------------------------

_MARKUP = re.compile(
    r"^[.'](?:\\\"|de|ig|TH).*$|^[.'][A-Za-z]{1,3}\b|\\f[A-Z]|\\f\(..|\\[&/,:]", re.MULTILINE
)


def manuals(place: Path) -> dict[str, list[str]]:
    """The texts of manual pages with enough words, by the language of their folder. Lines that were not translated,
    as they stand in an English page too, are left out of the others."""
    files = sorted(place.glob("**/man[1-9]/*.gz"), key=lambda file: (len(file.parts), file))
    known: set[str] = set()
    found: dict[str, list[str]] = {"en": []}
    for file in files:
        parts = file.relative_to(place).parts
        code = parts[0] if len(parts) > 2 else "en"
        with gzip.open(file) as body:
            lines = [
                line.strip() for line in _MARKUP.sub(" ", body.read().decode("utf-8", "replace")).split("\n")
            ]
        if code == "en":
            known.update(lines)
        else:
            lines = [line for line in lines if line not in known]
        text = "\n".join(lines).replace("\\-", "-")
        if words(counts(text)) >= WORDS:
            found.setdefault(code, []).append(text)
    return found


def gate(place: Path, webs: Sequence[Web]) -> None:
    """English are manual pages and all pages of the webs; the others are manual pages."""
    chance, found = random.Random(0), manuals(place)
    foreign = [text for code, each in sorted(found.items()) if code != "en" for text in each]
    english = {"manual pages": chance.sample(found["en"], min(1_000, len(found["en"])))}
    for each in webs:
        long_enough = [n for n in range(len(each.web)) if words(each.web.terms(n)) >= WORDS]
        english[each.name] = [each.web.text(n) for n in chance.sample(long_enough, 1_000)]
    texts = {**english, f"manual pages in {len(found) - 1} others": foreign}
    shares, halves = {}, {}
    for name, each in texts.items():
        chance.shuffle(each)
        halves[name] = each[1::2]
        shares[name] = [[common_share(text) for text in each[side::2]] for side in (0, 1)]
    tried = [[share for name in english for share in shares[name][0]], shares[list(texts)[-1]][0]]
    chosen = max(range(1, 400), key=lambda at: (balanced(*tried, at), -at))
    print(
        f"\nthe gate, chosen on one half of {sum(map(len, texts.values())):,} texts: {chosen} of a thousand words"
    )
    print("| on the other half | texts | chosen | default | detector |\n|---|---|---|---|---|")
    right_of = {}
    for name, each in halves.items():
        is_english = name in english
        passed = [[x >= at for x in shares[name][1]] for at in (chosen, Rules().english)]
        passed.append([language(text) in ("en", "") for text in each])
        right_of[name] = [sum(p == is_english for p in told) / len(told) for told in passed]
        print(f"| {name} | {len(each):,} | {' | '.join(f'{x:.3f}' for x in right_of[name])} |")
    *of_english, of_foreign = right_of.values()
    means = [statistics.mean(column) for column in zip(*of_english, strict=True)]
    both = [(x + y) / 2 for x, y in zip(means, of_foreign, strict=True)]
    print(f"| balanced | | {' | '.join(f'{x:.3f}' for x in both)} |")


def right(english: Sequence[int], foreign: Sequence[int], at: int) -> tuple[float, float]:
    """The shares of English and of other pages that are told so."""
    return sum(x >= at for x in english) / len(english), sum(x < at for x in foreign) / len(foreign)


def balanced(english: Sequence[int], foreign: Sequence[int], at: int) -> float:
    return sum(right(english, foreign, at)) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--manuals", type=Path, default=Path("/usr/share/man"))
    given = parser.parse_args()
    kinds = given.kinds.split(",")
    shared = Path(os.environ["LYCOSA_SHARED"]) / "webs"
    webs = [
        labelled("wikispeedia", shared / "wikispeedia", shared / "wikispeedia" / "taxonomy.json"),
        labelled("webkb", shared / "webkb", shared / "webkb" / "labels.tsv"),
        labelled("sample web", SAMPLE / "sample-web", shared / "wikispeedia" / "taxonomy.json"),
    ]
    for each in webs:
        accuracies(each, kinds, given.seeds)
    leaving_one_out(kinds)
    speeds(webs[0], shared / "wikispeedia", kinds)
    gate(given.manuals, webs[:2])


if __name__ == "__main__":
    main()

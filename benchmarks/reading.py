"""How much CPU reading a page costs, and where it goes; by the compiled reader and by Python, in one thread and in two.

    python benchmarks/reading.py [--pages N] [--rounds N]

Reads generated pages like those of an HTML manual (33 KB, 82 links) and, where LYCOSA_SHARED names the folder of
recorded webs, pages of these. Prints milliseconds of CPU a page, the best of several rounds: parts are measured on
their own, so they need not add up to the whole. The two readers are run in turns.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import os
import random
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType

from lycosa.read import compiled
from lycosa.read.blocks import blocks
from lycosa.read.boxes.outline import outline
from lycosa.read.charset import decode
from lycosa.read.duplicates import simhash
from lycosa.read.html import read
from lycosa.read.language import detect
from lycosa.read.main import main_text
from lycosa.read.markup import flat, parse, tamed
from lycosa.read.resolve import LinkResolver
from lycosa.read.walk import walk
from lycosa.scoring.words.terms import counts


class Sample(NamedTuple):
    url: str
    body: bytes
    content_type: str


def manual(pages: int) -> list[Sample]:
    """Pages like those of a software manual: a navigation bar, a contents list, sections of prose, code and links."""
    draw = random.Random(7)
    made = [
        "".join(draw.choice("bcdfglmnprst") + draw.choice("aeiou") for _ in range(draw.randint(1, 4)))
        for _ in range(3000)
    ]
    words = ["the", "of", "and", "to", "in", "is", "a", "that", "for", "with", "as", "on", *made]
    weights = [1 / (rank + 3) for rank in range(len(words))]

    def prose(n: int) -> str:
        return " ".join(draw.choices(words, weights, k=n))

    return [
        Sample(
            f"http://manual.example/book/ch{i}.html", _manual_page(i, prose, draw), "text/html; charset=utf-8"
        )
        for i in range(pages)
    ]


def _manual_page(number: int, prose: Callable[[int], str], draw: random.Random) -> bytes:
    def link(text: str) -> str:
        target = f"ch{draw.randrange(4000)}.html#section-{draw.randrange(9)}"
        return f'<a class="link" href="{target}" title="{prose(4)}">{text}</a>'

    entries = "".join(f'<dt><span class="sect1">{link(prose(3))}</span></dt>\n' for _ in range(20))
    out = [
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{prose(4)}</title>',
        '<link rel="stylesheet" type="text/css" href="/media/css/docs.css"></head><body class="book">\n',
        f'<div class="navheader"><table width="100%" summary="Navigation"><tr><td width="10%">{link("Prev")}</td>',
        f'<th width="60%">{prose(3)}</th><td width="10%">{link("Next")}</td></tr></table><hr></div>\n',
        f'<div class="toc"><dl class="toc">{entries}</dl></div>\n',
    ]
    for section in range(12):
        out.append(_manual_section(f"{number}.{section}", prose, link))
    foot = "".join(f"<li>{link(prose(1))}</li>" for _ in range(12))
    return "".join(
        [*out, f'<div class="navfooter"><ul class="foot">{foot}</ul></div></body></html>']
    ).encode()


def _manual_section(name: str, prose: Callable[[int], str], link: Callable[[str], str]) -> str:
    paragraphs = "".join(
        f'<p>\n    {prose(14)} <code class="literal">{prose(1)}</code> {prose(6)} {link(prose(2))},\n    {prose(11)}\n'
        f'    <em class="replaceable"><code>{prose(1)}</code></em> {prose(9)}.\n   </p>\n'
        for _ in range(4)
    )
    return (
        f'<div class="section" id="section-{name}"><div class="titlepage"><h2 class="title">{prose(4)}</h2></div>\n'
        f'{paragraphs}<pre class="programlisting"><span class="keyword">{prose(1)}</span> = <span class="name">'
        f'{prose(2)}</span>\n<span class="comment">{prose(8)}</span>\n{prose(8)}</pre></div>\n'
    )


def recorded(path: Path, pages: int) -> list[Sample]:
    """HTML pages spread evenly over the first 8,000 records of a WARC file."""
    step = max(1, 8000 // (2 * pages))
    found: list[Sample] = []
    with path.open("rb") as stream:
        for place, record in enumerate(ArchiveIterator(stream, record_types=WarcRecordType.response)):
            kind = record.http_headers.get("Content-Type", "") if record.http_headers else ""
            if place % step == 0 and kind.startswith("text/html"):
                found.append(Sample(record.headers["WARC-Target-URI"], record.reader.read(), kind))
            if len(found) == pages:
                break
    return found


def articles(path: Path, pages: int) -> list[Sample]:
    """Large pages of today, as a browser saved them."""
    files = sorted((path / "html").glob("*.html.gz"))[:pages]
    return [
        Sample(f"http://{n}.example/", gzip.decompress(file.read_bytes()), "text/html; charset=utf-8")
        for n, file in enumerate(files)
    ]


def cost(work: Callable[[Any], object], inputs: Iterable[Any], rounds: int) -> float:
    """Milliseconds of CPU for each input, the best round."""
    inputs = list(inputs)
    gc.collect()
    gc.freeze()  # what the benchmark holds would be searched again and again, as no crawl does
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for each in inputs:
            work(each)
        best = min(best, time.process_time() - start)
    return best / len(inputs) * 1e3


def measure(name: str, samples: Sequence[Sample], rounds: int) -> None:
    """Print the table of one collection."""
    sources = [decode(s.body, s.content_type)[0] for s in samples]
    trees = [parse(source) for source in sources]
    walks = [walk(tree) for tree in trees]
    texts = [blocks(found.parts).text for found in walks]
    terms = [counts(text) for text in texts]
    references = [
        (s.url, [r.href for r in found.references]) for s, found in zip(samples, walks, strict=True)
    ]

    def resolve(page: tuple[str, list[str]]) -> None:
        resolver = LinkResolver(page[0])  # type: ignore[arg-type]
        for href in page[1]:
            resolver.resolve(href)

    size = sum(len(s.body) for s in samples) / len(samples)
    links = sum(len(hrefs) for _, hrefs in references) / len(samples)
    letters = sum(map(len, texts)) / len(samples)
    print(
        f"\n{name}: {len(samples)} pages of {size:,.0f} bytes, {links:.0f} links, {letters:,.0f} characters of text"
    )
    rows: list[tuple[str, Callable[[Any], object], Sequence[Any]]] = [
        ("decode", lambda s: decode(s.body, s.content_type), samples),
        ("guard against nesting", flat, sources),
        ("parse (guard included)", parse, sources),
        ("walk: text, links, paths", walk, trees),
        ("blocks: lines, contexts", lambda found: blocks(found.parts), walks),
        ("resolve links", resolve, references),
        ("terms", counts, texts),
        ("simhash", simhash, terms),
        ("language, undeclared", detect, texts),
        ("boxes", lambda tree: outline(tree.root), trees),
        ("main text, as a whole", lambda s: main_text(s.body, s.url, s.content_type), samples),
        ("compiled: parse to terms", compiled.read_page, [tamed(source) for source in sources]),
    ]
    for label, work, inputs in rows:
        print(f"  {label:<26}{cost(work, inputs, rounds):7.3f} ms")
    compare(samples, rounds)


def compare(samples: Sequence[Sample], rounds: int) -> None:
    """Print what the whole of reading costs by CPU and by the clock: readers and threads in turns, the best round."""
    readers = {"Python": None} if compiled.WHY_NOT else {"Python": None, "compiled": compiled._READING}
    best: dict[tuple[str, int], tuple[float, float]] = {}
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for name, reader in readers.items():
            compiled._READING = reader
            for threads in (1, 2):
                wall, cpu = time.perf_counter(), time.process_time()
                with ThreadPoolExecutor(threads) as pool:
                    for _ in pool.map(lambda s: read(s.body, s.url, s.content_type), samples):
                        pass
                spent = (time.process_time() - cpu, time.perf_counter() - wall)
                known = best.get((name, threads), spent)
                best[name, threads] = (min(spent[0], known[0]), min(spent[1], known[1]))
    for (name, threads), (cpu, wall) in best.items():
        each = 1e3 / len(samples)
        label = f"read: {name}, {threads} thread{'s' * (threads > 1)}"
        print(f"  {label:<26}{cpu * each:7.3f} ms of CPU, {wall * each:7.3f} ms by the clock")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--pages", type=int, default=100)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    measure("generated manual", manual(chosen.pages), chosen.rounds)
    shared = os.environ.get("LYCOSA_SHARED")
    if not shared:
        print("\nLYCOSA_SHARED is not set: no recorded webs")
        return
    measure(
        "news and blogs", articles(Path(shared) / "cases" / "article-extraction", chosen.pages), chosen.rounds
    )
    for web in ("wikispeedia", "uci-ics-10k"):
        measure(web, recorded(Path(shared) / "webs" / web / "web-00.warc.gz", chosen.pages), chosen.rounds)


if __name__ == "__main__":
    main()

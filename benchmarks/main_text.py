"""How well the main text of pages is told from the rest, and at what cost, beside the tools that people use.

    LYCOSA_SHARED=FOLDER python -m benchmarks.main_text [--half chosen|reported] [--row NAME …] [--write FILE]

Two measures. *Cases*: news and blog pages whose article people marked, by that collection's own measure: shingles of
four words, counted; precision and recall a page, their means, and F1 of the means. *Webs*: pages of two recorded webs
drawn with a seed, with what trafilatura takes from each as the reference: shingles of five words, and the means over
pages of precision, recall and F1. Pages of which trafilatura takes nothing are left out, and counted.

Pages fall into two halves by a hash of their names. What is chosen is chosen on one half, `--half chosen`; the table
that is published is of the other. What is not installed is left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType

from lycosa.read.charset import decode
from lycosa.read.html import read
from lycosa.read.main import main_text

WEBS = ("uci-ics-10k", "webkb")
DRAWN = 200
"""Pages of each web."""
SEED = 15


class Page(NamedTuple):
    name: str
    url: str
    body: bytes
    content_type: str
    marked: str = ""
    """The article, as people marked it."""


Take = Callable[[Page], str]


def _source(page: Page) -> str:
    return decode(page.body, page.content_type)[0]


def lycosa_text(page: Page) -> str:
    """all the text"""
    return read(page.body, page.url, page.content_type).text


def lycosa_content(page: Page) -> str:
    """the lines that are no boilerplate (`Document.content`)"""
    return read(page.body, page.url, page.content_type).content


def lycosa_main(page: Page) -> str:
    """`main_text`: text, and what the page says of itself"""
    return main_text(page.body, page.url, page.content_type).text


def lycosa_markdown(page: Page) -> str:
    """the same with Markdown; its text is compared"""
    return main_text(page.body, page.url, page.content_type, markdown=True).text


def trafilatura(page: Page) -> str:
    """as it comes"""
    import trafilatura as library

    return library.extract(_source(page)) or ""


def trafilatura_fast(page: Page) -> str:
    """`fast=True`: without its fallbacks"""
    import trafilatura as library

    return library.extract(_source(page), fast=True) or ""


def trafilatura_recall(page: Page) -> str:
    """`favor_recall=True`"""
    import trafilatura as library

    return library.extract(_source(page), favor_recall=True) or ""


def readability(page: Page) -> str:
    """readability-lxml, and lxml's text of what it gives"""
    from lxml import html
    from readability import Document

    return " ".join(html.fromstring(Document(_source(page)).summary()).itertext())


def justext(page: Page) -> str:
    """English stop words"""
    import justext as library

    found = library.justext(page.body, library.get_stoplist("English"))
    return "\n".join(each.text for each in found if not each.is_boilerplate)


def resiliparse(page: Page) -> str:
    """`extract_plain_text(main_content=True)`"""
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(_source(page), main_content=True))


ROWS: dict[str, tuple[Take, str]] = {
    "lycosa text": (lycosa_text, ""),
    "lycosa content": (lycosa_content, ""),
    "lycosa main": (lycosa_main, ""),
    "lycosa main, Markdown": (lycosa_markdown, ""),
    "trafilatura": (trafilatura, "trafilatura"),
    "trafilatura, fast": (trafilatura_fast, "trafilatura"),
    "trafilatura, recall": (trafilatura_recall, "trafilatura"),
    "readability-lxml": (readability, "readability"),
    "jusText": (justext, "justext"),
    "resiliparse": (resiliparse, "resiliparse"),
}
"""Each row, and the package that it needs."""


def is_chosen(name: str) -> bool:
    """Whether a page is of the half on which things are chosen."""
    return sha256(name.encode()).digest()[0] % 2 == 0


def cases(folder: Path, half: str = "") -> list[Page]:
    """Pages whose article people marked; of one half, or all."""
    marked = json.loads((folder / "ground-truth.json").read_text())
    return [
        Page(
            name, told["url"], gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes()),
            "text/html; charset=utf-8", told["articleBody"],
        )
        for name, told in sorted(marked.items())
        if _is_of(name, half)
    ]  # fmt: skip


def drawn(folder: Path, half: str = "") -> list[Page]:
    """Some pages of a recorded web, by chance; of one half, or all."""
    pages = [page for file in sorted(folder.glob("*.warc.gz")) for page in _recorded(file)]
    return [page for page in random.Random(SEED).sample(pages, DRAWN) if _is_of(page.name, half)]


def _is_of(name: str, half: str) -> bool:
    return not half or is_chosen(name) == (half == "chosen")


def _recorded(file: Path) -> Iterator[Page]:
    with file.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            http = record.http_headers
            kind = (http.get("Content-Type") or "") if http else ""
            if http and http.status_code == 200 and kind.startswith("text/html"):
                url = record.headers["WARC-Target-URI"]
                yield Page(url, url, record.reader.read(), kind)


def shingles(text: str, length: int) -> Counter[tuple[str, ...]]:
    """Runs of so many words, counted; of a shorter text the one run that it is."""
    words = re.findall(r"\w+", text)
    runs = [tuple(words[at : at + length]) for at in range(max(1, len(words) - length + 1))]
    return Counter(run for run in runs if run)


class Score(NamedTuple):
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def score(taken: str, wanted: str, length: int) -> Score:
    """Precision and recall of one page's shingles; 1 where there is nothing to be wrong about."""
    found, right = shingles(taken, length), shingles(wanted, length)
    both = (found & right).total()
    return Score(
        both / found.total() if found else float(not right),
        both / right.total() if right else float(not found),
    )


def on_cases(take: Take, pages: Sequence[Page]) -> tuple[Score, float, int]:
    """Means of precision and recall, milliseconds of CPU a page, and how many pages came out empty."""
    scores, cost, empty = [], 0.0, 0
    for page in pages:
        taken, spent = timed(take, page)
        cost += spent
        empty += not taken.strip()
        scores.append((taken, score(taken, page.marked, 4)))
    precision = mean(each.precision for taken, each in scores if taken.strip())
    return Score(precision, mean(each.recall for _, each in scores)), cost / len(pages), empty


def on_web(take: Take, pages: Sequence[Page], wanted: Sequence[str]) -> tuple[tuple[float, ...], float, int]:
    """Means of precision, recall and F1 where the reference has text, milliseconds, and empty pages of these."""
    scores, cost, empty = [], 0.0, 0
    for page, right in zip(pages, wanted, strict=True):
        taken, spent = timed(take, page)
        cost += spent
        if right:
            empty += not taken.strip()
            scores.append(score(taken, right, 5))
    means = [mean(getattr(each, name) for each in scores) for name in ("precision", "recall", "f1")]
    return tuple(means), cost / len(pages), empty


def timed(take: Take, page: Page) -> tuple[str, float]:
    """The text, and milliseconds of CPU."""
    begun = time.process_time()
    taken = take(page)
    return taken, 1000 * (time.process_time() - begun)


def table(shared: Path, half: str, rows: Sequence[str]) -> Iterator[str]:
    articles = cases(shared / "cases" / "article-extraction", half)
    webs = {name: drawn(shared / "webs" / name, half) for name in WEBS}
    wanted = {name: [trafilatura(page) for page in pages] for name, pages in webs.items()}
    yield f"Cases: {len(articles)} pages, precision / recall / **F1**, ms of CPU a page, pages that came out empty."
    for name in WEBS:
        missing = sum(not each for each in wanted[name])
        yield f"{name}: {len(webs[name])} pages; trafilatura takes nothing of {missing}, which are left out."
    yield ""
    yield "| row | what | " + " | ".join(f"{name} | ms | empty" for name in ("cases", *WEBS)) + " |"
    yield "|---|---|" + "---|---:|---:|" * (1 + len(WEBS))
    for row in rows:
        take, needs = ROWS[row]
        if needs and find_spec(needs) is None:
            continue
        take(articles[0])
        cells: list[Any] = []
        means, cost, empty = on_cases(take, articles)
        cells += [_figures(*means, means.f1), f"{cost:.2f}", empty]
        for name in WEBS:
            figures, cost, empty = on_web(take, webs[name], wanted[name])
            cells += [_figures(*figures), f"{cost:.2f}", empty]
        yield f"| {row} | {take.__doc__} | " + " | ".join(map(str, cells)) + " |"
    yield from agreement(articles)


def agreement(pages: Sequence[Page]) -> Iterator[str]:
    """How often what a page says of itself is what others take from it. That is agreement, and not truth."""
    if find_spec("trafilatura") is None or find_spec("htmldate") is None:
        return
    from htmldate import find_date
    from trafilatura import extract_metadata

    said = [main_text(page.body, page.url, page.content_type).about for page in pages]
    theirs = [extract_metadata(_source(page), default_url=page.url) for page in pages]
    yield from (
        "",
        "| field | with | both have it | of these the same | only lycosa | only the other |",
        "|---|---|" + "---:|" * 4,
    )
    dates = [find_date(_source(page), original_date=True, url=page.url) or "" for page in pages]
    columns = (
        ("published, the day", "htmldate", [each.published[:10] for each in said], dates),
        (
            "title",
            "trafilatura",
            [_key(each.title) for each in said],
            [_key(each.title or "") for each in theirs],
        ),
        (
            "authors",
            "trafilatura",
            [_key(";".join(each.authors)) for each in said],
            [_key(each.author or "") for each in theirs],
        ),
    )
    for field, other, ours, others in columns:
        both = [one == two for one, two in zip(ours, others, strict=True) if one and two]
        alone = [
            sum(bool(one) and not two for one, two in zip(*pair, strict=True))
            for pair in ((ours, others), (others, ours))
        ]
        yield f"| {field} | {other} | {len(both)} | {sum(both)} | {alone[0]} | {alone[1]} |"


def _key(text: str) -> str:
    """Words in lower case, in any order: names are told in several."""
    return " ".join(sorted(re.findall(r"\w+", text.lower())))


def _figures(precision: float, recall: float, f1: float) -> str:
    return f"{precision:.3f} / {recall:.3f} / **{f1:.3f}**"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--half", choices=["chosen", "reported", "both"], default="reported")
    parser.add_argument(
        "--row", action="append", choices=list(ROWS), help="only this one; may be given several times"
    )
    parser.add_argument("--write", type=Path, help="a Markdown file for what is printed")
    given = parser.parse_args()
    half = "" if given.half == "both" else given.half
    lines = [f"Half: {given.half}.", ""]
    for line in table(Path(os.environ["LYCOSA_SHARED"]), half, given.row or list(ROWS)):
        print(line, flush=True)
        lines.append(line)
    if given.write:
        given.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

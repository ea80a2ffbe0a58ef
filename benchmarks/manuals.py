"""Makes a site of HTML manual pages to crawl: everybody who runs this gets the same bytes.

    python benchmarks/manuals.py FOLDER [--pages 3900] [--seed 7]

The pages look like those that DocBook and Sphinx write: a navigation table at the top and the bottom, a table of
contents, sections of prose with inline code, listings with highlighting, definition lists, tables, and cross
references to pages near and far. On average a page has 33 KB and 84 links. Sizes vary as they do in manuals: some
pages are ten times as long as others. Every page can be reached from index.html; robots.txt forbids a folder that no
page links to.
"""

from __future__ import annotations

import argparse
import random
from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

PAGES = 3_900
SEED = 7
CHAPTER = 30
"""Pages of a chapter, its first page included."""

ROBOTS = "User-agent: *\nDisallow: /drafts/\nDisallow: /*?print\nAllow: /\n"

_FUNCTION_WORDS = [
    "the",
    "of",
    "and",
    "a",
    "to",
    "in",
    "is",
    "that",
    "it",
    "for",
    "as",
    "with",
    "be",
    "by",
    "on",
    "are",
    "this",
    "an",
    "or",
    "from",
    "at",
    "which",
    "not",
    "can",
    "if",
    "will",
    "has",
    "when",
    "each",
    "all",
    "but",
    "one",
    "may",
    "its",
    "they",
    "used",
    "using",
    "must",
    "only",
    "other",
    "these",
    "into",
    "then",
    "than",
    "so",
    "any",
    "such",
    "there",
    "no",
    "two",
]
_ENDINGS = ("", "", "", "s", "s", "ed", "ing", "ation", "er", "ly", "able")
_TOPIC_WORDS = ["numerical", "analysis", "matrix", "iteration", "convergence", "interpolation", "error"]


def _vocabulary(draw: random.Random) -> list[str]:
    """6,000 words that look and inflect like English ones, the frequent ones first."""
    stems = []
    for _ in range(1_500):
        syllables = draw.choices("bcdfglmnprstv", k=3), draw.choices("aeiou", k=3)
        stem = "".join(c + v for c, v in zip(*syllables, strict=True))[: draw.randint(3, 6)]
        stems.append(stem + draw.choice("ntrlskm"))
    words = dict.fromkeys(stem + draw.choice(_ENDINGS) for stem in stems * 5)
    return list(words)[:6_000]


class Writer:
    """Writes the pages of one site, in order; one seeded source of chance for all of them."""

    def __init__(self, pages: int, seed: int) -> None:
        self.pages = pages
        self.draw = random.Random(seed)
        self._words = _vocabulary(self.draw)
        self._weights = list(accumulate((rank + 3) ** -1.3 for rank in range(len(self._words))))
        self._titles = [self.prose(self.draw.randint(2, 5)).title() for _ in range(pages)]

    def prose(self, n: int) -> str:
        """n words by a law like Zipf's; four in ten are function words."""
        return " ".join([self._word() for _ in range(n)])

    def _word(self) -> str:
        if self.draw.random() < 0.4:
            return self.draw.choice(_FUNCTION_WORDS)
        return self._words[bisect(self._weights, self.draw.random() * self._weights[-1])]

    def page(self, number: int) -> str:
        """One page, whole."""
        title = self._titles[number]
        sections = max(1, round(self.draw.lognormvariate(1.49, 0.6)))
        body = [self._section(number, place) for place in range(sections)]
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<link rel="stylesheet" type="text/css" href="stylesheet.css">'
            f'<meta name="generator" content="manuals.py"></head><body class="manual">\n'
            f"{self._navigation(number, 'navheader')}"
            f'<div class="titlepage"><div><h1 class="title">{title}</h1></div></div>\n'
            f"{self._contents(number, sections)}{''.join(body)}{self._navigation(number, 'navfooter')}</body></html>\n"
        )

    # -- parts of a page

    def _navigation(self, number: int, name: str) -> str:
        chapter = number - number % CHAPTER
        before, behind = max(number - 1, 0), min(number + 1, self.pages - 1)
        cells = "".join(
            f'<td width="20%" align="{side}"><a accesskey="{label[0].lower()}" href="{address(to)}" '
            f'title="{self._titles[to]}">{label}</a></td>'
            for label, to, side in (
                ("Prev", before, "left"),
                ("Up", chapter, "center"),
                ("Next", behind, "right"),
            )
        )
        return (
            f'<div class="{name}"><table width="100%" summary="Navigation"><tr>{cells}'
            f'<th><a accesskey="h" href="index.html">Home</a></th></tr></table><hr></div>\n'
        )

    def _contents(self, number: int, sections: int) -> str:
        """The first page lists all chapters, that of a chapter its pages; each page its own sections."""
        below: range | list[int] = []
        if number == 0:
            below = range(0, self.pages, CHAPTER)
        elif number % CHAPTER == 0:
            below = range(number + 1, min(number + CHAPTER, self.pages))
        if number == 0:
            below = [*range(1, CHAPTER), *list(below)[1:]]
        entries = [(address(page), self._titles[page]) for page in below]
        entries += [(f"{address(number)}#s{place}", self.prose(3)) for place in range(sections)]
        rows = "".join(
            f'<dt><span class="sect1"><a href="{href}">{label}</a></span></dt>\n' for href, label in entries
        )
        return (
            f'<div class="toc"><p><strong>Table of Contents</strong></p><dl class="toc">{rows}</dl></div>\n'
        )

    def _section(self, number: int, place: int) -> str:
        """A part of a page; on every fifth page some are about numerical analysis."""
        parts: list[Callable[[int], str]] = [self._paragraph] * 5
        parts += [self._listing, self._table, self._items, self._terms]
        opening = ""
        if number % 5 == 0 and self.draw.random() < 0.5:
            opening = (
                f"<p>{self.prose(8)} {' '.join(self.draw.choices(_TOPIC_WORDS, k=8))} {self.prose(9)}.</p>\n"
            )
        chosen = self.draw.choices(parts, k=self.draw.randint(7, 11))
        return (
            f'<div class="sect1" id="s{place}"><h2 class="title" style="clear: both">{self.prose(4).title()}</h2>\n'
            f"{opening}{''.join(part(number) for part in chosen)}</div>\n"
        )

    def _paragraph(self, number: int) -> str:
        sentences = "".join(
            f"{self.prose(self.draw.randint(5, 12)).capitalize()} {self._inline(number)} "
            f"{self.prose(self.draw.randint(3, 9))}.\n"
            for _ in range(self.draw.randint(2, 4))
        )
        return f"<p>\n{sentences}</p>\n"

    def _inline(self, number: int) -> str:
        chance = self.draw.random()
        if chance < 0.50:
            return f'<code class="literal">{self.prose(1)}_{self.prose(1)}</code>'
        if chance < 0.60:
            return f'<em class="firstterm">{self.prose(1)}</em>'
        return self._reference(number)

    def _reference(self, number: int) -> str:
        """Two in three cross references stay near, the others go anywhere."""
        near = self.draw.random() < 0.66
        to = (number + self.draw.randint(-40, 40)) % self.pages if near else self.draw.randrange(self.pages)
        fragment = f"#s{self.draw.randrange(4)}" if self.draw.random() < 0.4 else ""
        return (
            f'<a class="xref" href="{address(to)}{fragment}" title="{self._titles[to]}">{self.prose(2)}</a>'
        )

    def _listing(self, number: int) -> str:
        lines = "\n".join(
            f'<span class="k">{self.prose(1)}</span> <span class="n">{self.prose(1)}</span>'
            f'<span class="o">=</span>{self.prose(3)}(<span class="s1">\'{self.prose(2)}\'</span>);'
            for _ in range(self.draw.randint(3, 7))
        )
        return f'<pre class="programlisting">\n{lines}\n</pre>\n'

    def _table(self, number: int) -> str:
        rows = "".join(
            f'<tr><td><code class="type">{self.prose(1)}</code></td><td>{self.prose(2)}</td>'
            f"<td>{self.prose(8)} {self._reference(number)}</td></tr>\n"
            for _ in range(self.draw.randint(3, 6))
        )
        head = "".join(f"<th>{self.prose(1)}</th>" for _ in range(3))
        return (
            f'<div class="table"><table border="1"><thead><tr>{head}</tr></thead>'
            f"<tbody>{rows}</tbody></table></div>\n"
        )

    def _items(self, number: int) -> str:
        items = "".join(
            f'<li class="listitem"><p>{self.prose(11)} {self._inline(number)}.</p></li>\n'
            for _ in range(self.draw.randint(3, 5))
        )
        return f'<div class="itemizedlist"><ul class="itemizedlist">{items}</ul></div>\n'

    def _terms(self, number: int) -> str:
        terms = "".join(
            f'<dt><span class="term"><code class="option">{self.prose(1)}</code></span></dt>'
            f"<dd><p>{self.prose(16)} {self._inline(number)}.</p></dd>\n"
            for _ in range(self.draw.randint(2, 4))
        )
        return f'<div class="variablelist"><dl class="variablelist">{terms}</dl></div>\n'


def address(number: int) -> str:
    """The file name of a page."""
    return "index.html" if number == 0 else f"ch{number // CHAPTER:03d}-{number % CHAPTER:02d}.html"


def generate(folder: Path, pages: int = PAGES, seed: int = SEED) -> None:
    """Write the site, unless the folder holds the same one already."""
    stamp = folder / ".made-by-manuals"
    made = f"{pages} pages, seed {seed}\n"
    if stamp.exists() and stamp.read_text() == made:
        return
    folder.mkdir(parents=True, exist_ok=True)
    writer = Writer(pages, seed)
    for number in range(pages):
        (folder / address(number)).write_text(writer.page(number), encoding="utf-8")
    (folder / "robots.txt").write_text(ROBOTS)
    stamp.write_text(made)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--pages", type=int, default=PAGES)
    options.add_argument("--seed", type=int, default=SEED)
    given = options.parse_args()
    generate(given.folder, given.pages, given.seed)
    files = list(given.folder.glob("*.html"))
    size = sum(file.stat().st_size for file in files)
    links = sum(file.read_text(encoding="utf-8").count("<a ") for file in files)
    n = len(files)
    print(f"{n} pages in {given.folder}: {size / n:,.0f} bytes and {links / n:.1f} links a page")


if __name__ == "__main__":
    main()

"""Draws stacks as a flame graph: a small SVG, one rectangle a function, as wide as its share of the samples.

    python benchmarks/flames.py STACKS.txt FLAMES.svg [--without importlib] [--title TEXT]

Reads collapsed stacks, `function (file:line);… count`, as `profile_crawl.py --stacks` and other profilers write them.
What has less than two thousandths of the samples is left out; frames that only lead to the crawl (interpreter, command
line, event loop) are too.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

LEAST = 0.002
WIDTH, ROW = 1200, 17
_LEADING = re.compile(
    r"(^_run|^main |^<module> \(lycosa/cli|\(click/|lycosa/cli/group|^command |^run \(lycosa/cli|asyncio/runners)"
)
_COLOURS = {
    "lycosa/read/": "#e8a33d",
    "lycosa/strategies/": "#7fb069",
    "lycosa/scoring/": "#a7c957",
    "lycosa/crawl/": "#6aa5d8",
    "lycosa/crawls/": "#8fb8de",
    "lycosa/store/": "#9d8ec7",
    "lycosa/archive/": "#c58fc0",
    "lycosa/web/": "#e07a5f",
    "aiohttp/": "#ec9a86",
    "importlib": "#bbbbbb",
}


class Box(NamedTuple):
    """One function at one place of the stacks: samples before it, its own and those of what it calls."""

    name: str
    depth: int
    begins: int
    samples: int


def frames(stack: str) -> tuple[str, ...]:
    """Functions with their files, outermost first, from the crawl on."""
    each = [re.sub(r":\d+\)$", ")", frame) for frame in stack.split(";")]
    while len(each) > 1 and _LEADING.search(each[0]):
        each.pop(0)
    return tuple(each)


def boxes(stacks: Counter[tuple[str, ...]]) -> Iterator[Box]:
    """What to draw, widest first on each level."""

    def level(within: Counter[tuple[str, ...]], depth: int, begins: int) -> Iterator[Box]:
        callees: dict[str, Counter[tuple[str, ...]]] = {}
        for stack, samples in within.items():
            if stack:
                callees.setdefault(stack[0], Counter())[stack[1:]] += samples
        for name, rest in sorted(callees.items(), key=lambda each: -each[1].total()):
            if rest.total() >= LEAST * total:
                yield Box(name, depth, begins, rest.total())
                yield from level(rest, depth + 1, begins)
            begins += rest.total()

    total = stacks.total()
    yield from level(stacks, 0, 0)


def drawn(found: Iterable[Box], total: int, title: str) -> str:
    """The picture. What calls stands above what is called."""
    found = list(found)
    height = ROW * (max(box.depth for box in found) + 3)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="11">',
        f'<text x="4" y="{ROW - 4}">{escape(title)}</text>',
    ]
    for name, depth, begins, samples in found:
        x, wide, y = WIDTH * begins / total, WIDTH * samples / total, ROW * (depth + 1)
        colour = next((colour for part, colour in _COLOURS.items() if part in name), "#d9cfc1")
        room = int(wide / 6)
        label = escape(name.partition(" (")[0][:room]) if room > 3 else ""
        lines.append(
            f'<g><title>{escape(name)}: {samples / total:.1%}</title><rect x="{x:.1f}" y="{y}" width="{wide:.1f}" '
            f'height="{ROW - 1}" fill="{colour}"/><text x="{x + 2:.1f}" y="{y + 12}">{label}</text></g>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("stacks", type=Path)
    options.add_argument("picture", type=Path)
    options.add_argument("--without", help="leave out stacks that have this in them")
    options.add_argument("--title", default="")
    given = options.parse_args()
    stacks: Counter[tuple[str, ...]] = Counter()
    for line in given.stacks.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        if stack and not (given.without and given.without in stack):
            stacks[frames(stack)] += int(count)
    given.picture.write_text(drawn(boxes(stacks), stacks.total(), given.title))


if __name__ == "__main__":
    main()

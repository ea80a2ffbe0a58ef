"""What each order of leases brings and what it costs, as tables and a picture.

    python benchmarks/order_results.py RUN_DIR > benchmarks/results/order.md
    python benchmarks/order_results.py RUN_DIR --picture docs/images/order.svg

RUN_DIR is what `lycosa lab run benchmarks/order/policies.toml` wrote; an unfinished run will do, and says so.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple
from xml.sax.saxutils import escape

from lycosa import __version__
from lycosa.lab.experiments.results import Results
from lycosa.model.errors import LycosaError
from lycosa.report.plot import ticks

STRICT, DEFAULT, BEFORE = "strict-order", "paced", "eager"
ABOUT = """\
# Priority and politeness together: what each order brings and costs

lycosa {version}, 2 cores, {day}. Made by `python benchmarks/order_results.py {folder}`, from
`lycosa lab run benchmarks/order/policies.toml -o {folder}`. {pages} pages, D = {distances}, {span} s of virtual time.
{done:,} of {planned:,} crawls.

`paced` is what `lycosa crawl` does by default, `eager` what it did before: whatever may be fetched is fetched.
`strict-order` has no rests and one visit at a time (`--delay 0 --width 1`), as laboratories crawl; nobody may crawl the
web like that. AUC: the area under the curve of target recall, over the pages and over the first {span} seconds, means ±
standard errors over topics. Share: of the strict order's AUC over pages. Took: virtual seconds to the last page.
"""
COLOURS = {"hunter": "#b3245a", "best-first": "#1f6f8b"}
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 380, 330, 44, 44, 30, 12


class Found(NamedTuple):
    """The topics' values of one strategy under one policy on one web."""

    auc: list[float]
    over_time: list[float]
    took: list[float]


def found_in(results: Results) -> Mapping[str, Mapping[str, Mapping[str, Found]]]:
    """By web, policy and strategy; a topic at two distances counts as two."""
    found: dict[str, dict[str, dict[str, Found]]] = defaultdict(lambda: defaultdict(dict))
    for crawl in results.crawls:
        if crawl.problem:
            continue
        web, policy = split_name(crawl.cell.web)
        of = found[web][policy].setdefault(crawl.cell.label, Found([], [], []))
        of.auc.append(crawl.values["auc"])
        of.over_time.append(crawl.values["auc over time"])
        of.took.append(crawl.values["took"])
    return found


def split_name(web: str) -> tuple[str, str]:
    """`webkb:paced` is the web webkb under the policy paced."""
    name, _, policy = web.partition(":")
    return name, policy


def with_error(values: Sequence[float]) -> str:
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{fmean(values):.3f} ± {error:.3f}"


def report(results: Results, folder: str) -> Iterator[str]:
    design = results.experiment
    spans = {web.seconds for web in design.webs.values()}
    done = sum(1 for each in results.crawls if not each.problem)
    yield ABOUT.format(
        version=__version__,
        day=date.today().isoformat(),
        folder=folder,
        pages=design.pages,
        distances=" and ".join(map(str, design.distances)),
        span=max(spans),
        done=done,
        planned=results.planned,
    )
    conditions = {split_name(name): web.conditions.in_words() for name, web in design.webs.items()}
    for web, policies in found_in(results).items():
        yield f"\n## {web}\n"
        yield "| policy | conditions | strategy | topics | AUC over pages | share | AUC over time | took, s |"
        yield "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"
        strict = {label: fmean(each.auc) for label, each in policies.get(STRICT, {}).items()}
        for policy, labels in policies.items():
            for label, each in labels.items():
                share = f"{fmean(each.auc) / strict[label]:.0%}" if strict.get(label) else "–"
                told = (
                    *(
                        policy,
                        conditions[web, policy],
                        label,
                        str(len(each.auc)),
                        with_error(each.auc),
                        share,
                    ),
                    *(with_error(each.over_time), f"{fmean(each.took):.0f}"),
                )
                yield f"| {' | '.join(told)} |"


def picture(results: Results) -> str:
    """Quality against time: a point a policy, a panel a web, numbers for the patience of paced crawls. The strict order
    without rests is no choice, and is left out."""
    webs = found_in(results)
    panels = [line for place, web in enumerate(webs) for line in panel(place, web, webs[web])]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * len(webs)} {HEIGHT}" '
            'font-family="sans-serif" font-size="12">',
            "<title>Area under the recall curve against the time of the crawl, for each order of leases</title>",
            f'<rect width="{WIDTH * len(webs)}" height="{HEIGHT}" fill="#ffffff"/>',
            *panels,
            "</svg>",
            "",
        ]
    )


def panel(place: int, web: str, policies: Mapping[str, Mapping[str, Found]]) -> Iterator[str]:
    left, across, up = WIDTH * place + LEFT, WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM - TOP
    shown = {policy: labels for policy, labels in policies.items() if policy != STRICT}
    last = 1.15 * max(fmean(each.took) for labels in shown.values() for each in labels.values())
    most = 1.2 * max(fmean(each.auc) for labels in shown.values() for each in labels.values())

    def at(took: float, auc: float) -> tuple[float, float]:
        return left + across * took / last, TOP + up * (1 - auc / most)

    yield f'<text x="{left}" y="16" fill="#333333" font-weight="bold">{escape(web)}</text>'
    for tick in ticks(most):
        (x, y), (end, _) = at(0, tick), at(last, tick)
        yield f'<path d="M{x:.1f} {y:.1f}H{end:.1f}" stroke="#dddddd"/>'
        yield f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="#555555">{tick:g}</text>'
    for seconds in range(0, int(last), 100):
        x, y = at(seconds, 0)
        yield f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle" fill="#555555">{seconds}</text>'
    x, y = at(last / 2, 0)
    yield f'<text x="{x:.1f}" y="{y + 34:.1f}" text-anchor="middle" fill="#555555">seconds</text>'
    for number, (label, colour) in enumerate(COLOURS.items()):
        yield f'<text x="{left + 130 + 80 * number}" y="16" fill="{colour}">{escape(label)}</text>'
        points = sorted(
            (fmean(each.took), fmean(each.auc), policy)
            for policy, labels in shown.items()
            if (each := labels.get(label)) is not None
        )
        for took, auc, policy in points:
            x, y = at(took, auc)
            weight = ' font-weight="bold"' if policy == DEFAULT else ""
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
            told = {DEFAULT: "2", BEFORE: "eager"}.get(policy, policy.removeprefix("patience "))
            beside = y - 8 if label == next(iter(COLOURS)) else y + 15
            yield (
                f'<text x="{x:.1f}" y="{beside:.1f}" text-anchor="middle" fill="{colour}" '
                f'font-size="10"{weight}>{escape(told)}</text>'
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    try:
        results = Results.of(given.run)
        if given.picture is None:
            sys.stdout.write("\n".join(report(results, str(given.run))) + "\n")
        else:
            given.picture.write_text(picture(results), encoding="utf-8")
    except LycosaError as error:
        sys.exit(f"order_results: {error}")


if __name__ == "__main__":
    main()

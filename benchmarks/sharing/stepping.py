"""How fast the laboratory steps clusters: visits a CPU-second, by whole crawls and by the light simulation.

    python benchmarks/sharing/stepping.py [--nodes 16 64] [--pages 20000]

Whole crawls have no words and no disk: what is measured is `Crawl`, `Company`, the frontier in memory and the post. Run
to the end, on a generated web of 16 topics.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from lycosa.lab.sharing.design import GroundSpec
from lycosa.lab.sharing.light import Light, Rates, Shared
from lycosa.lab.sharing.made_grounds import dealt, ground_of, start_pages
from lycosa.lab.sharing.rules import rules
from lycosa.lab.sharing.whole import run_whole
from lycosa.lab.webs.generated import Generated

PARTITIONS = ("host", "url", "topic")


def timed(run: Callable[[], Shared]) -> tuple[int, float]:
    """Downloads, and CPU seconds."""
    began = time.process_time()
    found = run()
    return sum(map(len, found.downloads)), time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--pages", type=int, default=20_000)
    options = parser.parse_args()
    spec = GroundSpec(generated=Generated(pages=options.pages, parents=64, leaves=1))
    ground = ground_of(spec, "generated", 0)
    starts = start_pages(ground, 2, 0)
    known = [page for pages in starts for page in pages]
    print("| nodes | partition | downloads | whole crawls, visits a second | light, visits a second |")
    print("|---|---|---:|---:|---:|")
    for nodes in options.nodes:
        for name in PARTITIONS:
            told = rules(name, ground, nodes)
            given = dealt(told, starts)
            every = [known, *([[]] * (nodes - 1))] if told.of_url is not None else given
            downloads, whole = timed(
                lambda name=name, nodes=nodes, every=every: run_whole(ground, name, nodes, Rates(), every)
            )
            _, light = timed(lambda told=told, given=given: Light(ground, told, Rates()).run(given))
            print(
                f"| {nodes} | {name} | {downloads:,} | {downloads / whole:,.0f} | {downloads / light:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

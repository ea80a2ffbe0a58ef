"""Feeds the compiled reader with damaged pages, its memory watched (`-fsanitize=address,undefined`).

    python benchmarks/fuzz_reading.py [--bodies N] [--compare N] [--seed N] [--plain]

Bodies are pieces of markup put together at random, and parts of pages (generated ones; recorded ones too where
LYCOSA_SHARED names them) cut, joined and damaged, some 100 bytes to 2 KB. One in `--compare` is read by Python as well,
and must give the same. Ends with 1 at the first difference, and with the sanitizer's report at the first fault.
`--plain` watches nothing, and is faster.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def watched(arguments: list[str]) -> int:
    """Run this again with the reader compiled anew for the sanitizers."""
    sys.path.insert(0, str(ROOT / "tools"))
    from build_native import PLACES, SANITIZED, compile_to

    libraries = [
        subprocess.run(["cc", f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / PLACES["reading"].name
        compile_to(made, "reading", SANITIZED)
        settings = {
            "LYCOSA_FUZZED": str(made),
            "LD_PRELOAD": " ".join(libraries),
            "ASAN_OPTIONS": "detect_leaks=0",
            "PYTHONMALLOC": "malloc",
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        }
        return subprocess.run(
            [sys.executable, __file__, *arguments], env={**os.environ, **settings}
        ).returncode


def load() -> None:
    """Put the watched reader in the place of the one that is there."""
    from selectolax import lexbor

    from lycosa.read import compiled

    loader = importlib.machinery.ExtensionFileLoader("_reading", os.environ["LYCOSA_FUZZED"])
    spec = importlib.util.spec_from_loader("_reading", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    module.bind(lexbor.__file__, compiled._acts(), compiled._traits())
    compiled._READING = module


def seeds() -> list[str]:
    from benchmarks.reading import manual, recorded

    from lycosa.read.charset import decode

    pages = manual(10)
    if shared := os.environ.get("LYCOSA_SHARED"):
        for file in sorted(Path(shared, "webs").glob("*/*.warc.gz")):
            pages += recorded(file, 60)
    return [decode(page.body, page.content_type)[0] for page in pages]


def feed(bodies: int, compare: int, seed: int) -> int:
    from tests.twins import mutants, parted, parted_main

    from lycosa.read.boxes import main
    from lycosa.read.gathered import by_compiled
    from lycosa.read.main.clues import clues
    from lycosa.read.markup import parse, tamed

    begun, left = time.process_time(), 0
    for number, source in enumerate(mutants(seeds(), bodies, seed)):
        if number % compare == 0 and (difference := parted(source) or parted_main(source)):
            sys.stdout.write(f"body {number} of seed {seed} differs: {difference}\n{source!r}\n")
            return 1
        left += by_compiled(tamed(source)) is None
        clues(tree := parse(source))
        if tree.root is not None:
            main.by_compiled(tree.root)
    sys.stdout.write(
        f"{bodies:,} bodies, {left:,} left to Python, no fault, {time.process_time() - begun:.0f} s of CPU\n"
    )
    return 0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--bodies", type=int, default=100_000)
    options.add_argument("--compare", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--plain", action="store_true")
    chosen = options.parse_args()
    if not chosen.plain and "LYCOSA_FUZZED" not in os.environ:
        return watched(sys.argv[1:])
    if not chosen.plain:
        load()
    return feed(chosen.bodies, chosen.compare, chosen.seed)


if __name__ == "__main__":
    sys.exit(main())

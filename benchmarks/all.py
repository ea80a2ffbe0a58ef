"""Makes the results of all benchmarks again, one after the other, and tells what each took.

    python benchmarks/all.py [--only NAME …] [--quick] [--into runs/results] [--list] [--readme]

`commands.toml` has the benchmarks: name, commands, files of results. What the commands print goes into `--into`, a file
a benchmark, under the command, the date, the machine and its load. The files in `results/` also have what people made
of the figures, so they are not written over: compare, and take over what is new. One that fails stops no other, one
that needs recorded webs is skipped where LYCOSA_SHARED does not name them; both are told. `--readme` writes the table
of README.md from `commands.toml`.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
TABLE = HERE / "commands.toml"
BEGIN, END = "<!-- made by all.py --readme -->", "<!-- end -->"


class Benchmark(NamedTuple):
    """One question, and how it is answered."""

    name: str
    asks: str
    commands: tuple[str, ...]
    quick: tuple[str, ...] = ()
    """What is run in their place where only minutes are given."""
    results: tuple[str, ...] = ()
    """Files, or a folder, in `results`."""
    recorded: bool = False
    """Whether recorded webs are needed."""
    needs: str = ""
    hours: bool = False

    def lacks(self, quick: bool) -> str:
        """Why it cannot be run here, or should not be; empty if it can."""
        if self.recorded and not os.environ.get("LYCOSA_SHARED"):
            return "needs recorded webs: LYCOSA_SHARED is not set"
        return "takes hours" if quick and self.hours else ""


class Ran(NamedTuple):
    name: str
    outcome: str
    """`done`, or why not."""
    seconds: float = 0.0


def benchmarks(table: Path = TABLE) -> list[Benchmark]:
    """All of them, in the order of the table."""

    def made(row: dict[str, Any]) -> Benchmark:
        return Benchmark(
            **{key: tuple(each) if isinstance(each, list) else each for key, each in row.items()}
        )

    return [made(row) for row in tomllib.loads(table.read_text(encoding="utf-8"))["benchmark"]]


def run(one: Benchmark, into: Path, quick: bool) -> Ran:
    """Run its commands in turn; what they print goes into a file."""
    if lack := one.lacks(quick):
        return Ran(one.name, f"skipped: {lack}")
    began, outcome = time.monotonic(), "done"
    into.mkdir(parents=True, exist_ok=True)
    with (into / f"{one.name}.md").open("w", encoding="utf-8") as file:
        for command in (quick and one.quick) or one.commands:
            file.write(f"{_heading(command)}\n\n")
            file.flush()
            code = subprocess.run(
                command, shell=True, cwd=HERE.parent, env=_environment(), stdout=file, check=False
            ).returncode
            file.write("\n")
            if code:
                outcome = f"failed with code {code}: {command}"
                file.write(f"{outcome}\n")
                break
    return Ran(one.name, outcome, time.monotonic() - began)


def _heading(command: str) -> str:
    return (
        f"`{command}`, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, {platform.machine()}, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )


def _environment() -> dict[str, str]:
    """`python` and `lycosa` are those that run this."""
    return {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


def as_rows(all_of_them: Sequence[Benchmark]) -> str:
    """The table of README.md."""
    rows = ["| name | what is asked | commands | newest results |", "| --- | --- | --- | --- |"]
    for one in all_of_them:
        asks = one.asks + (f"; needs {one.needs}" if one.needs else "") + (" ∗" if one.recorded else "")
        commands = "<br>".join(f"`{each}`" for each in one.commands)
        results = ", ".join(f"[results/{each}](results/{each})" for each in one.results)
        rows.append(f"| {one.name} | {asks} | {commands} | {results} |")
    return "\n".join(rows)


def with_table(readme: str, table: str) -> str:
    """README.md with this table in the place of its own. Raises `ValueError` where it has no place for it."""
    before, after = readme.index(BEGIN), readme.index(END)
    return f"{readme[:before]}{BEGIN}\n\n{table}\n\n{readme[after:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="run these")
    parser.add_argument(
        "--quick", action="store_true", help="leave out what takes hours, and make others short"
    )
    parser.add_argument("--into", type=Path, default=HERE.parent / "runs" / "results", metavar="DIR")
    parser.add_argument("--list", action="store_true", help="show the names and commands, and run nothing")
    parser.add_argument("--readme", action="store_true", help="write the table of README.md, and run nothing")
    given = parser.parse_args()
    found = benchmarks()
    if given.readme:
        page = HERE / "README.md"
        page.write_text(with_table(page.read_text(encoding="utf-8"), as_rows(found)), encoding="utf-8")
        return 0
    if unknown := set(given.only or ()) - {one.name for one in found}:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; --list shows the names")
    chosen = [one for one in found if not given.only or one.name in given.only]
    if given.list:
        print("\n".join(f"{one.name:24} {' && '.join(one.commands)}" for one in chosen))
        return 0
    ran = []
    for one in chosen:
        ran.append(run(one, given.into, given.quick))
        print(f"{one.name:24} {ran[-1].seconds:8.1f} s  {ran[-1].outcome}", flush=True)
    done = sum(each.outcome == "done" for each in ran)
    failed = [each.name for each in ran if each.outcome.startswith("failed")]
    print(
        f"{done} done, {len(failed)} failed, {len(ran) - done - len(failed)} skipped; "
        f"{sum(each.seconds for each in ran) / 60:.1f} minutes; results in {given.into}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

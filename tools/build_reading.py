"""Compiles the pass that reads HTML (`native/reading.c`), for this checkout or for a wheel:

    python tools/build_reading.py [--sanitized]

Without a C compiler, or where it fails, there is none, and pages are read by Python: one line says so. `CC` and
`CFLAGS` are heeded. `LYCOSA_COMPILED=0` leaves it out of a wheel, and `=1` makes its lack an error.

hatchling takes the class below when it builds. The file uses Python's stable interface, so one fits all releases from
3.11 on; and it links to no library, as it finds the parser when it is imported.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "native" / "reading.c"
NAME = "_reading.abi3.so"
PLACE = Path("lycosa", "read", NAME)
"""Within the package."""
COST = "pages will be read by Python alone, with the same answers, in about twice the time"
SANITIZED = "-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"


class CannotCompile(Exception):
    """There is no compiler, or it failed."""


def compile_to(target: Path, flags: str = "-O2") -> None:
    """Make the file. Raises `CannotCompile`."""
    if sys.platform == "win32":
        raise CannotCompile("the parser's functions cannot be found by name on Windows")
    compiler = shlex.split(os.environ.get("CC") or "cc")
    joined = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    libraries = [] if sys.platform == "darwin" else ["-ldl"]
    command = [
        *compiler, "-std=c11", "-D_DEFAULT_SOURCE", "-fPIC", "-fvisibility=hidden", *shlex.split(flags),
        *shlex.split(os.environ.get("CFLAGS", "")), *joined, f"-I{sysconfig.get_path('include')}",
        str(SOURCE.relative_to(ROOT)), "-o", str(target), *libraries,
    ]  # fmt: skip
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotCompile(str(error)) from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        raise CannotCompile(lines[0] if lines else f"{compiler[0]} ended with {done.returncode}")


def tag() -> str:
    """What a wheel with the file fits: any Python from 3.11 on, on this kind of machine."""
    return f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:
    pass
else:

    class CompiledReading(BuildHookInterface):  # type: ignore[type-arg]
        """Puts the compiled file into a wheel, if it can be made; else the wheel is pure."""

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            wanted = os.environ.get("LYCOSA_COMPILED", "")
            if self.target_name != "wheel" or wanted == "0":
                return
            place = ROOT / "src" / PLACE
            if version != "editable":
                self._folder = tempfile.TemporaryDirectory()
                place = Path(self._folder.name) / NAME
            try:
                compile_to(place)
            except CannotCompile as error:
                if wanted == "1":
                    raise
                self.app.display_warning(f"lycosa: no compiled reader ({error}): {COST}")
                return
            build_data["pure_python"] = False
            build_data["tag"] = tag()
            if version != "editable":
                build_data["force_include"][str(place)] = str(PLACE)


def main() -> int:
    try:
        compile_to(ROOT / "src" / PLACE, SANITIZED if "--sanitized" in sys.argv else "-O2")
    except CannotCompile as error:
        sys.stderr.write(f"no compiled reader ({error}): {COST}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

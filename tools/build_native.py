"""Compiles what is in `native`, for this checkout or for a wheel:

    python tools/build_native.py [--sanitized]

Without a C compiler, or where it fails, Python does the same: one line says so. `CC` and `CFLAGS` are heeded.
`LYCOSA_COMPILED=0` leaves the compiled modules out of a wheel, and `=1` makes their lack an error.

hatchling takes the class below when it builds. The modules use Python's stable interface, so one fits all releases from
3.11 on; and they link to no library: the reader finds its parser when it is imported.
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
from zlib import crc32

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "reading": Path("lycosa", "read", "_reading.abi3.so"),
    "sketching": Path("lycosa", "crawl", "_sketching.abi3.so"),
    "hunting": Path("lycosa", "scoring", "_hunting.abi3.so"),
    "queues": Path("lycosa", "frontier", "_queues.abi3.so"),
}
"""Where each of `native` goes to within the package."""
COST = "Python will do all by itself, with the same answers, and read pages in about twice the time"
SANITIZED = "-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"


class CannotCompile(Exception):
    """There is no compiler, or it failed."""


def compile_to(target: Path, name: str, flags: str = "-O3") -> None:
    """Make the module `name` of `native`. Raises `CannotCompile`."""
    if sys.platform == "win32":
        raise CannotCompile("the parser's functions cannot be found by name on Windows")
    compiler = shlex.split(os.environ.get("CC") or "cc")
    joined = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    source = ROOT / "native" / f"{name}.c"
    libraries = [] if sys.platform == "darwin" else ["-ldl", "-lm"]
    command = [
        *compiler, "-std=c11", "-D_DEFAULT_SOURCE", "-fPIC", "-ffp-contract=off", "-fvisibility=hidden",
        *shlex.split(flags), *shlex.split(os.environ.get("CFLAGS", "")), *joined, f"-I{sysconfig.get_path('include')}",
        f"-DSOURCE={crc32(source.read_bytes())}L", str(source), "-o", str(target), *libraries,
    ]  # fmt: skip
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotCompile(str(error)) from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        raise CannotCompile(lines[0] if lines else f"{compiler[0]} ended with {done.returncode}")


def compile_all(folder: Path, flags: str = "-O3") -> None:
    """Make every module, at its place under a folder. Raises `CannotCompile`, and then leaves none there."""
    try:
        for name, place in PLACES.items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            compile_to(folder / place, name, flags)
    except CannotCompile:
        for place in PLACES.values():
            (folder / place).unlink(missing_ok=True)
        raise


def tag() -> str:
    """What a wheel with them fits: any Python from 3.11 on, on this kind of machine."""
    return f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:
    pass
else:

    class Compiled(BuildHookInterface):  # type: ignore[type-arg]
        """Puts the compiled modules into a wheel, if they can be made; else the wheel is pure."""

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            wanted = os.environ.get("LYCOSA_COMPILED", "")
            if self.target_name != "wheel" or wanted == "0":
                return
            if version == "editable":
                folder = ROOT / "src"
            else:
                self._folder = tempfile.TemporaryDirectory()
                folder = Path(self._folder.name)
            try:
                compile_all(folder)
            except CannotCompile as error:
                if wanted == "1":
                    raise
                self.app.display_warning(f"lycosa: nothing compiled ({error}): {COST}")
                return
            build_data["pure_python"] = False
            build_data["tag"] = tag()
            if version != "editable":
                build_data["force_include"] |= {str(folder / place): str(place) for place in PLACES.values()}


def main() -> int:
    try:
        compile_all(ROOT / "src", SANITIZED if "--sanitized" in sys.argv else "-O3")
    except CannotCompile as error:
        sys.stderr.write(f"nothing compiled ({error}): {COST}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

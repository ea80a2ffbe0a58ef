"""Checks that lycosa can be given away. Run it in a checkout, or with `make package`:

    python tools/check_package.py

It builds the sdist, the wheel from the sdist and the wheel from the checkout. All of lycosa must be in them, and
nothing else. The wheels must be the same to the byte. Then it installs the wheel into a new virtual environment and
runs the demo from there, beside a copy of `examples` and nothing else of the checkout. It takes less than a minute.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

from build_native import PLACES

ROOT = Path(__file__).resolve().parents[1]
ABOUT = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
"""What a wheel says of itself, in its `dist-info`."""
MADE = {"PKG-INFO"}
"""What is in an sdist and not in a checkout."""
LEFT_OUT = (".ci/", ".github/")
"""What a checkout needs and an sdist does not."""


def ran(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """What the command wrote; what it wrote ends the check where it fails."""
    done = subprocess.run(
        command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed with {done.returncode}:\n{done.stdout}")
    return done.stdout


def built(what: str, source: Path, folder: Path) -> Path:
    """The `sdist` or the `wheel` made of a source tree, in a folder of its own."""
    out = folder / f"{what}-of-{source.name}"
    ran(sys.executable, "-m", "build", "--no-isolation", f"--{what}", "--outdir", out, source)
    (file,) = out.iterdir()
    return file


def tracked() -> set[str]:
    """The files of the project, by their places in the checkout."""
    return set(ran("git", "ls-files").splitlines())


def expect(what: str, found: set[str], wanted: set[str]) -> None:
    lacking, stray = sorted(wanted - found), sorted(found - wanted)
    if lacking or stray:
        raise SystemExit(f"{what}: lacks {lacking or 'nothing'}, has too much: {stray or 'nothing'}")


def check_wheel(wheel: Path) -> None:
    """The package, data files and all, what describes it, and the compiled modules unless the wheel is pure."""
    about = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    code = {str(PurePosixPath(name).relative_to("src")) for name in tracked() if name.startswith("src/")}
    if not wheel.name.endswith("-none-any.whl"):  # there was a compiler
        code |= {str(place) for place in PLACES.values()}
    with zipfile.ZipFile(wheel) as archive:
        expect(wheel.name, set(archive.namelist()), code | {f"{about}/{name}" for name in ABOUT})


def check_sdist(sdist: Path, folder: Path) -> Path:
    """All that is needed to build, test and document it; returns the unpacked tree."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(folder, filter="data")
    expect(sdist.name, names, {name for name in tracked() if not name.startswith(LEFT_OUT)} | MADE)
    return folder / sdist.name.removesuffix(".tar.gz")


def run_demo(wheel: Path, folder: Path) -> str:
    """Install the wheel where nothing else is, and follow the README's first command there."""
    home = folder / "clean"
    venv.create(home / "venv")  # without a pip of its own, which would take as long as all else in it
    programs = home / "venv" / "bin"
    ran(
        sys.executable,
        "-m",
        "pip",
        "--python",
        programs / "python",
        "install",
        "--quiet",
        "--no-compile",
        "--disable-pip-version-check",
        wheel,
        cwd=home,
    )
    shutil.copytree(ROOT / "examples", home / "examples")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LYCOSA_"))}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return ran("sh", "examples/demo.sh", cwd=home, env={**bare, "PATH": path})


def main() -> None:
    if not (ROOT / ".git").exists():
        sys.stdout.write(
            "the package was not checked: that needs a checkout, to know which files are the project's\n"
        )
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        sdist = built("sdist", ROOT, folder)
        tree = check_sdist(sdist, folder)
        wheels = [built("wheel", source, folder) for source in (tree, ROOT)]
        check_wheel(wheels[0])
        if wheels[0].read_bytes() != wheels[1].read_bytes():
            raise SystemExit("the sdist and the checkout build different wheels")
        said = run_demo(wheels[0], folder)
        if "100 pages" not in said:
            raise SystemExit(f"the demo, run from the wheel, did not fetch its 100 pages:\n{said}")
    sys.stdout.write(f"{sdist.name} and {wheels[0].name} are whole, and the demo runs from the wheel\n")


if __name__ == "__main__":
    main()

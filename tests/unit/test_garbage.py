"""The command line looks for garbage rarely, and not at its end."""

from __future__ import annotations

import subprocess
import sys

from lycosa.model.garbage import COLLECTED_AFTER


def test_the_command_collects_rarely() -> None:
    told = (
        "import gc, sys, lycosa.cli\n"
        "sys.argv = ['lycosa', '--version']\n"
        "try: lycosa.cli.main()\n"
        "finally: print(gc.get_threshold())"
    )
    said = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == str(COLLECTED_AFTER)


def test_the_command_looks_for_none_as_it_ends() -> None:
    told = (
        "import atexit, gc, sys, lycosa.cli\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 10_000))\n"  # runs last
        "sys.argv = ['lycosa', '--version']\n"
        "lycosa.cli.main()"
    )
    said = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "True"

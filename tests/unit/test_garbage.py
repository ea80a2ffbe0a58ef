"""The command line looks for garbage rarely."""

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

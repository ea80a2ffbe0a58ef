"""The command line, one module a verb."""

from __future__ import annotations


def main() -> None:
    """What the command `lycosa` runs."""
    from lycosa.lab.experiments.threads import use_one_thread
    from lycosa.model.garbage import collect_rarely, end_at_once

    use_one_thread()  # before anything loads numpy
    collect_rarely()
    end_at_once()
    from lycosa.cli.group import lycosa

    lycosa(prog_name="lycosa")

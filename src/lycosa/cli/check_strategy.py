"""`lycosa check-strategy`: the conformance kit, one line a check."""

from __future__ import annotations

import click

from lycosa.cli.completion import STRATEGY


@click.command("check-strategy")
@click.argument("name", type=STRATEGY)
@click.option("--json", is_flag=True, help="Write JSON, one object a check.")
def command(name: str, json: bool) -> int:
    """Check that a strategy keeps the rules that all must keep. NAME may have parameters: NAME:parameter=value,…

    Exit code 1 if a check fails.
    """
    from lycosa.cli.group import DONE, FAILED
    from lycosa.cli.output import say_json
    from lycosa.lab.kit.conformance import CHECKS, examine, maker
    from lycosa.report.wording import clean, counted

    maker(name)()  # an unknown name is bad input, not a failed check
    failed = 0
    for check in CHECKS:
        (finding,) = examine(name, [check])
        failed += bool(finding.problem)
        if json:
            say_json(finding)
            continue
        mark = click.style("failed", fg="red") if finding.problem else click.style("ok    ", fg="green")
        click.echo(f"{mark}  {finding.check}" + (f": {clean(finding.problem)}" if finding.problem else ""))
    if not json:
        click.echo(f"{counted(len(CHECKS), 'check')}, {failed} failed")
    return FAILED if failed else DONE

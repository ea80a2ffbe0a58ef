"""`lycosa lab bounds`: what was possible on a web."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.lab_compare import about_web, experiment_from, read_web


@click.command("bounds")
@about_web
@click.option("--json", is_flag=True, help="One JSON object a line, one a topic and bound.")
def command(
    web: str, tasks: Path | None, distance: int, pages: int, topics: str, most: int, json: bool
) -> None:
    """Tell what recall was possible on the topics of a web: by chance, by one who knows whether the page behind each
    link is relevant (one-step clairvoyant), and by one who knows the shortest ways to all targets (oracle).
    """
    import numpy as np

    from lycosa.cli.output import say_json
    from lycosa.lab.experiments.design import tasks_of
    from lycosa.lab.experiments.measured import BOUNDS, bounds_of
    from lycosa.lab.measures.statistics import estimate

    experiment = experiment_from({"": "best-first"}, web, tasks, distance, pages, topics, most)
    read_web(experiment)
    (name,) = experiment.webs
    found = [
        each for task in tasks_of(experiment, name) for each in bounds_of(experiment, name, task, distance)
    ]
    for each in found if json else ():
        say_json({"task": each.cell.task, "bound": each.cell.label, **each.values})
    for label in () if json else BOUNDS:
        values = [each.values for each in found if each.cell.label == label]
        auc = estimate([value["auc"] for value in values])
        recall = np.mean([value[f"recall@{pages}"] for value in values])
        click.echo(f"{label:<22} AUC {auc}   recall@{pages:,} {recall:.3f}   over {auc.count} topics")

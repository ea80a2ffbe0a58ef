"""What the report says of the run itself: webs, topics, versions, machine, commands, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np
import tomli_w

from lycosa.lab.experiments.design import tasks_of
from lycosa.lab.experiments.results import Results
from lycosa.lab.experiments.runner import code_of, web_digest, web_of
from lycosa.lab.experiments.runs import runs_of
from lycosa.lab.tasks.split import split
from lycosa.model.errors import InputError
from lycosa.report.markup import Html, element, joined, table, words
from lycosa.report.wording import counted, percent, spoken


def about_run(results: Results) -> Html:
    """The last section of the report."""
    return element(
        "section",
        element("h2", "What was run"),
        _warnings(results),
        element("h3", "Webs and topics"),
        table(
            ("Web", "Pages", "Topics", "Links not recorded", "Digest", "Conditions"),
            _webs(results),
            (1, 2, 3),
        ),
        _topics(results),
        element("h3", "Strategies"),
        table(("Name", "Specification", "Crawls", "Failed"), _strategies(results), (2, 3)),
        _failures(results),
        element("h3", "Runs"),
        table(("Began", "Took", "Crawls", "Processes", "Command", "Machine"), _runs(results), (1, 2, 3)),
        _codes(results),
        element("details", element("summary", "The experiment as a file"), element("pre", _toml(results))),
    )


def _warnings(results: Results) -> Html:
    told = []
    codes = {each.code for each in results.crawls}
    by_label = {
        label: {each.code for each in results.crawls if each.cell.label == label}
        for label in results.experiment.strategies
    }
    if len(codes) > 1:
        several = [label for label, found in by_label.items() if len(found) > 1]
        told.append(
            f"The crawls come from {len(codes)} versions of the source"
            + (f" ({', '.join(several[:5])} from several)" if several else "")
            + ". To have all from this one: lycosa lab run … --again"
        )
    rest = results.planned - len(results.crawls)
    if rest:
        told.append(f"Not run yet: {rest:,} of {results.planned:,} crawls. Means are over fewer topics.")
    if results.failed:
        told.append(f"{counted(len(results.failed), 'crawl')} failed and are left out of all means.")
    return joined(element("p", words(line), class_="warn") for line in told)


def _webs(results: Results) -> Iterator[tuple[Html | str, ...]]:
    for name, spec in results.experiment.webs.items():
        web = web_of(spec)
        crawls = [each for each in results.crawls if each.cell.web == name and each.values["pages"]]
        missing = float(np.mean([each.values["not recorded"] for each in crawls])) if crawls else 0.0
        topics = f"{len({each.cell.task for each in crawls}):,}"
        told = spec.conditions.in_words()
        yield words(name), f"{len(web):,}", topics, percent(missing), web_digest(web)[:12], words(told)


def _topics(results: Results) -> Html:
    experiment = results.experiment
    sides: Counter[str] = Counter()
    for name in experiment.webs:
        try:
            ids = [task.id for task in tasks_of(experiment, name)]
        except InputError:
            continue
        tuning = set(split(ids, experiment.tuning_share).tuning)
        sides.update("tuning" if each in tuning else "reporting" for each in ids)
    told = [
        f"Topics asked for: {experiment.topics}. By the hash of their ids {sides['reporting']:,} are for reporting "
        f"and {sides['tuning']:,} for tuning."
    ]
    if experiment.tuned_on:
        told.append(
            f"Parameters were tuned on {counted(len(experiment.tuned_on), 'topic')}, none of them reported on: "
            f"{', '.join(experiment.tuned_on)}."
        )
    else:
        told.append("No parameter is said to have been tuned on any topic.")
    told.append(
        "Links not recorded: share of the links on fetched pages that the recording lacks; mean over crawls."
    )
    return joined(element("p", words(line), class_="note") for line in told)


def _strategies(results: Results) -> Iterator[tuple[Html | str, ...]]:
    crawls = Counter(each.cell.label for each in results.crawls)
    failed = Counter(each.cell.label for each in results.failed)
    for label, specification in results.experiment.strategies.items():
        yield (
            words(label),
            words(specification),
            f"{crawls[label]:,}",
            f"{failed[label]:,}" if failed[label] else "",
        )


def _failures(results: Results) -> Html:
    if not results.failed:
        return Html("")
    found: dict[tuple[str, str], list[str]] = {}
    for each in results.failed:
        found.setdefault((each.cell.label, each.problem), []).append(
            f"{each.cell.task} (D = {each.cell.distance})"
        )
    rows = (
        (words(label), words(problem), f"{len(where):,}", words(where[0]))
        for (label, problem), where in sorted(found.items(), key=lambda item: -len(item[1]))[:50]
    )
    return joined(
        element("h3", "Crawls that failed"), table(("Strategy", "Problem", "Crawls", "First"), rows, (2,))
    )


def _runs(results: Results) -> Iterator[tuple[Html | str, ...]]:
    for run in runs_of(results.folder)[-10:]:
        yield (
            run.began,
            "not ended" if run.seconds is None else spoken(run.seconds),
            f"{run.made:,} of {run.crawls:,}",
            f"{run.workers:,}",
            element("code", words(run.command or "from Python")),
            words(f"{run.machine}, lycosa {run.lycosa}"),
        )


def _codes(results: Results) -> Html:
    now = {code_of(specification) for specification in results.experiment.strategies.values()}
    codes = Counter(each.code for each in results.crawls)
    told = ", ".join(
        f"{code} ({counted(number, 'crawl')}{'' if code in now else ', not the present one'})"
        for code, number in codes.most_common()
    )
    experiment = results.experiment.digest()[:16]
    return element("p", f"Source: {told or 'none'}. Experiment: {experiment}.", class_="note")


def _toml(results: Results) -> str:
    return tomli_w.dumps(msgspec.to_builtins(results.experiment))

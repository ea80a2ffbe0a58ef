"""Tables ready for a paper: Markdown, LaTeX (booktabs) and CSV, with means ± standard errors and marks of tests."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path

from lycosa.lab.experiments.measured import BOUNDS, Group
from lycosa.lab.experiments.results import METRIC, Results
from lycosa.lab.measures.metric_names import marks
from lycosa.lab.measures.statistics import Comparison, Estimate
from lycosa.model.records import Record
from lycosa.spec.files import write_whole

SURE, SURER = "*", "**"
"""p < .05 and p < .01, after correction."""

TIMED = ("auc over time", "pages over time")

COLUMNS = (
    "web",
    "distance",
    "frontier",
    "strategy",
    "topics",
    "metric",
    "mean",
    "standard_error",
    "difference",
    "low",
    "high",
    "p_t",
    "p_holm",
    "p_wilcoxon",
    "cohens_d",
    "rank_biserial",
    "wins",
    "ties",
    "losses",
    "pairs_needed",
    "no_test",
)
"""Of the CSV file; the difference is to the baseline, p-values are two-sided."""


class Row(Record, frozen=True, kw_only=True):
    """One strategy in one table."""

    label: str
    values: Mapping[str, Estimate]
    tests: Mapping[str, Comparison]


def metrics_of(results: Results) -> list[str]:
    """What a table shows: AUC, recall at a tenth, about half and the end of the budget, harvest, similarity, cost."""
    budget = results.experiment.pages
    there = marks(budget)
    early = [n for n in there if budget / 12 <= n < budget][:1]
    middle = [n for n in there if budget / 3 <= n < budget and n not in early][-1:]
    deciding = dict.fromkeys(map(results.metric, results.groups))
    areas = dict.fromkeys(
        [METRIC, *deciding, *(TIMED if any(TIMED[0] in c.values for c in results.crawls) else ())]
    )
    shown = [*areas, *(f"recall@{n}" for n in (*early, *middle, budget)), f"harvest@{budget}"]
    if any("similarity" in each.values for each in results.crawls):
        shown.append("similarity")
    return [*shown, "ms"]


def rows_of(results: Results, group: Group, metrics: Sequence[str]) -> list[Row]:
    """Strategies by what decides, best first, then the bounds."""
    deciding = results.means(group)
    values = {metric: results.means(group, metric) for metric in metrics}
    tests = {metric: results.tests(group, metric) for metric in metrics if metric != "ms"}

    def place(label: str) -> tuple[bool, float]:
        return label in BOUNDS, -deciding[label].mean if label in deciding else 0.0

    return [
        Row(
            label=label,
            values={metric: values[metric][label] for metric in metrics if label in values[metric]},
            tests={metric: found[label] for metric, found in tests.items() if label in found},
        )
        for label in sorted(values.get(METRIC, {}), key=place)
    ]


def mark(comparison: Comparison | None) -> str:
    """Stars for a difference to the baseline that is significant, with its direction."""
    if comparison is None or comparison.p is None or comparison.p >= 0.05:
        return ""
    stars = SURER if comparison.p < 0.01 else SURE
    return stars if comparison.difference.mean > 0 else f"−{stars}"


def title_of(metric: str) -> str:
    """A metric as the head of a column."""
    name, _, pages = metric.partition("@")
    told = {"ms": "ms/page"}.get(name, name.replace("auc", "AUC"))
    return f"{told}@{int(pages):,}" if pages else told


def number(value: Estimate) -> str:
    """Mean ± standard error, short."""
    return f"{value.mean:.3f}" if isnan(value.error) else f"{value.mean:.3f} ± {value.error:.3f}"


NOTE = (
    "Means over topics ± standard error. AUC: area under the curve of target recall, in [0, 1]. "
    "* and **: different from {baseline} by a paired t-test, two-sided, p < .05 and p < .01 after Holm's correction "
    "(− marks the worse ones). {few}"
)


def note_of(results: Results) -> str:
    """What the marks of a table mean."""
    lacking = {
        found.t.lacking
        for group in results.groups
        for found in results.tests(group).values()
        if found.t.lacking
    }
    few = f"Where there was no test: {'; '.join(sorted(lacking))}." if lacking else ""
    note = NOTE.format(baseline=results.experiment.against, few=few).strip()
    large = ", ".join(results.unbounded)
    return f"{note} No bounds: {large} is too large for them to be worked out." if large else note


# -- the three formats ---------------------------------------------------------------------------------------


def markdown(results: Results) -> str:
    """All tables as Markdown."""
    metrics = metrics_of(results)
    parts = [f"# {results.experiment.name}"]
    for group in results.groups:
        parts.append(f"## {group}, {results.topics(group)} topics")
        parts.append(_markdown_table(results, group, metrics))
    return "\n\n".join([*parts, note_of(results)]) + "\n"


def _markdown_table(results: Results, group: Group, metrics: Sequence[str]) -> str:
    rows = [("strategy", *map(title_of, metrics)), ("---", *(["---:"] * len(metrics)))]
    best = _best(results, group, metrics)
    for row in rows_of(results, group, metrics):
        cells = [_markdown_cell(row, metric, best.get(metric) == row.label) for metric in metrics]
        rows.append((row.label.replace("|", "\\|"), *cells))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _markdown_cell(row: Row, metric: str, best: bool) -> str:
    if metric not in row.values:
        return ""
    told = number(row.values[metric])
    stars = mark(row.tests.get(metric)).replace("*", "\\*")
    return f"**{told}** {stars}".strip() if best else f"{told} {stars}".strip()


def latex(results: Results) -> str:
    """All tables as LaTeX, for the package booktabs."""
    metrics = metrics_of(results)
    parts = [f"% {results.experiment.name}: needs \\usepackage{{booktabs}}"]
    for group in results.groups:
        parts.append(_latex_table(results, group, metrics))
    return "\n\n".join(parts) + "\n"


def _latex_table(results: Results, group: Group, metrics: Sequence[str]) -> str:
    best = _best(results, group, metrics)
    lines = [
        r"\begin{table}",
        rf"\caption{{{_tex(str(group))}, {results.topics(group)} topics. {_tex(note_of(results))}}}",
        r"\centering",
        rf"\begin{{tabular}}{{l{'r' * len(metrics)}}}",
        r"\toprule",
        " & ".join(["strategy", *(_tex(title_of(metric)) for metric in metrics)]) + r" \\",
        r"\midrule",
    ]
    rows = rows_of(results, group, metrics)
    for place, row in enumerate(rows):
        if row.label in BOUNDS and (not place or rows[place - 1].label not in BOUNDS):
            lines.append(r"\midrule")
        cells = [_latex_cell(row, metric, best.get(metric) == row.label) for metric in metrics]
        lines.append(" & ".join([_tex(row.label), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"])


def _latex_cell(row: Row, metric: str, best: bool) -> str:
    if metric not in row.values:
        return ""
    told = number(row.values[metric]).replace("±", r"\pm")
    told = rf"\mathbf{{{told}}}" if best else told
    stars = mark(row.tests.get(metric)).replace("−", "-")
    return f"${told}^{{{stars}}}$" if stars else f"${told}$"


def _tex(text: str) -> str:
    special = {ord(c): f"\\{c}" for c in "&%$#_{}~^"}
    plain = text.translate(special).replace(r"\~", r"\~{}").replace(r"\^", r"\^{}")
    return plain.replace("±", r"$\pm$").replace("−", "$-$")


def comma_separated(results: Results) -> str:
    """One line a strategy, group and metric, with all tests in numbers."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(_records(results))
    return text.getvalue()


def _records(results: Results) -> Iterator[dict[str, object]]:
    metrics = metrics_of(results)
    for group in results.groups:
        for row in rows_of(results, group, metrics):
            for metric, value in row.values.items():
                yield {
                    "web": group.web,
                    "distance": group.distance,
                    "frontier": group.frontier or "",
                    "strategy": row.label,
                    "topics": value.count,
                    "metric": metric,
                    "mean": value.mean,
                    "standard_error": "" if isnan(value.error) else value.error,
                    **_tested(row.tests.get(metric)),
                }


def _tested(found: Comparison | None) -> dict[str, object]:
    if found is None:
        return {}
    low, high = found.interval or ("", "")
    return {
        "difference": found.difference.mean,
        "low": low,
        "high": high,
        "p_t": found.t.p,
        "p_holm": found.corrected,
        "p_wilcoxon": found.wilcoxon.p,
        "cohens_d": "" if isnan(found.d) else found.d,
        "rank_biserial": found.rank_biserial,
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "pairs_needed": found.pairs_needed,
        "no_test": found.t.lacking,
    }


def _best(results: Results, group: Group, metrics: Iterable[str]) -> dict[str, str]:
    """By metric, the strategy with the highest mean; bounds and cost do not compete."""
    found = {}
    for metric in metrics:
        means = {k: v.mean for k, v in results.means(group, metric).items() if k not in BOUNDS}
        if metric != "ms" and means:
            found[metric] = max(means, key=lambda label: means[label])
    return found


def write_tables(results: Results, folder: Path) -> list[Path]:
    """Write `table.md`, `table.tex` and `table.csv`."""
    made = {"md": markdown, "tex": latex, "csv": comma_separated}
    written = []
    for kind, make in made.items():
        path = folder / f"table.{kind}"
        write_whole(path, make(results).encode())
        written.append(path)
    return written

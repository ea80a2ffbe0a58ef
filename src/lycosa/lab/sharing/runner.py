"""Runs the simulations of an experiment with shared crawls, one after the other, and keeps what they came to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from lycosa.lab.experiments.kept import gone_on_with
from lycosa.lab.measures.statistics import Comparison, Estimate, compare_all, estimate
from lycosa.lab.sharing.design import Sharing
from lycosa.lab.sharing.figures import Figures, figures
from lycosa.lab.sharing.ground import Ground, Ints
from lycosa.lab.sharing.light import ENDLESS, Light, Rates, Shared
from lycosa.lab.sharing.made_grounds import dealt, ground_of, start_pages, unclear
from lycosa.lab.sharing.rules import Rules, hashed, rules
from lycosa.lab.sharing.whole import moves, run_whole
from lycosa.model.records import Record

RESULTS = "sharing.jsonl"
FORMAT = 1
"""Version of the simulation. Raise it whenever the same settings come to other figures."""


class Case(Record, frozen=True, kw_only=True):
    """What one simulation is of, its partition apart."""

    web: str
    nodes: int
    """0: one for each class."""
    budget: float
    """Downloads for each page of the web; 0: all that can be reached."""

    def __str__(self) -> str:
        so_far = f"{self.budget:g} downloads a page" if self.budget else "all that can be reached"
        nodes = f"{self.nodes} nodes" if self.nodes else "a node a class"
        return f"{self.web}, {nodes}, {so_far}"


class Result(Record, frozen=True, kw_only=True):
    """What one partition came to."""

    key: str
    case: Case
    seed: int
    label: str
    figures: Figures


class SharingResults:
    """What all simulations of an experiment came to."""

    def __init__(self, design: Sharing, results: Iterator[Result] | list[Result]) -> None:
        self.design = design
        self.results = list(results)

    @property
    def cases(self) -> list[Case]:
        return list(dict.fromkeys(result.case for result in self.results))

    def of(self, case: Case, label: str) -> list[Result]:
        """By seed."""
        return [each for each in self.results if each.case == case and each.label == label]

    def scores(self, case: Case, metric: str) -> dict[str, dict[str, float]]:
        """By partition the values of a measure by seed; what is not defined is left out."""
        found: dict[str, dict[str, float]] = {label: {} for label in self.design.partitions}
        for each in self.results:
            if each.case == case and metric in each.figures.values:
                found[each.label][f"seed {each.seed}"] = each.figures.values[metric]
        return found

    def means(self, case: Case, metric: str) -> dict[str, Estimate]:
        """By partition the mean of a measure over the seeds."""
        scores = self.scores(case, metric)
        return {label: estimate(list(values.values())) for label, values in scores.items() if values}

    def compared(self, case: Case, metric: str) -> dict[str, Comparison]:
        """All partitions against the baseline, with Holm's correction."""
        scores = self.scores(case, metric)
        baseline = scores.pop(self.design.against)
        others = {label: values for label, values in scores.items() if values.keys() & baseline.keys()}
        return compare_all(baseline, others) if baseline else {}


def run(
    design: Sharing, folder: Path, *, again: bool = False, tell: Callable[[str], None] = lambda line: None
) -> SharingResults:
    """Run what the folder does not hold yet. Raises `InputError` if nothing can be written there."""
    found = gone_on_with(folder / RESULTS, Result, lambda kept: _results(design, kept, tell), again=again)
    return SharingResults(design, found)


def _results(design: Sharing, kept: Mapping[str, Result], tell: Callable[[str], None]) -> Iterator[Result]:
    for web in design.webs:
        for seed in range(design.seeds):
            field: _Field | None = None
            for nodes in design.nodes:
                for budget in design.budgets:
                    case = Case(web=web, nodes=nodes, budget=budget)
                    for label, name in design.partitions.items():
                        key = _key(design, case, seed, name)
                        if key in kept:
                            yield msgspec.structs.replace(kept[key], case=case, label=label)
                            continue
                        tell(f"{case}, seed {seed}: {label}")
                        field = field or _Field(design, ground_of(design.webs[web], web, seed), seed)
                        yield Result(
                            key=key,
                            case=case,
                            seed=seed,
                            label=label,
                            figures=field.figures(case, name),
                        )


class _Field:
    """One web with one seed; whose each page is, by each partition, is found out once."""

    def __init__(self, design: Sharing, ground: Ground, seed: int) -> None:
        self.ground = ground
        self._design, self._seed = design, seed
        self._pages = int(ground.answers.sum())
        self._starts = start_pages(ground, design.start, seed)
        self._rules: dict[tuple[str, int], Rules] = {}
        self._hashes: dict[int, dict[str, Ints]] = {}

    def figures(self, case: Case, name: str) -> Figures:
        """Run one cluster, and measure it."""
        design, nodes = self._design, case.nodes or len(self.ground.names)
        rates = Rates(
            budget=round(case.budget * self._pages) if case.budget else ENDLESS,
            bandwidth=design.bandwidth,
            delivery=design.delivery,
            marks=design.marks,
        )
        return figures(self.ground, self._run(name, nodes, rates), self._seed, self._hashes_of(nodes))

    def _run(self, name: str, nodes: int, rates: Rates) -> Shared:
        if moves(name, self.ground, nodes):
            known = [page for pages in self._starts for page in pages]
            starts = [known, *([[]] * (nodes - 1))]  # every node is given all of them
            return run_whole(self.ground, name, nodes, rates, starts, seed=self._seed)
        rules = self._rules_of(name, nodes)
        return Light(self.ground, rules, rates).run(dealt(rules, self._starts))

    def _rules_of(self, name: str, nodes: int) -> Rules:
        if (name, nodes) not in self._rules:
            self._rules[name, nodes] = rules(name, self.ground, nodes, self._seed, unclear(self._design))
        return self._rules[name, nodes]

    def _hashes_of(self, nodes: int) -> dict[str, Ints]:
        if nodes not in self._hashes:
            kinds = ("host", "content")
            self._hashes[nodes] = {kind: hashed(kind, self.ground, nodes, self._seed) for kind in kinds}
        return self._hashes[nodes]


def _key(design: Sharing, case: Case, seed: int, name: str) -> str:
    """Names a simulation: the same one has the same key, whatever it is called."""
    settings = (design.start, design.unclear, design.marks, design.bandwidth, design.delivery)
    told = msgspec.json.encode([FORMAT, design.webs[case.web], case.nodes, case.budget, seed, name, settings])
    return hashlib.sha256(told).hexdigest()[:32]

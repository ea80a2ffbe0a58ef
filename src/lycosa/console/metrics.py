"""`GET /metrics`: how crawls stand, for Prometheus (text format 0.0.4), named by its conventions.

Labels are few and bounded in number: the crawl, its state, why visits failed, the class of an HTTP status. Hosts and
URLs are no labels. What can become less is a gauge: a page that is gone is no page any more.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from lycosa import __version__
from lycosa.console.desk import Desk, desk_of
from lycosa.crawls.answers import Outlook, Status
from lycosa.model.errors import LycosaError
from lycosa.model.records import Record

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
PATIENCE: Final = 3.0
"""Seconds that may be taken to count; crawls that take longer are told at the next question."""
STATES: Final = ("running", "paused", "done", "interrupted", "failed", "broken")
"""As in `Status`; `broken`: the folder cannot be read."""

Value = float | Mapping[str, float] | None
"""Of a metric; by the values of its label, where it has one more than the crawl; None: not told."""


class Known(NamedTuple):
    """What is known of one crawl."""

    status: Status
    outlook: Outlook | None


class Metric(Record, frozen=True, kw_only=True):
    """One metric of each crawl."""

    name: str
    kind: Literal["counter", "gauge"]
    means: str
    label: str = ""
    """A second label, besides `crawl`."""
    value: Callable[[Known], Value]


def _classes(standing: Known) -> Mapping[str, float]:
    found: Counter[str] = Counter()
    for status, number in standing.status.statuses.items():
        found["none" if status == "0" else f"{status[:1]}xx"] += number
    return found


def _told(value: Callable[[Outlook], float]) -> Callable[[Known], Value]:
    """Of what only a crawl's process knows."""
    return lambda standing: None if standing.outlook is None else value(standing.outlook)


METRICS: Final = (
    Metric(
        name="lycosa_crawl_pages",
        kind="gauge",
        means="Pages that the crawl has.",
        value=lambda one: one.status.pages,
    ),
    Metric(
        name="lycosa_crawl_budget_pages",
        kind="gauge",
        means="The most pages that the crawl may have; not told where there is no limit.",
        value=lambda one: one.status.budget,
    ),
    Metric(
        name="lycosa_crawl_relevant_pages",
        kind="gauge",
        means="Pages that are relevant.",
        value=lambda one: one.status.relevant,
    ),
    Metric(
        name="lycosa_crawl_mean_relevance_ratio",
        kind="gauge",
        means="Mean relevance of the pages, from 0 to 1.",
        value=lambda one: one.status.mean_relevance,
    ),
    Metric(
        name="lycosa_crawl_requests_total",
        kind="counter",
        means="Requests of visits that are over: failures, repeated tries and redirects too, robots.txt apart.",
        value=lambda one: one.status.requests,
    ),
    Metric(
        name="lycosa_crawl_visits_total",
        kind="counter",
        means="Visits by the class of their HTTP status; none: no answer came.",
        label="class",
        value=_classes,
    ),
    Metric(
        name="lycosa_crawl_failed_urls",
        kind="gauge",
        means="URLs of which the last visit failed, by reason.",
        label="reason",
        value=lambda one: one.status.failures_by_reason,
    ),
    Metric(
        name="lycosa_crawl_hosts",
        kind="gauge",
        means="Hosts that were visited.",
        value=lambda one: one.status.hosts,
    ),
    Metric(
        name="lycosa_crawl_waiting_urls",
        kind="gauge",
        means="URLs that wait to be fetched: of a crawl that runs now, else as of the last checkpoint.",
        value=lambda one: one.status.pending if one.outlook is None else one.outlook.waiting,
    ),
    Metric(
        name="lycosa_crawl_refused_urls",
        kind="gauge",
        means="Links that scope, traps or nofollow kept out, as of the last checkpoint.",
        value=lambda one: one.status.refused,
    ),
    Metric(
        name="lycosa_crawl_rendered_pages",
        kind="gauge",
        means="Visits of which a browser made the page, of a crawl that renders pages.",
        value=lambda one: one.status.rendered.get("rendered"),
    ),
    Metric(
        name="lycosa_crawl_requisites",
        kind="gauge",
        means="Styles, images, fonts and scripts of relevant pages that were fetched, of a crawl that fetches them.",
        value=lambda one: one.status.requisites.get("fetched"),
    ),
    Metric(
        name="lycosa_crawl_run_seconds_total",
        kind="counter",
        means="Seconds that the runs of the crawl took together, by its own clock.",
        value=lambda one: one.status.seconds,
    ),
    Metric(
        name="lycosa_crawl_archive_bytes",
        kind="gauge",
        means="Bytes of the WARC files.",
        value=lambda one: one.status.warc_bytes,
    ),
    Metric(
        name="lycosa_crawl_archive_files",
        kind="gauge",
        means="WARC files.",
        value=lambda one: one.status.warc_files,
    ),
    Metric(
        name="lycosa_crawl_last_step_timestamp_seconds",
        kind="gauge",
        means="When the last step of the crawl was, by its own clock.",
        value=lambda one: one.status.last_at / 1000 or None,
    ),
    Metric(
        name="lycosa_crawl_fetches_in_flight",
        kind="gauge",
        means="URLs that are being fetched now, of a crawl that runs; a hundred are counted.",
        value=_told(lambda outlook: len(outlook.fetching)),
    ),
    Metric(
        name="lycosa_crawl_resting_hosts",
        kind="gauge",
        means="Hosts that are left alone now, of a crawl that runs.",
        value=_told(lambda outlook: outlook.hosts_resting),
    ),
    Metric(
        name="lycosa_crawl_waiting_revisits",
        kind="gauge",
        means="URLs that wait to be fetched again, of a crawl that runs.",
        value=_told(lambda outlook: outlook.revisits),
    ),
)
OTHERS: Final = {
    "lycosa_build_info": "The version of lycosa that answers.",
    "lycosa_crawls": "Crawls of this server by state.",
    "lycosa_crawl_state": "1 for the state that the crawl is in, 0 for the others.",
    "lycosa_crawl_info": "The strategy of the crawl.",
    "lycosa_crawl_watchers": "Who follows the crawl at this server now.",
}
"""Gauges that are not made of one crawl's status alone."""


async def metrics(request: Request) -> Response:
    """All crawls, as they stand."""
    text = await asyncio.to_thread(told, desk_of(request))
    return Response(text, media_type=MEDIA_TYPE)


def told(desk: Desk) -> str:
    """What Prometheus is told."""
    standings = desk.standings(PATIENCE)
    found = {name: _standing(desk, name, one) for name, one in standings.items() if one is not None}
    lines = [*_family("lycosa_build_info", "gauge", [({"version": __version__}, 1)])]
    states = {name: one.status.state if one is not None else "broken" for name, one in found.items()}
    counts = Counter(states.values())
    lines += _family("lycosa_crawls", "gauge", [({"state": state}, counts[state]) for state in STATES])
    known = {name: one for name, one in found.items() if one is not None}
    strategies = [({"crawl": name, "strategy": one.status.strategy}, 1.0) for name, one in known.items()]
    lines += _family("lycosa_crawl_info", "gauge", strategies)
    in_states = [
        ({"crawl": name, "state": each}, float(each == state))
        for name, state in states.items()
        for each in STATES
    ]
    lines += _family("lycosa_crawl_state", "gauge", in_states)
    watchers = [({"crawl": name}, float(desk.hub.watchers(name))) for name in found]
    lines += _family("lycosa_crawl_watchers", "gauge", watchers)
    for metric in METRICS:
        lines += _family(metric.name, metric.kind, _samples(metric, known), metric.means)
    return "\n".join(lines) + "\n"


def _standing(desk: Desk, name: str, status: Status | LycosaError) -> Known | None:
    if isinstance(status, LycosaError):
        return None
    if status.process is None:
        return Known(status, None)
    with suppress(LycosaError, OSError), desk.opened(name) as folder:
        return Known(status, folder.outlook())
    return None


def _samples(metric: Metric, known: Mapping[str, Known]) -> Iterator[tuple[Mapping[str, str], float]]:
    for name, standing in known.items():
        match metric.value(standing):
            case None:
                pass
            case int() | float() as value:
                yield {"crawl": name}, value
            case by_label:
                for each, value in sorted(by_label.items()):
                    yield {"crawl": name, metric.label: each}, value


def _family(
    name: str, kind: str, samples: Iterable[tuple[Mapping[str, str], float]], means: str = ""
) -> Iterator[str]:
    yield f"# HELP {name} {means or OTHERS[name]}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{{{written}}} {value:.17g}"


def _escaped(text: str) -> str:
    """A label's value, as the text format has it."""
    plain = text.encode("utf-8", "replace").decode()
    return plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

"""The report of an experiment: one HTML page that needs no other file, no network and no script.

Its first screen answers which crawler to use; what follows shows how that is known.
"""

from __future__ import annotations

from pathlib import Path

from lycosa import __version__
from lycosa.lab.experiments.results import Results
from lycosa.lab.report.about import about_run
from lycosa.lab.report.answer import answer, glance
from lycosa.lab.report.cost import costs, frontiers
from lycosa.lab.report.parts import looks_of
from lycosa.lab.report.setting import setting
from lycosa.lab.report.verdict import widest
from lycosa.report.markup import Html, element, words
from lycosa.report.style import CSS as HOUSE
from lycosa.report.wording import counted, took
from lycosa.spec.files import write_whole

CSS = """
body{max-width:75rem}
.plot{height:17rem}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:0 2.2rem}
.pair>*{min-width:0}
.answer{font-size:1.15rem;line-height:1.45;max-width:46rem}
.dot{display:inline-block;width:.7em;height:.7em;border-radius:50%;background:var(--c);margin-right:.45em}
.heat td.number{background:color-mix(in srgb,var(--one) calc(var(--h)*32%),transparent)}
.heat td.number,.heat th.number{padding-left:.55rem;padding-right:.55rem}
.heat td:first-child,.numbers td:first-child{white-space:nowrap}
.numbers td,.numbers th{padding-right:1.1rem}
details{margin:.8rem 0}
summary{color:var(--soft)}
h2 small{font-weight:400;color:var(--soft);font-size:.85rem}
h3{margin-top:1.6rem}
.warn{border-left:3px solid var(--wrong);padding-left:.8rem}
@media(max-width:34rem){.plot{height:13rem}}
"""


def write_report(results: Results, path: Path) -> None:
    """Write the report; an older one stays in place until the new one is whole. Raises `OSError`."""
    write_whole(path, page_of(results).encode())


def page_of(results: Results) -> str:
    """The whole page as HTML."""
    name, looks = results.experiment.name, looks_of(results)
    head = element(
        "head",
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">'),
        Html(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        ),
        element("title", f"{name} – lycosa lab"),
        element("style", Html(HOUSE + CSS)),
    )
    body = element(
        "body",
        _header(results),
        answer(results, looks),
        glance(results, looks),
        (setting(results, group, looks) for group in widest(results)),
        frontiers(results, looks),
        costs(results, looks),
        about_run(results),
        element(
            "footer",
            f"Measured by lycosa {__version__}. Everything on this page is made from {results.folder}.",
        ),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def _header(results: Results) -> Html:
    experiment, crawls = results.experiment, results.crawls
    pages = sum(each.values["pages"] for each in crawls)
    topics = {(each.cell.web, each.cell.task) for each in crawls}
    rest = results.planned - len(crawls)
    tiles = (
        ("Strategies", f"{len(experiment.strategies):,}", f"baseline {experiment.against}"),
        ("Webs", f"{len(experiment.webs):,}", ", ".join(experiment.webs)),
        ("Topics", f"{len(topics):,}", f"{experiment.topics} topics of each web"),
        (
            "Crawls",
            f"{len(crawls):,}",
            f"{rest:,} not yet run" if rest else f"{counted(experiment.pages, 'page')} each",
        ),
        ("Pages", f"{pages:,.0f}", "fetched in all"),
        ("CPU time", took(sum(each.seconds for each in crawls)), "of all crawls"),
        ("Failed", f"{len(results.failed):,}", "crawls"),
    )
    return element(
        "header",
        element("p", "An experiment in lycosa's laboratory", class_="kicker"),
        element("h1", words(experiment.name)),
        element(
            "dl",
            (
                element("div", element("dt", name), element("dd", value, element("small", words(note))))
                for name, value, note in tiles
            ),
            class_="tiles",
        ),
    )

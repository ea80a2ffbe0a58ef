"""The report as a page: what was crawled, how it went, what was found."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa import __version__
from lycosa.crawl.recall import Estimate
from lycosa.report import refreshing
from lycosa.report.facts import Facts, facts_of, most
from lycosa.report.markup import Html, bar, element, joined, link, table, words
from lycosa.report.plot import Series, curves, ticks
from lycosa.report.style import CSS
from lycosa.report.wording import SPANS, a_page, clean, counted, percent, took, when
from lycosa.spec.webs import web_of

if TYPE_CHECKING:
    from lycosa.crawls.answers import Status
    from lycosa.crawls.interface import Folder


def write_report(folder: Folder, path: Path) -> None:
    """Write the report of a crawl as one HTML page that needs no other file and no network.

    An older report stays in place until the new one is whole. Raises `OSError`.
    """
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(report_of(folder), encoding="utf-8")
    unfinished.replace(path)


def report_of(folder: Folder) -> str:
    """The report of a crawl as one HTML page."""
    return page_of(facts_of(folder), _specification(folder), folder.paths.specification.name)


def page_of(facts: Facts, specification: str, file: str = "crawl.toml") -> str:
    """The whole page as HTML; `specification` is what stands in `file`."""
    status = facts.status
    topic = clean(status.topic) or "a topic given by examples"
    head = element(
        "head",
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">'),
        Html(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        ),
        element("title", f"{topic} – lycosa"),
        element("style", Html(CSS)),
    )
    body = element(
        "body",
        _header(status, topic),
        _tiles(facts),
        _course(facts),
        _freshness(facts),
        _sharing(facts),
        _best(facts),
        _hosts(facts),
        _failures(facts),
        _makeup(facts),
        _appendix(status, specification, file),
        _footer(status),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def _header(status: Status, topic: str) -> Html:
    web = clean(web_of(status.web).in_words)
    ended = clean(status.ended) or status.state
    mark = {"class_": "wrong"} if status.state == "failed" else {}
    return element(
        "header",
        element("p", f"A crawl by lycosa · {clean(status.strategy)} on {web}", class_="kicker"),
        element("h1", words(topic)),
        element("p", element("span", f"{ended[:1].upper()}{ended[1:]}".rstrip(".") + ".", **mark)),
        element("p", when(status), class_="soft"),
        element(
            "p",
            "From ",
            _listed([link(url) for url in status.seeds[:5]]),
            f" and {len(status.seeds) - 5:,} more" if len(status.seeds) > 5 else "",
            class_="soft",
        )
        if status.seeds
        else "",
    )


def _tiles(facts: Facts) -> Html:
    status = facts.status
    return element(
        "dl",
        _tile("Pages", f"{status.pages:,}", "" if status.budget is None else f"of {status.budget:,}"),
        _tile("Requests", f"{status.requests:,}", a_page(status.requests, status.pages)),
        _tile("Harvest rate", percent(status.harvest_rate), f"{status.relevant:,} relevant"),
        _tile("Relevance", f"{status.mean_relevance:.3f}", f"mean; counts from {facts.relevant_from:g}"),
        *(
            _tile("Recall", f"{100 * each.recall:.0f} %", f"{_span(each)}, by {each.by}")
            for each in status.estimates
        ),
        _tile("Hosts", f"{status.hosts:,}"),
        _tile("Failures", f"{status.failures:,}"),
        _tile("Waiting", f"{status.pending:,}", f"{status.refused:,} refused"),
        _tile("Marked", f"{status.marks['good']:,} good", f"{status.marks['bad']:,} bad")
        if status.marks
        else "",
        _tile("Rendered", f"{rendered['rendered']:,}", f"{rendered['paid']:,} brought more")
        if (rendered := status.rendered)
        else "",
        _tile("Requisites", f"{shown['fetched']:,}", f"{shown['missing']:,} not to be had")
        if (shown := status.requisites)
        else "",
        _tile("Time", took(status.seconds), _speed(status)),
        class_="tiles",
    )


def _span(estimate: Estimate) -> str:
    return f"{100 * estimate.low:.0f}–{100 * estimate.high:.0f} %"


def _tile(name: str, value: str, note: str = "") -> Html:
    small = element("small", note) if note else ""
    return element("div", element("dt", name), element("dd", value, small))


def _speed(status: Status) -> str:
    return f"{status.pages / status.seconds:,.1f} pages/s" if status.seconds else ""


def _course(facts: Facts) -> Html:
    course = facts.course
    if not course.harvest:
        return _section("How it went", element("p", "No page was fetched."))
    top = course.highest
    step = ticks(top or 1)[1]
    return _section(
        "How it went",
        curves(
            "Harvest rate",
            [
                Series(name="last 50 pages", points=course.running),
                Series(name="all so far", points=course.harvest, look="s2"),
            ],
            lambda share: f"{100 * share:.0f} %",
            top=1,
            note="Share of pages that are relevant, over the pages in the order of the crawl.",
        ),
        curves(
            "Relevance",
            [
                Series(name="each page", points=course.relevance, dots=True),
                Series(name="mean of the last 50", points=course.mean, look="s2"),
            ],
            lambda value: f"{value:.2g}",
            top=step * -(-top // step) if top else 1,
        ),
        _frontier(facts),
    )


def _frontier(facts: Facts) -> Html:
    if len(facts.waiting) < 2:
        return Html("")
    return curves(
        "Frontier",
        [Series(name="URLs that wait", points=facts.waiting)],
        lambda value: f"{value:,.0f}",
        top=max(waiting for _, waiting in facts.waiting) * 1.05,
    )


def _freshness(facts: Facts) -> Html:
    """How its pages are kept fresh, and how fresh they are; nothing if none was visited again."""
    told = facts.status.refreshing
    if told is None:
        return Html("")
    pairs = {
        "Refresh": refreshing.how(told),
        "Revisits": refreshing.found(told),
        "Due": refreshing.due(facts.status),
        "Freshness": refreshing.estimate(told),
    }
    rows = ((name, words(text)) for name, text in pairs.items() if text)
    told_in_words = element("div", table(("", ""), rows), class_="facts")
    return _section("Freshness", told_in_words, _ages(facts), _changes(facts))


def _ages(facts: Facts) -> Html:
    if len(facts.looked) < 2:
        return Html("")
    longest = facts.looked[-1][0] * 86_400
    size, unit = next(((size, unit) for size, unit in SPANS if longest >= 2 * size), SPANS[-1])
    points = [(days * 86_400 / size, share) for days, share in facts.looked]
    return curves(
        "Looked at",
        [Series(name="share of the pages", points=points)],
        lambda share: f"{100 * share:.0f} %",
        top=1,
        note=f"The share of the pages that were looked at within so many {unit}s.",
        along=unit,
    )


def _changes(facts: Facts) -> Html:
    if len(facts.changed) < 2:
        return Html("")
    return curves(
        "Changes",
        [Series(name="changes found", points=facts.changed)],
        lambda value: f"{value:,.3g}",
        top=max(changes for _, changes in facts.changed) * 1.05,
        note="How many changes revisits found, by the day of the crawl.",
        along="day",
    )


def _sharing(facts: Facts) -> Html:
    if facts.sharing is None:
        return Html("")
    from lycosa.report.sharing import section

    return section(facts.sharing)


def _best(facts: Facts) -> Html:
    if not facts.best:
        return Html("")
    most_relevant = max(row.relevance for row in facts.best) or 1
    rows = (
        (
            joined(
                element("span", f"{row.relevance:.3f}", class_="value"), bar(row.relevance / most_relevant)
            ),
            joined(
                link(row.final_url, row.title or row.final_url),
                element("span", words(row.final_url), class_="url"),
            ),
            f"{clean(getattr(row, 'node', ''))} {row.step:,}".strip(),
        )
        for row in facts.best
    )
    found = table(("Relevance", "Page", "Step"), rows, numbers=(2,))
    return _section("Best pages", element("div", found, class_="best"))


def _hosts(facts: Facts) -> Html:
    if not facts.hosts:
        return Html("")
    largest = max(row.pages for row in facts.hosts) or 1
    rows = (
        (
            words(row.host),
            bar(row.pages / largest),
            f"{row.pages:,}",
            f"{row.failures:,}" if row.failures else "",
            f"{row.relevance:.3f}" if row.pages else "",
        )
        for row in facts.hosts
    )
    found = table(("Host", "", "Pages", "Failures", "Mean relevance"), rows, numbers=(2, 3, 4))
    rest = facts.status.hosts - len(facts.hosts)
    note = element("p", f"and {counted(rest, 'other host')}", class_="note") if rest > 0 else ""
    return _section("Hosts", element("div", found, class_="grow hosts"), note)


def _failures(facts: Facts) -> Html:
    status = facts.status
    if not status.failures:
        return Html("")
    rows = (
        (
            reason,
            f"{count:,}",
            joined(
                element("span", link(each.url), f" – {each.detail}" if each.detail else "", class_="url")
                for each in facts.examples.get(reason, ())
            ),
        )
        for reason, count in sorted(status.failures_by_reason.items(), key=lambda item: (-item[1], item[0]))
    )
    return _section("What failed", table(("Reason", "URLs", "Examples"), rows, numbers=(1,)))


def _makeup(facts: Facts) -> Html:
    depths = {f"{depth} from a start page": count for depth, count in facts.depths.items()}
    return _section(
        "Make-up",
        element(
            "div",
            _counts("Depth, in links", depths.items()),
            _counts("HTTP status", most(facts.status.statuses, 10)),
            _counts("Language", most(facts.languages, 10)),
            class_="columns",
        ),
    )


def _counts(title: str, counts: Iterable[tuple[str, int]]) -> Html:
    told = list(counts)
    if not told:
        return Html("")
    largest = max(count for _, count in told)
    rows = ((words(name), bar(count / largest), f"{count:,}") for name, count in told)
    return element(
        "div", element("h3", title), element("div", table(("", "", ""), rows, numbers=(2,)), class_="grow")
    )


def _appendix(status: Status, specification: str, file: str) -> Html:
    return _section(
        "Specification",
        element("p", f"Everything that decided what this crawl did, as it stands in {file}."),
        element("details", element("summary", file), element("pre", specification)),
        element(
            "p",
            f"The archive holds {counted(status.warc_files, 'WARC file')}, {status.warc_bytes / 1e6:,.1f} MB.",
            class_="note",
        ),
    )


def _footer(status: Status) -> Html:
    reported = f"reported by lycosa {__version__} on Python {platform.python_version()}"
    versions = f"Crawled by lycosa {status.version}, {reported}."
    return element("footer", versions, " Relevance is the crawl's own estimate, not a judgement by people.")


def _section(title: str, *children: Html | str) -> Html:
    return element("section", element("h2", title), *children)


def _listed(items: list[Html]) -> Iterator[str]:
    for place, item in enumerate(items):
        yield item if not place else joined(", ", item)


def _specification(folder: Folder) -> str:
    return folder.paths.specification.read_text(encoding="utf-8")

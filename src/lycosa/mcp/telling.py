"""From what crawls answer to what agents are told: bounded, with text of the web between marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from lycosa.crawl.rights import quoted as in_words
from lycosa.crawls.answers import (
    Explanation,
    Facet,
    Found,
    FoundPage,
    Mark,
    PageRow,
    Search,
    Status,
    Version,
)
from lycosa.crawls.interface import Folder
from lycosa.mcp import answers
from lycosa.mcp.fitting import CAP, fitted
from lycosa.mcp.quoting import ANCHOR, SNIPPET, Quoted, address, plain
from lycosa.model.errors import InputError, LycosaError
from lycosa.model.moments import iso
from lycosa.model.records import Millis
from lycosa.report.advice import advice
from lycosa.report.wording import clean, counted, cut
from lycosa.store.codec import unpack_rights

MOST_PARTS: Final = 10
MOST_STEPS: Final = 20
MOST_CHANGES: Final = 100
MOST_BLOCKED: Final = 100
MOST_START_PAGES: Final = 5
MOST_RULES: Final = 10
REASON: Final = 600
"""Characters."""
RULE: Final = 300
"""Characters of what is said of the use of a page."""
WHOLE: Final = CAP
"""Characters of a text that are asked for where nobody says how many."""
RUNS: Final = ("running", "paused")


def one_line(error: LycosaError) -> str:
    """What an error of ours says, as far as an agent can bear it."""
    return _short(str(error), 1_000)


def in_short(status: Status) -> str:
    """How a crawl stands, in one line."""
    pages = f"{status.pages:,}" if status.budget is None else f"{status.pages:,} of {status.budget:,}"
    return f"{pages} pages, {status.relevant:,} relevant, {counted(status.failures, 'failure')}"


def _short(text: str, most: int = 300) -> str:
    """Our own words, or those of whoever began the crawl."""
    return cut(clean(plain(text[: 4 * most])), most)


def crawl(name: str, status: Status | str) -> answers.Crawl:
    """A crawl in a list; with a text in place of how it stands, that is why it cannot be read."""
    if isinstance(status, str):
        return answers.Crawl(
            name=name, topic="", state="broken", pages=0, relevant=0, last_at="", trouble=_short(status)
        )
    return answers.Crawl(
        name=name,
        topic=_short(status.topic),
        state=status.state,
        pages=status.pages,
        relevant=status.relevant,
        last_at=iso(status.last_at),
    )


def status(name: str, folder: Folder, best: int) -> answers.CrawlStatus:
    """How a crawl stands, with so many of its best pages."""
    now, quoted = folder.status(), Quoted()
    rows = [found(row, quoted) for row in folder.best(best)] if best else []
    failed = _start_pages(folder, now, quoted)

    def answer(number: int) -> answers.CrawlStatus:
        return answers.CrawlStatus(
            name=name,
            state=now.state,
            ended=_short(now.ended),
            topic=_short(now.topic, 1_000),
            pages=now.pages,
            budget=now.budget,
            relevant=now.relevant,
            harvest_rate=round(now.harvest_rate, 4),
            failures=now.failures,
            failures_by_reason=dict(now.failures_by_reason),
            requests=now.requests,
            hosts=now.hosts,
            waiting=now.pending,
            left_out=now.refused,
            seconds=round(now.seconds, 1),
            best=rows[:number],
            start_pages_that_failed=failed,
            advice=[*advice(now), *_what_next(now)],
            note=quoted.note,
        )

    return fitted(len(rows), answer)


def found(row: PageRow, quoted: Quoted) -> answers.Found:
    return answers.Found(
        url=address(row.final_url), title=quoted.line(row.title), relevance=round(row.relevance, 3)
    )


def _start_pages(folder: Folder, status: Status, quoted: Quoted) -> dict[str, str]:
    if status.pages:
        return {}
    seeds = status.seeds[:MOST_START_PAGES]
    return {address(seed): quoted.line(folder.why(seed).reason, REASON) for seed in seeds}


def _what_next(status: Status) -> list[str]:
    if status.state == "interrupted":
        return ["It was interrupted; resume_crawl goes on with it."]
    if status.state == "failed":
        return [
            "It failed; whoever runs this machine must mend what `ended` says, then resume_crawl goes on."
        ]
    return []


def stopped(name: str, state: str, heard: bool) -> answers.Stopped:
    if heard:
        then = "It ends once the visits that are out are home; crawl_status tells."
    else:
        then = f"It does not run ({state}); nobody was asked."
    return answers.Stopped(name=name, heard=heard, state=state, next=then)


def hits(folder: Folder, asked: Search) -> answers.Hits:
    """Answers of the full-text search."""
    found, quoted = folder.find(asked), Quoted()
    some = [_hit(page, quoted) for page in found.hits]
    none = [] if some else _why_no_hit(folder.status(), found)
    facets = {facet.name: _counts(facet) for facet in found.facets}

    def answer(number: int) -> answers.Hits:
        after = asked.start + number
        return answers.Hits(
            hits=some[:number],
            total=found.distinct,
            next_offset=after if after < found.distinct else None,
            hosts=facets.get("host", {}),
            languages=facets.get("language", {}),
            advice=none,
            note=quoted.note,
        )

    return fitted(len(some), answer)


def _hit(page: FoundPage, quoted: Quoted) -> answers.Hit:
    return answers.Hit(
        url=address(page.url),
        title=quoted.line(page.title),
        relevance=round(page.relevance, 3),
        snippet=quoted.line(page.snippet, SNIPPET),
        language=page.language,
        date=iso(page.date),
        copies=page.copies,
    )


def _counts(facet: Facet) -> dict[str, int]:
    return {_short(value.value, 100) or "unknown": value.pages for value in facet.values}


def _why_no_hit(status: Status, found: Found) -> list[str]:
    if found.distinct:
        return [f"There are only {found.distinct:,} answers; ask with a smaller offset."]
    if not status.pages:
        return advice(status)
    if found.without_facets:
        words = counted(found.without_facets, "page")
        return [f"{words} would be found without the hosts, languages and times that were asked for."]
    if instead := [
        f"{_short(word.word, 60)}: {', '.join(word.instead)}" for word in found.words if word.instead
    ]:
        return [f"No page has all these words. Some stand nowhere; like them are {'; '.join(instead)}."]
    told = f"None of the {status.pages:,} pages has all these words."
    told += " Use fewer or other words, OR, or the beginning of a word with a star."
    more = "The crawl goes on: ask again later." if status.state in RUNS else ""
    return [told, *filter(None, [more])]


def text(folder: Folder, url: str, offset: int, most: int, part: answers.Part = "all") -> answers.PageText:
    """Some of a page's text, or of its main text. Raises `InputError` if the crawl has no such page."""
    row = folder.page(url)
    if row is None:
        why = folder.why(url)
        raise InputError(
            f"{_short(url)}: is no page of this crawl ({why.state}); explain tells why, and search_pages finds others"
        )
    whole, quoted = _text_of(folder, row, part), Quoted()
    rights = _rights(map(in_words, unpack_rights(row.rights)), quoted)
    if offset > len(whole):
        raise InputError(f"offset {offset:,}: the text has {len(whole):,} characters")

    def answer(number: int) -> answers.PageText:
        after = offset + number
        return answers.PageText(
            url=address(row.url),
            final_url=address(row.final_url),
            title=quoted.line(row.title),
            text=quoted.block(whole[offset:after]),
            offset=offset,
            next_offset=after if after < len(whole) else None,
            total_chars=len(whole),
            relevance=round(row.relevance, 3),
            language=row.language,
            fetched_at=iso(row.fetched_at),
            rights=rights,
            note=quoted.note,
        )

    return fitted(min(most, len(whole) - offset), answer)


def _text_of(folder: Folder, row: PageRow, part: answers.Part) -> str:
    if part == "all" or not row.text:  # a record that cannot be read has no text
        return row.text
    found = folder.main_text(row.url, row.fetched_at, markdown=part == "markdown")
    return found.markdown if part == "markdown" else found.text


def explained(folder: Folder, url: str) -> answers.Explained:
    """Everything that a crawl can say about a URL. Raises `InputError` for no URL."""
    found, quoted = folder.why(url), Quoted()

    def answer(number: int) -> answers.Explained:
        return answers.Explained(
            url=address(found.url),
            state=found.state,
            reason=quoted.line(found.reason, REASON),
            place=found.place,
            score=_rounded(found.score),
            score_parts=_parts(found.score_parts),
            relevance=_rounded(found.relevance),
            relevance_parts=_parts(found.relevance_parts),
            marked=found.marked,
            path=_path(found, quoted, number),
            linked_from=[address(each) for each in found.linked_from[:number]],
            rights=_rights(found.rights, quoted),
            note=quoted.note,
        )

    return fitted(MOST_STEPS, answer)


def _rights(rules: Iterable[str], quoted: Quoted) -> list[str]:
    return [quoted.line(rule, RULE) for rule in islice(rules, MOST_RULES)]


def _path(found: Explanation, quoted: Quoted, most: int) -> list[answers.Waypoint]:
    """The last steps of the way."""
    steps = found.path[-most:] if most else ()
    return [answers.Waypoint(url=address(at.url), anchor=quoted.line(at.anchor, ANCHOR)) for at in steps]


def _parts(parts: Mapping[str, float]) -> dict[str, float]:
    """The greatest parts. Their names may be words of the page: one word each, and short."""
    greatest = sorted(parts.items(), key=lambda part: -abs(part[1]))[:MOST_PARTS]
    return {_short(name, 60): round(value, 4) for name, value in greatest}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def steered(added: Sequence[str], folder: Folder) -> answers.Steered:
    runs = folder.process is not None
    then = "The crawl heeds it now." if runs else "The crawl heeds it when it goes on (resume_crawl)."
    blocked = [_short(block.host) for block in folder.blocks()][:MOST_BLOCKED]
    return answers.Steered(added=[address(url) for url in added], blocked=blocked, next=then)


def marked(marks: Sequence[Mark], good: bool | None, *, runs: bool) -> answers.Marked:
    then = (
        "The crawl learns from it now."
        if runs
        else "The crawl learns from it when it goes on (resume_crawl)."
    )
    return answers.Marked(marked=[address(mark.url) for mark in marks], good=good, next=then)


def changes(folder: Folder, url: str, since: Millis, offset: int) -> answers.Changes:
    """What happened to pages since a time."""
    looks, quoted = folder.changes(url, since), Quoted()
    some = [_look(look, quoted) for look in looks[offset : offset + MOST_CHANGES]]
    none = [] if some else _why_no_change(folder, url, since, len(looks))

    def answer(number: int) -> answers.Changes:
        after = offset + number
        return answers.Changes(
            changes=some[:number],
            next_offset=after if after < len(looks) else None,
            advice=none,
            note=quoted.note,
        )

    return fitted(len(some), answer)


def _look(look: Version, quoted: Quoted) -> answers.Look:
    return answers.Look(
        url=address(look.url),
        at=iso(look.at),
        sight=look.sight,
        title=quoted.line(look.title, ANCHOR),
        importance=round(look.importance, 3),
        new_links=look.new_links,
    )


def _why_no_change(folder: Folder, url: str, since: Millis, found: int) -> list[str]:
    if found:
        return [f"There are only {found:,} changes; ask with a smaller offset."]
    if url and not folder.versions(url):
        return [f"{_short(url)} is no page of this crawl; explain tells why."]
    now = folder.status()
    if not now.pages:
        return advice(now)
    return [f"Nothing was seen to change since {iso(since)}; the crawl last looked at {iso(now.last_at)}."]

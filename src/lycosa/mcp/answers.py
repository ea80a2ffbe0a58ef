"""What the tools answer. Schemas and descriptions of the protocol are made from these classes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Told(BaseModel):
    """An answer of a tool, or a part of one."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, extra="forbid")


class Begun(Told):
    """A crawl that runs now."""

    name: str
    """By which the other tools call it."""
    pages: int
    """The budget: it ends after so many pages."""
    next: str
    """What to do now."""


class Found(Told):
    """A page in a list."""

    url: str
    title: str
    """Text of the web, between marks."""
    relevance: float
    """In [0, 1]."""


class Pages(Told):
    """The most relevant pages of a crawl, best first."""

    pages: list[Found]
    note: str


class CrawlStatus(Told):
    """How a crawl stands, or how it ended."""

    name: str
    state: str
    """`running`, `paused`, `done`, `interrupted` (resume_crawl goes on), `failed`."""
    ended: str
    """Why it does not run; empty while it runs."""
    topic: str
    pages: int
    budget: int | None
    """The most pages; null: no end."""
    relevant: int
    """Pages that count as relevant."""
    harvest_rate: float
    """relevant / pages."""
    failures: int
    failures_by_reason: dict[str, int]
    requests: int
    hosts: int
    """That were asked."""
    waiting: int
    """Links that wait to be fetched."""
    left_out: int
    """Links that the scope and its limits kept out."""
    seconds: float
    """Of all runs together."""
    best: list[Found]
    """The most relevant pages."""
    start_pages_that_failed: dict[str, str] = {}
    """URL and reason, where no page came in."""
    advice: list[str]
    """Why so little was found, and what to do; empty if all is well."""
    note: str


class Crawl(Told):
    """A crawl in a list."""

    name: str
    topic: str
    state: str
    """As in crawl_status; `broken` if its folder cannot be read."""
    pages: int
    relevant: int
    last_at: str
    """When it took its last step, in UTC."""
    trouble: str = ""
    """Why it cannot be read."""


class Crawls(Told):
    """The crawls that are here."""

    crawls: list[Crawl]
    total: int
    next_offset: int | None
    """Ask with it for the rest; null: that was all."""
    advice: list[str]


class Hit(Found):
    """A page that has the words."""

    snippet: str
    """Text of the web, between marks; the words found stand between « and »."""
    language: str
    date: str
    """When the server says that it changed last, else when it was fetched; in UTC."""
    copies: int
    """Pages besides that say the same, and are left out."""


class Hits(Told):
    """Answers of the full-text search, best first."""

    hits: list[Hit]
    total: int
    """Answers in all."""
    next_offset: int | None
    """Ask with it for more; null: that was all."""
    hosts: dict[str, int]
    """Where the answers are, and how many, copies too: the hosts with the most."""
    languages: dict[str, int]
    advice: list[str]
    """Why nothing was found, and what to do."""
    note: str


Part = Literal["main", "markdown", "all"]


class PageText(Told):
    """A part of a page's text."""

    url: str
    final_url: str
    """Where redirects led."""
    title: str
    """Text of the web, between marks."""
    text: str
    """Text of the web, between marks, as it was asked for: the main text, that as Markdown, or all words."""
    offset: int
    """Where this part begins, in characters."""
    next_offset: int | None
    """Ask with it for the next part; null: the text ends here."""
    total_chars: int
    relevance: float
    language: str
    fetched_at: str
    """In UTC."""
    rights: list[str]
    """What is said of the use of the page, each rule with where it stood: text of the web, between marks. Heed it."""
    note: str


class Waypoint(Told):
    """A page on the way from a start page."""

    url: str
    anchor: str
    """The words of the link by which the next one was found: text of the web, between marks."""


class Explained(Told):
    """What a crawl can say about one URL."""

    url: str
    state: str
    """`visited`, `failed`, `pending`, `refused`, `found`, `alias`, `soft-404`, `parked`, `embedded`, `blocked`,
    `elsewhere` or `unseen`."""
    reason: str
    """What was decided about the URL, and by which rule; it may quote the web, between marks."""
    place: int | None
    """Of a pending URL: how many would be fetched up to it."""
    score: float | None
    score_parts: dict[str, float]
    relevance: float | None
    relevance_parts: dict[str, float]
    marked: bool | None
    """Whether somebody marked it good or bad."""
    path: list[Waypoint]
    """From a start page to the URL itself, which comes last."""
    linked_from: list[str]
    rights: list[str]
    """What is said of the use of the page, each rule with where it stood: text of the web, between marks."""
    note: str


class Marked(Told):
    """What was said of pages."""

    marked: list[str]
    good: bool | None
    next: str


class Stopped(Told):
    """What was asked of a run."""

    name: str
    heard: bool
    """Whether the crawl runs, so that somebody was asked."""
    state: str
    next: str


class Steered(Told):
    """What a crawl was told."""

    added: list[str]
    blocked: list[str]
    """All hosts from which nothing is fetched now."""
    next: str


class Look(Told):
    """One look at a page, and what it found."""

    url: str
    at: str
    """In UTC."""
    sight: str
    """`first`, `same`, `dressing` (other bytes around the same text), `changed`, `gone` or `back`."""
    title: str
    """Text of the web, between marks."""
    importance: float
    """Of a change, in [0, 1]."""
    new_links: int


class Changes(Told):
    """Which pages appeared, changed, went and came back, oldest first."""

    changes: list[Look]
    next_offset: int | None
    """Ask with it for the rest; null: that was all."""
    advice: list[str]
    note: str

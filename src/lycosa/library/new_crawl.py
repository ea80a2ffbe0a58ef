"""A crawl that somebody asks for through a face: by the names of the options of `lycosa crawl`, within limits."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.spec.options import spec_from_options
from lycosa.spec.tree import CrawlSpec, NotNegative, Positive, Profile, Seconds, Texts

LONGEST = 10_000
"""Characters of any one text: nobody writes more by hand."""
MOST = 1_000
"""Texts in a list."""

Text = Annotated[str, msgspec.Meta(max_length=LONGEST)]
Some = Annotated[Texts, msgspec.Meta(max_length=MOST)]


class NewCrawl(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What to crawl. All but the topic and the start pages has the default of `lycosa crawl`.

    Nothing here names a file of this machine, so whoever may ask for a crawl reads nothing but the web.
    """

    topic: Text = ""
    """Words; phrases are separated by commas. May be empty if example pages say what is relevant."""
    like: Some = ()
    """URLs of pages about the topic."""
    urls: Some = ()
    """The start pages."""
    seeds_from: Some = ()
    """Who names more start pages for the topic's words: the URL of a search engine that answers with JSON, in which
    `{topic}` stands for the words, or the name of a crawl of the same library."""
    name: Annotated[str, msgspec.Meta(max_length=60)] = ""
    """Of the folder; empty: made of the topic."""
    strategy: Text = "hunter"
    """`NAME` or `NAME:parameter=value,…`."""
    profile: Profile = ""
    language: Some = ()
    """Only pages in these languages are relevant, by name or ISO 639-1 code."""
    relevant: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """The relevance from which a page counts as relevant."""
    pages: Positive = 1_000
    """The most pages."""
    requests: Positive | None = None
    """The most requests."""
    time: Seconds | None = None
    """The longest that it may take, in seconds."""
    stop_at_recall: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    depth: NotNegative | None = None
    """Links from a start page, at most."""
    same_host: bool = False
    """Stay on the hosts of the start pages."""
    host: Some = ()
    domain: Some = ()
    prefix: Some = ()
    include: Some = ()
    exclude: Some = ()
    sitemap: Some = ()
    sitemaps: bool = False
    delay: Annotated[float, msgspec.Meta(ge=0, le=86_400)] | None = None
    """Seconds between two visits to a host."""
    contact: Text = ""
    """Where site owners reach you: a URL or a mail address."""
    seed: int = 0

    def specification(self, **given: Any) -> CrawlSpec:
        """What it comes to; `given` are options of `lycosa crawl` that hold for all crawls here.

        Raises `InputError` with the same words as the command line.
        """
        if local := [page for page in self.like if not page.lower().startswith(("http://", "https://"))]:
            raise InputError(f"example {local[0]!r}: give a URL that starts with https://")
        options = {name: value for name, value in msgspec.structs.asdict(self).items() if value != ""}
        words = ((self.topic,) if self.topic else ()) + self.urls
        for name in ("topic", "urls", "name"):
            options.pop(name, None)
        flags = {name: options.pop(name) or None for name in ("same_host", "sitemaps")}
        return spec_from_options(words=words, **{**options, **flags, **given})


class Limits(Record, frozen=True, kw_only=True):
    """What whoever asks cannot go beyond. None: no limit."""

    pages: int | None = None
    """Of one crawl."""
    seconds: float | None = None
    """Of one run."""
    crawls: int | None = None
    """That run at once."""

    def kept_by(self, new: NewCrawl) -> NewCrawl:
        """The same crawl within the limits: what it does not say is as much as there may be. Raises `InputError` for
        what it asks beyond them."""
        if self.pages is not None and new.pages > self.pages:
            raise InputError(f"pages: {new.pages:,} are more than the {self.pages:,} that are allowed here")
        if self.seconds is not None and (new.time or 0) > self.seconds:
            raise InputError(
                f"time: {new.time:g} s are more than the {self.seconds:g} s that are allowed here"
            )
        return msgspec.structs.replace(new, time=new.time or self.seconds)

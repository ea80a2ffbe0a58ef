"""A crawl that somebody asks for through a face: by the names of the options of `lycosa crawl`, within limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Host, canonical, host_of, name_of
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
    max_hosts: Positive | None = None
    """Hosts that may be asked, at most."""
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
    hosts: int | None = None
    """That one crawl may ask."""
    domains: tuple[str, ...] = ()
    """Crawls stay on these domains and the hosts below them; empty: anywhere."""
    polite: bool = False
    """Crawls that ignore robots.txt, reach private addresses, do not verify TLS or log in, as a person may have begun
    them, are not gone on with. New ones never do."""

    def kept_by(self, new: NewCrawl) -> NewCrawl:
        """The same crawl within the limits: what it does not say is as much as there may be. Raises `InputError` for
        what it asks beyond them."""
        _refuse_beyond("pages", new.pages, self.pages)
        _refuse_beyond("time", new.time, self.seconds, " s")
        _refuse_beyond("max_hosts", new.max_hosts, self.hosts)
        self.refuse_outside(
            (*new.urls, *new.like, *new.sitemap), [*new.host, *new.domain, *map(_domain_of_surt, new.prefix)]
        )
        within = bool(new.host or new.domain or new.prefix or new.same_host)
        return msgspec.structs.replace(
            new,
            time=new.time or self.seconds,
            max_hosts=new.max_hosts or self.hosts,
            domain=new.domain if within else (*new.domain, *self.domains),
        )

    def refuse_outside(self, urls: Sequence[str], places: Sequence[str] = ()) -> None:
        """Raises `InputError` for what lies outside the domains: `places` are names of hosts and domains."""
        if not self.domains:
            return
        named = [host_of(canonical(url)) for url in urls]
        for place in [name_of(Host(name.lower())) for name in (*named, *places)]:
            if not self._is_within(place):
                raise InputError(
                    f"{place}: is outside what is allowed here: {', '.join(self.domains)} and the hosts below"
                )

    def refuse(self, spec: CrawlSpec, name: str, budget: int | None) -> None:
        """Whether a crawl that is there may go on to a budget of pages (None: no end). Raises `InputError`."""
        if self.pages is not None and budget is None:
            raise InputError(
                f"{name}: has no end, and {self.pages:,} pages are the most that are allowed here"
            )
        _refuse_beyond("pages", budget, self.pages)
        fetch = spec.fetch
        free = spec.politeness.robots != "obey" or fetch.allow_private or not fetch.verify_tls
        if self.polite and (free or fetch.logs_in):
            raise InputError(
                f"{name}: was begun with fewer rules than are allowed here; whoever began it may go on"
            )
        hosts = spec.scope.most_hosts
        if self.hosts is not None and (hosts is None or hosts > self.hosts):
            raise InputError(f"{name}: may ask more than the {self.hosts} hosts that are allowed here")
        scope, own = spec.scope, {domain.lower().strip(".") for domain in spec.scope.domains}
        places = {*map(name_of, map(Host, scope.hosts)), *own, *map(_domain_of_surt, scope.prefixes)}
        if self.domains and not (places and all(map(self._is_within, places))):
            raise InputError(
                f"{name}: may go beyond {', '.join(self.domains)}, which are all that is allowed here"
            )

    def _is_within(self, place: str) -> bool:
        return any(f".{place}".endswith(f".{domain}") for domain in self.domains)


def _refuse_beyond(what: str, asked: float | None, most: float | None, unit: str = "") -> None:
    if most is not None and asked is not None and asked > most:
        raise InputError(
            f"{what}: {_number(asked)}{unit} are more than the {_number(most)}{unit} that are allowed here"
        )


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _domain_of_surt(prefix: str) -> str:
    """The domain in which all places of a SURT prefix lie: `org,example,www)/docs` gives `www.example.org`. Of one that
    ends within a name, as `org,exam` does, what is surely whole."""
    host, closed, _ = prefix.lower().partition(")")
    names = host.partition(":")[0].split(",")
    whole = names if closed else names[:-1]
    return ".".join(reversed(whole))

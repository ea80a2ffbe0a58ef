"""The full specification of a crawl, as one frozen tree that a TOML file or the command line's options fill in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec

from lycosa.crawl.order import Kind
from lycosa.crawl.rendering import When
from lycosa.frontier.protocol import Tie
from lycosa.model.bounds import Share
from lycosa.spec.webs import LIVE

FORMAT = 1
"""Version of the tree. A folder that was written with a higher one is refused, not misread."""

Texts = tuple[str, ...]
Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[int, msgspec.Meta(ge=0)]
Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
"""Up to thirty years: finite, so that it can be counted in milliseconds."""


RecallBy = Literal["", "held-out", "captures"]


class Option(msgspec.Struct, frozen=True):
    """How a field is written on the command line, as the metadata of its type.

    A list may be written several times, a truth is a flag, the values of a `Literal` are the choices. Bounds and
    defaults are those of the field.
    """

    written: str
    """Its names and, unless it is a flag or a choice, what stands for its value: `-o, --out DIR`. That word also says
    how the value is read: `TIME` is a duration, `SIZE` may be `10M`, `FILE` and `DIR` are paths."""
    help: str
    """What it does, as a sentence."""
    default: str = ""
    """What holds without it, where the field's value does not tell that. Truths, empty texts and lists tell nothing."""
    sets: str | bool = True
    """What the field becomes by a flag."""
    variable: str = ""
    """The environment variable that is read where the option is not written."""

    @property
    def name(self) -> str:
        """By which a command is given its value: `max_time` for `--max-time`."""
        found = re.search(r"--([\w-]+)", self.written)
        assert found, self.written
        return found[1].replace("-", "_")


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen part of a specification; a key that it does not know is an error, not a surprise."""


WN = "wn:"
"""Begins the name of a lexicon of the package wn."""


class KnowledgeSpec(Part, frozen=True, kw_only=True):
    """What is known of words before the first page is read. All of it is read once, when the crawl begins."""

    word_frequencies: Annotated[
        str,
        Option(
            "--word-frequencies LANGUAGE",
            "Know how common words are in a language, such as en (needs lycosa[words]).",
        ),
    ] = ""
    """Know how common words are in this language, by ISO 639-1 code or by name."""
    thesaurus: Annotated[
        str,
        Option(
            "--thesaurus FILE",
            "Look for synonyms too: a file of lines WORD: SYNONYM, SYNONYM, or wn:LEXICON (needs lycosa[wordnet]).",
        ),
    ] = ""
    """Synonyms of the keywords: a file of lines `WORD: SYNONYM, SYNONYM`, or `wn:LEXICON` of the package wn."""
    vectors: Annotated[
        str,
        Option(
            "--vectors FILE",
            "Look for words with like vectors too: word2vec or GloVe as text, or NAME.npy beside NAME.txt.",
        ),
    ] = ""
    """Word vectors: text of lines `WORD NUMBER NUMBER …` (word2vec, GloVe), or `NAME.npy` beside `NAME.txt`, which has
    the words, a line each."""

    def found(self, place: Callable[[str], str]) -> KnowledgeSpec:
        """The same with files where `place` finds them."""
        files = {name: getattr(self, name) for name in ("thesaurus", "vectors")}
        there = {name: place(file) for name, file in files.items() if file and not file.startswith(WN)}
        return msgspec.structs.replace(self, **there)


class TopicSpec(Part, frozen=True, kw_only=True):
    """What the crawl is about."""

    keywords: Texts = ()
    description: str = ""
    """A text about the topic. It counts like a page about it."""
    examples: Annotated[Texts, Option("--like URL|FILE", "Give a page about the topic.")] = ()
    hold_out: Annotated[
        float,
        msgspec.Meta(ge=0, lt=1),
        Option(
            "--hold-out SHARE",
            "Hide this share of the example URLs from the crawl: how many it finds tells its recall.",
        ),
    ] = 0.0
    """Hide this share of the example pages given by URL from the crawl, those of the taxonomy's good categories too:
    how many of them it finds tells its recall. Start pages are never hidden."""
    languages: Annotated[
        Texts,
        Option(
            "--language NAME", "Count only pages in this language as relevant: en or English.", default="any"
        ),
    ] = ()
    """By ISO 639-1 code or by name; a page in another known language has relevance 0. Empty: any."""
    taxonomy: Annotated[
        str,
        Option("--taxonomy FILE|DIR", "Judge pages by categories with example pages: JSON, TOML or folders."),
    ] = ""
    """A JSON or TOML file, or a folder of folders of example pages."""
    good: Annotated[Texts, Option("--good PATH", "Look for this category of the taxonomy.")] = ()
    """The categories of the taxonomy to look for, as paths such as `Sports/Cycling`."""
    ontology: Annotated[
        str, Option("--ontology FILE", "Judge pages by concepts and their relations: OWL, RDF or SKOS.")
    ] = ""
    focus: Annotated[Texts, Option("--focus CONCEPT", "Look for this concept of the ontology.")] = ()
    """The concepts of the ontology to look for, by name or label."""
    model: Annotated[
        str,
        Option(
            "--model FILE",
            "Judge pages by a trained model: of lycosa topic train, or a pickled scikit-learn pipeline.",
        ),
    ] = ""
    trust_model: Annotated[
        bool, Option("--trust-model", "Load a pickled model, which runs the code in it.")
    ] = False
    predicate: Annotated[
        str,
        Option(
            "--predicate EXPR",
            "Judge pages by an expression that is true of relevant ones: word(…) and not url(…).",
        ),
    ] = ""
    function: Annotated[
        str, Option("--function MODULE:NAME", "Judge pages by a Python function from page to relevance.")
    ] = ""
    on_fault: Annotated[
        Literal["go-on", "halt"],
        Option("--on-fault", "Go on or halt when a model, a predicate or a function fails on a page."),
    ] = "go-on"
    """What to do when a predicate, a pickled model or a function fails on a page: `go-on` keeps the page, with
    relevance 0, `halt` stops the crawl."""
    like_start_pages: Annotated[
        bool, Option("--like-start-pages", "Take the start pages as pages about the topic.")
    ] = False
    """Take the start pages, as one text, for a text about the topic."""
    weighting: Annotated[
        Literal["tf", "tf-idf"],
        Option("--weighting", "Count all words alike (tf), or words that many pages have less (tf-idf)."),
    ] = "tf"
    """How words of keywords, description and start pages count: `tf` all alike, `tf-idf` less if more pages of the
    crawl so far have them."""
    knowledge: KnowledgeSpec = KnowledgeSpec()
    back_links: Annotated[
        Texts,
        Option(
            "--back-links DIR|FILE",
            "Learn which pages lead to the topic, from an earlier crawl, a recorded web, or a file of lines "
            "URL BACK-LINK.",
        ),
    ] = ()
    learn_from: Annotated[
        Texts, Option("--learn-from DIR", "Learn from an earlier crawl or a recorded web.")
    ] = ()
    logs: Annotated[Texts, Option("--log FILE", "Learn from a log of a web server or a proxy.")] = ()
    ranking: Annotated[
        str, Option("--ranking FILE", "Rank links as a file says that lycosa evolve wrote.")
    ] = ""
    database: Annotated[
        str,
        Option("--database FILE", "Begin with pages that earlier crawls found: a file of lycosa database."),
    ] = ""

    @property
    def says_something(self) -> bool:
        """Whether there is something to judge pages by."""
        words = self.keywords or self.description or self.examples or self.like_start_pages
        return bool(words or self.taxonomy or self.ontology or self.model or self.predicate or self.function)


class ScopeSpec(Part, frozen=True, kw_only=True):
    """Where the crawl may go. A URL must fit one of hosts, domains and prefixes, where any is given."""

    hosts: Annotated[Texts, Option("--host HOST", "Stay on this host.")] = ()
    domains: Annotated[Texts, Option("--domain DOMAIN", "Stay on this domain and the hosts below it.")] = ()
    prefixes: Annotated[
        Texts, Option("--prefix SURT", "Stay below this place, written like org,example)/docs.")
    ] = ()
    include: Annotated[
        Texts, Option("--include REGEX", "Fetch only URLs that match this. Repeatable: one match is enough.")
    ] = ()
    """Regular expressions: a URL must match at least one of them, anywhere in it."""
    exclude: Annotated[Texts, Option("--exclude REGEX", "Leave out URLs that match this.")] = ()
    """Regular expressions: a URL may match none of them, anywhere in it."""
    depth: Annotated[NotNegative | None, Option("--depth N", "Follow so many links from a start page.")] = (
        None
    )
    most_hosts: Annotated[
        Positive | None,
        Option("--max-hosts N", "Fetch from so many hosts, and leave out links to further ones."),
    ] = None
    """The most hosts that are asked for pages, in the order in which they are asked first. Names count, so
    `example.org` and `www.example.org` are two. None: no limit."""
    ports: Annotated[
        tuple[Port, ...],
        Option(
            "--port N", "Follow links to this port too, besides 80, 443 and those of the start pages; 0: any."
        ),
    ] = ()
    """Ports of the live web besides 80, 443 and those that start pages, sitemaps and places name; 0: any."""


Profile = Literal["", "s2"]
"""Names of sets of values for a whole crawl; see `lycosa.spec.profiles.base_spec`."""


class TopicFile(TopicSpec, frozen=True, kw_only=True):
    """What `--topic-file` may hold: a topic and, in `[scope]`, where to look for it."""

    seeds: Texts = ()
    scope: ScopeSpec = ScopeSpec()
    profile: Profile = ""


class FrontierSpec(Part, frozen=True, kw_only=True):
    capacity: Annotated[
        Positive | None, Option("--max-frontier N", "Let so many URLs wait, and drop the worst beyond.")
    ] = None
    """The most URLs that may wait; beyond that the worst are dropped. None: no limit."""
    order: Annotated[
        Kind,
        Option(
            "--order",
            "Choose what is fetched while better links wait for their hosts: nothing (strict), links near the best and "
            "those that keep the pace (paced), or any (eager).",
        ),
    ] = "paced"
    """What is fetched while better links wait for their hosts; see `lycosa.crawl.order.Order`."""
    patience: Annotated[
        float,
        msgspec.Meta(gt=0, le=1e6),
        Option(
            "--patience FACTOR",
            "Let a paced crawl take so many times as long as if all its pages were one host's.",
        ),
    ] = 2.0
    """Of `paced`: the crawl may take so many times as long as if all its pages came from one host."""
    tie: Annotated[
        Tie, Option("--tie", "Fetch the first, the last or any of the URLs with equal scores.")
    ] = "fifo"


class PolitenessSpec(Part, frozen=True, kw_only=True):
    """Times in seconds; see `lycosa.crawl.pace.PaceRules` for what each one does."""

    delay: Annotated[
        Seconds, Option("--delay TIME", "Wait so long between two visits to a host: 2, 500ms.")
    ] = 1.0
    slowness: Annotated[float, msgspec.Meta(ge=0, le=1e6)] = 1.0
    backoff: Seconds = 5.0
    max_backoff: Seconds = 900.0
    max_crawl_delay: Seconds = 300.0
    attempts: Positive = 3
    give_up: Positive = 7
    robots: Annotated[
        Literal["obey", "ignore"],
        Option("--ignore-robots", "Fetch what robots.txt forbids: on your own sites only.", sets="ignore"),
    ] = "obey"
    nofollow: Literal["obey", "ignore"] = "obey"
    purpose: Annotated[
        Literal["", "archive", "search", "research", "ai-input", "ai-train"],
        Option(
            "--purpose",
            "Refuse pages whose owners reserve this use of them.",
        ),
    ] = ""
    """What the pages are for. Empty: what is said of their use is recorded, and refuses nothing."""


class FetchSpec(Part, frozen=True, kw_only=True):
    """How pages are fetched from the live web. Times in seconds, sizes in bytes."""

    agent: Annotated[
        str, Option("--agent TEXT", "Send this User-Agent.", default="lycosa, its version and the contact")
    ] = ""
    """The User-Agent to send. Empty: lycosa, its version and the contact."""
    contact: Annotated[
        str,
        Option(
            "--contact TEXT",
            "Tell site owners your URL or e-mail address.",
            default="LYCOSA_CONTACT, if set",
            variable="LYCOSA_CONTACT",
        ),
    ] = ""
    """A URL or e-mail address at which a site's owner can reach you; part of the User-Agent."""
    width: Annotated[Positive, Option("--width N", "Make so many visits at a time.")] = 32
    connect_timeout: Annotated[
        Seconds, Option("--connect-timeout TIME", "Give connecting up after so long.")
    ] = 10.0
    first_byte_timeout: Seconds = 20.0
    total_timeout: Annotated[Seconds, Option("--max-time TIME", "Give a request up after so long.")] = 60.0
    max_bytes: Annotated[
        Positive, Option("--max-filesize SIZE", "Cut pages off at this size.", default="10M")
    ] = 10 * 1024 * 1024
    max_links: NotNegative = 3_000
    """Distinct targets of a page; the links behind are left out, and `lycosa why` tells how many. 0: all count."""
    connect_to: Annotated[
        Texts,
        Option(
            "--connect-to HOST:PORT:ADDR:PORT",
            "Connect elsewhere, as curl does: * or nothing matches any host or port.",
        ),
    ] = ()
    proxy: Annotated[str, Option("--proxy URL", "Send all requests through this HTTP proxy.")] = ""
    allow_private: Annotated[
        bool, Option("--allow-private", "Connect to private and loopback addresses as well.")
    ] = False
    verify_tls: Annotated[bool, Option("-k, --insecure", "Do not verify TLS certificates.", sets=False)] = (
        True
    )
    cookies: Annotated[bool, Option("--cookies", "Keep cookies and send them back.")] = False
    referer: Annotated[
        bool,
        Option("--referer/--no-referer", "Tell each server which page led to it, or not.", default="tell"),
    ] = True
    """Send a Referer, as browsers do: across hosts only the origin, from https to http nothing."""
    sign_key: Annotated[
        str,
        Option("--sign-key FILE", "Sign each request with this key, of lycosa key new (needs lycosa[sign])."),
    ] = ""
    """A file with an Ed25519 key, PEM or JWK, that signs each request (Web Bot Auth). The crawl keeps its path only."""
    sign_agent: Annotated[
        str, Option("--sign-agent URL", "Sign in the name of this site, which shows your public key.")
    ] = ""
    """The origin of the site that shows the public key, such as `https://crawler.example.org`."""
    logins: Annotated[
        str,
        Option("--logins FILE", "Log in with the passwords and headers in this TOML file, each at its URL."),
    ] = ""
    """A TOML file of passwords and headers by URL. The crawl keeps its path only."""
    netrc_file: Annotated[
        str, Option("--netrc-file FILE", "Log in, over https, with the passwords in this netrc file.")
    ] = ""
    """A netrc file. The crawl keeps its path only."""
    load_cookies: Annotated[
        str, Option("--load-cookies FILE", "Send the cookies in this file, in Netscape's format.")
    ] = ""
    """A file of cookies. The crawl keeps its path only."""

    @property
    def logs_in(self) -> bool:
        return bool(self.logins or self.netrc_file or self.load_cookies)


class TrapSpec(Part, frozen=True, kw_only=True):
    """Bounds against endless sites; see `lycosa.crawl.traps.TrapLimits`. None: that defence's own default, 0: none."""

    off: bool = False
    max_url_length: NotNegative | None = None
    max_repeats: NotNegative | None = None
    """Refuse a URL whose path has so many equal segments."""
    max_pages_per_host: NotNegative | None = None
    aliases: bool = True
    """Learn which names are of one page, and fetch it once; see `lycosa.crawl.aliases`."""


class StopSpec(Part, frozen=True, kw_only=True):
    """When to end before the budget is used up; see `lycosa.crawl.stopping.StopRules`. A rule of 0 is off."""

    harvest: Share = 0.0
    """End when the share of relevant pages among the last `window` pages falls below this; first it must have risen."""
    window: Positive = 100
    """Pages over which the harvest rate is taken."""
    recall: Annotated[
        Share,
        Option(
            "--stop-at-recall SHARE",
            "Stop when this share of all relevant pages is found, by estimate: 80%.",
            default="off",
        ),
    ] = 0.0
    """End when this share of all relevant pages is found, by estimate."""
    recall_by: Annotated[
        RecallBy,
        Option(
            "--recall-by",
            "Estimate that by examples held out, or by capture–recapture.",
            default="held-out, if any",
        ),
    ] = ""
    """Which estimate counts: that by held-out examples, or by capture–recapture. Empty: by held-out examples if there
    are any."""
    surely: Annotated[
        bool,
        Option(
            "--surely/--not-surely",
            "Go by the lower end of the estimate's interval, or by the estimate.",
            default="not surely",
        ),
    ] = False
    """Go by the lower end of the estimate's 95 % interval."""
    bytes: Annotated[
        NotNegative, Option("--bytes SIZE", "Stop when the archived pages take so much space: 500M, 1.5G.")
    ] = 0
    """End when the archived pages take so many bytes, compressed."""
    after: Annotated[
        NotNegative,
        Option(
            "--stop-after N", "Fetch so many pages before a rule of harvest or recall may stop the crawl."
        ),
    ] = 100


class JudgeSpec(Part, frozen=True, kw_only=True):
    """A language model that is asked about a few pages while the crawl runs; its answers count as a person's marks."""

    model: Annotated[
        str,
        Option(
            "--judge openai:URL#MODEL",
            "Ask this model about a few pages: openai:http://localhost:11434/v1#qwen3. Its key: LYCOSA_JUDGE_KEY.",
        ),
    ] = ""
    """`openai:URL#MODEL`: the base URL of an endpoint that speaks as OpenAI's does, up to `/v1`, and the model's name
    there. The key is read from the environment, `LYCOSA_JUDGE_KEY`, and never written."""
    calls: Annotated[NotNegative, Option("--judge-calls N", "Ask the model so often at most.")] = 50
    """The most calls in all. What the endpoint refuses is not counted."""
    tokens: Annotated[
        NotNegative,
        Option("--judge-tokens N", "Ask no more once its answers took so many tokens.", default="no limit"),
    ] = 0
    """Begin no call once questions and answers took so many tokens; the last call may go beyond. 0: no limit."""
    timeout: Seconds = 60.0
    """The longest that one call may take."""


class DeadSpec(Part, frozen=True, kw_only=True):
    """What is made of links that lead to nothing."""

    soft_errors: bool = True
    """Take a page that says that it is none for a failure; see `lycosa.crawl.soft_errors`."""
    link_rot: Annotated[
        bool, Option("--link-rot", "Let links wait behind others if links like them led to no page.")
    ] = False
    """Let links wait behind others whose siblings led to no page; see `lycosa.crawl.link_rot`."""


class RevisitSpec(Part, frozen=True, kw_only=True):
    """Whether and when pages are visited again."""

    policy: Annotated[
        str,
        Option(
            "--refresh POLICY[:K=V,…]",
            "Visit pages again meanwhile, by this policy: lycosa policies lists them.",
            default="off",
        ),
    ] = ""
    """The policy, `NAME` or `NAME:parameter=value,…`; empty: no page is visited again."""
    every: Annotated[
        Annotated[float, msgspec.Meta(gt=0, le=1e9)],
        Option(
            "--every TIME", "Make as many revisits in this time as there are pages: 1d, 2w.", default="1w"
        ),
    ] = 604_800.0
    """Seconds. The policy shares these revisits among the pages. A `rate` takes its place."""
    rate: Annotated[
        Annotated[float, msgspec.Meta(gt=0, le=1e12)] | None,
        Option("--rate N/TIME", "Send at most so many requests, new pages included: 500/day, 20/h."),
    ] = None
    """Requests a day, new pages and revisits together; None: revisits by `every`, new pages as politeness allows."""
    share: Annotated[
        Share,
        Option("--share SHARE", "Keep this share of the requests for new pages while some wait."),
    ] = 0.3
    """Of the requests, for new pages, while both kinds wait; the rest is for revisits."""
    queries: Annotated[
        str,
        Option(
            "--queries FILE",
            "Know what people search the crawl for: a query a line, or COUNT<TAB>QUERY. The policy user-centric asks.",
        ),
    ] = ""
    """A log of queries, for policies that go by what people notice. It is read once, and kept in `inputs/`."""
    grows: bool = False
    """Go on finding new pages though there are as many as the budget says."""
    once: int = 0
    """Visit each page once again, as soon as may be, instead of by a policy: when that was asked for, in milliseconds.
    0: it was not."""

    @property
    def is_on(self) -> bool:
        return bool(self.policy or self.once)


class ClusterSpec(Part, frozen=True, kw_only=True):
    """How several crawlers share the crawl, and how many of them there are."""

    nodes: Annotated[
        Positive,
        Option("--nodes N", "Share the crawl among so many crawlers, on this machine or a Ray cluster."),
    ] = 1
    partition: Annotated[
        str,
        Option(
            "--partition KIND[:K=V,…]",
            "Choose who sees to what: lycosa partitions lists the ways.",
            default="",
        ),
    ] = "host"
    classes: Annotated[
        str, Option("--classes FILE", "Tell topics apart by these classes, as lycosa classes made them.")
    ] = ""
    """Trained classes, for partitions by topic."""
    batch_links: Positive = 1_000
    """Links for another node are sent when there are so many of them."""
    batch_seconds: Seconds = 5.0
    """… or when the oldest has waited so long."""
    back_links: NotNegative = 0
    """After so many pages each, nodes tell one another how often pages of the others are linked to. 0: never."""


class RenderSpec(Part, frozen=True, kw_only=True):
    """Whether pages are made in a browser, as scripts have them; see `lycosa.crawl.rendering`."""

    when: Annotated[
        When,
        Option(
            "--render",
            "Run the scripts of pages, in Chromium: never, where it pays (auto), or always.",
        ),
    ] = "never"
    """`auto` renders pages that have hardly any text without scripts, and others as far as it pays at their hosts."""
    per_host: Annotated[
        NotNegative, Option("--render-per-host N", "Render so many pages of a host at most; 0: no limit.")
    ] = 500
    pages: Annotated[
        NotNegative, Option("--render-pages N", "Render so many pages in all.", default="no limit")
    ] = 0
    """0: no limit."""
    rounds: Annotated[
        NotNegative,
        Option("--scroll N", "Scroll rendered pages to the end and press what loads more, so many times."),
    ] = 0
    side_by_side: Positive = 2
    """Pages that are in the browser at a time."""
    seconds: Seconds = 10.0
    """What a page may take while it waits for no answer; then it is taken as it is."""
    patience: Seconds = 120.0
    """What a page may take in all: what it asks for waits for the turns of hosts."""


class RequisiteSpec(Part, frozen=True, kw_only=True):
    """What pages show and load beside their text: styles, images, fonts, scripts."""

    fetched: Annotated[
        bool,
        Option("--requisites", "Fetch styles, images, fonts and scripts of relevant pages into the archive."),
    ] = False
    """Of relevant pages, so that they can be looked at in the archive as they were."""
    within: Annotated[
        Literal["any", "scope"],
        Option("--requisites-from", "Ask any host for them, or only where the crawl may go (scope)."),
    ] = "any"
    """What a rendered page asks for is asked by the same rule. What the scope excludes is never asked for."""
    per_page: NotNegative = 200
    """Of one page at most; 0: no limit."""


class ArchiveSpec(Part, frozen=True, kw_only=True):
    max_file_bytes: Positive = 1_000_000_000
    revisit_records: bool = True
    """Keep identical pages once, and refer to the first afterwards."""
    dedup_against: Annotated[
        Texts,
        Option(
            "--dedup-against DIR",
            "Do not store again what this crawl, folder of WARC files or WACZ file has, but refer to it.",
        ),
    ] = ()
    """Other archives whose payloads are not stored again: crawl folders, folders of WARC files, WACZ files. The archive
    then depends on them."""


class ArchivesSpec(Part, frozen=True, kw_only=True):
    """How archives elsewhere are asked, where the web names some."""

    cache: Annotated[
        str,
        Option(
            "--web-cache DIR",
            "Keep here what archives answer, so that no crawl asks it again.",
            default="off",
        ),
    ] = ""
    """A folder that several crawls may use at once; it is a recorded web, too."""
    cache_bytes: Positive = 50_000_000_000
    """Once it has so many bytes, nothing more is kept."""


class CrawlSpec(Part, frozen=True, kw_only=True):
    """Everything that decides what a crawl does. `crawl.toml` in its folder is this tree."""

    topic: TopicSpec = TopicSpec()
    seeds: Texts = ()
    seeds_from: Annotated[
        Texts,
        Option(
            "--seeds-from SOURCE",
            "Begin with what this finds for the topic: a search engine (URL with {topic}, JSON), a list of URLs "
            "(file or URL), or the folder of a crawl.",
        ),
    ] = ()
    """Where some of the start pages came from; `seeds` has them all, and nothing is asked again."""
    sitemaps: Annotated[Texts, Option("--sitemap URL", "Read start pages from this sitemap.")] = ()
    use_sitemaps: Annotated[
        bool, Option("--sitemaps", "Read start pages from the sitemaps that robots.txt names.")
    ] = False
    """Read the sitemaps that robots.txt of the start pages' hosts names, too."""
    use_feeds: Annotated[
        bool, Option("--feeds", "Fetch the feeds that pages name, for posts that no page links to any more.")
    ] = False
    """Fetch the feed (RSS, Atom, JSON Feed) that a page names as its own, as a link worth as much as the page. Crawls
    that visit pages again do so anyway."""
    strategy: Annotated[
        str,
        Option("--strategy NAME[:K=V,…]", "Choose what is fetched first: lycosa strategies lists the ways."),
    ] = "hunter"
    pages: Annotated[Positive, Option("--pages N", "Stop after so many pages.")] = 1_000
    """The budget: the crawl ends after so many pages. Failures do not count."""
    requests: Annotated[
        Positive | None,
        Option(
            "--requests N", "Stop after so many requests: failures, repeated tries and redirects count too."
        ),
    ] = None
    """A budget besides: the crawl ends after so many requests. Each try of a URL and each redirect that is followed is
    one, whatever came of it; robots.txt is none. None: no limit."""
    seconds: Annotated[Seconds, Option("--time TIME", "Stop after so long: 10m, 1h30m.")] = 0.0
    """The longest that a run may take. 0: no limit."""
    seed: Annotated[
        int, Option("--seed N", "Repeat random choices: the same number gives the same ones.")
    ] = 0
    web: Annotated[
        str,
        Option(
            "--web WEB",
            "Crawl the live web, a recorded one (PATH), an archive (cc:NAME, wayback:TIME, pywb:URL), or several, "
            "parted by commas.",
        ),
    ] = LIVE
    """`live`; of a recorded web `PATH`, also written `recorded:PATH`; an archive elsewhere, `cc:CC-MAIN-2026-05`,
    `wayback:[TIME|TIME-TIME]`, `pywb:URL` or `cdx:INDEX#RECORDS`; or several of them, parted by commas. The first that
    has a page answers: recorded webs, then archives in their order, then the live web."""
    begins: Annotated[
        str, Option("--begins DATE", "Crawl a recorded web as it was from this date on, as in 2012-01-31.")
    ] = ""
    """Of a recorded web, a date or time in UTC (ISO 8601): virtual time begins then, and each answer is the latest
    capture of that time. Empty: the latest capture of all, and time begins at 0."""
    relevant_from: Annotated[
        Share, Option("--relevant X", "Count pages as relevant from this relevance on, in [0, 1].")
    ] = 0.1
    """Pages count as relevant from this relevance on, in the harvest rate and in the list of best pages."""
    profile: Annotated[
        Profile,
        Option(
            "--profile",
            "Crawl as published experiments did: 10 KB a page, 2,048 URLs wait, no rests on recorded webs.",
        ),
    ] = ""
    """The set of values that this specification started from. It is kept for the record: the values themselves stand in
    the other keys. `s2` crawls as published experiments did (Menczer, Pant and Srinivasan 2004)."""
    scope: ScopeSpec = ScopeSpec()
    frontier: FrontierSpec = FrontierSpec()
    politeness: PolitenessSpec = PolitenessSpec()
    fetch: FetchSpec = FetchSpec()
    traps: TrapSpec = TrapSpec()
    dead: DeadSpec = DeadSpec()
    render: RenderSpec = RenderSpec()
    requisites: RequisiteSpec = RequisiteSpec()
    archive: ArchiveSpec = ArchiveSpec()
    archives: ArchivesSpec = ArchivesSpec()
    judge: JudgeSpec = JudgeSpec()
    revisit: RevisitSpec = RevisitSpec()
    cluster: ClusterSpec = ClusterSpec()
    stop: StopSpec = StopSpec()
    format: int = FORMAT
    lycosa: str = ""
    """The version that began the crawl."""


PartType = TypeVar("PartType", bound=Part)


def option_of(field: msgspec.structs.FieldInfo) -> Option | None:
    """The option by which a field is set, if there is one."""
    return next((each for each in get_args(field.type)[1:] if isinstance(each, Option)), None)


def is_part(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Part)

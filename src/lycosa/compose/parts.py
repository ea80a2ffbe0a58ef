"""Each part of a crawl, made from its part of the specification."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from lycosa.archive.warc import Provenance
from lycosa.crawl.aliases import Aliases
from lycosa.crawl.company import Company
from lycosa.crawl.gate import Gate
from lycosa.crawl.link_rot import LinkRot
from lycosa.crawl.order import Order, OrderRules
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.ports import Schedule
from lycosa.crawl.reach import Reach
from lycosa.crawl.rendering import Renderings, RenderRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.site_names import Told
from lycosa.crawl.soft_errors import SoftErrors
from lycosa.crawl.split import Split, SplitRules
from lycosa.crawl.stopping import Stopping, StopRules
from lycosa.crawl.telling import Telling
from lycosa.crawl.topic import TopicModel
from lycosa.crawl.translations import Translations
from lycosa.crawl.traps import Gists, TrapLimits, Traps
from lycosa.model.bounds import ENDLESS
from lycosa.model.decoding import converted
from lycosa.model.nodes import Share
from lycosa.model.records import Millis
from lycosa.model.url import Url, port_of
from lycosa.read.language_names import language_code
from lycosa.spec.derived import agent_of, asks_sites, is_recorded, millis, start_url, width_of
from lycosa.spec.tree import CrawlSpec, RevisitSpec, TrapSpec
from lycosa.spec.webs import web_of

_PORT_IN_SURT = re.compile(r":([0-9]{1,5})\)")


def scope_of(spec: CrawlSpec) -> Scope:
    return Scope(
        hosts=spec.scope.hosts,
        domains=spec.scope.domains,
        surts=spec.scope.prefixes,
        include=spec.scope.include,
        exclude=spec.scope.exclude,
        ports=_ports_of(spec),
        max_depth=spec.scope.depth,
    )


def requisites_scope_of(spec: CrawlSpec) -> Scope:
    """What pages may show and load: from any host, as a rule, but what is excluded."""
    if spec.requisites.within == "scope":
        return scope_of(spec)
    return Scope(exclude=spec.scope.exclude, ports=_ports_of(spec))


def renderings_of(spec: CrawlSpec) -> Renderings | None:
    """Which pages a browser makes; None: none."""
    asked = spec.render
    if asked.when == "never":
        return None
    return Renderings(RenderRules(when=asked.when, per_host=asked.per_host, pages=asked.pages), spec.seed)


def _ports_of(spec: CrawlSpec) -> tuple[int, ...] | None:
    """The ports that the user names besides 80 and 443; None, for any, on recorded webs and in archives, where no
    site is asked."""
    if not asks_sites(spec) or 0 in spec.scope.ports:
        return None
    named = [*spec.seeds, *spec.sitemaps, *(f"http://{host}/" for host in spec.scope.hosts)]
    prefixed = [int(port) for prefix in spec.scope.prefixes for port in _PORT_IN_SURT.findall(prefix)]
    return tuple(dict.fromkeys([*spec.scope.ports, *prefixed, *(port_of(start_url(url)) for url in named)]))


def gate_of(spec: CrawlSpec, gists: Gists | None = None, told: Told | None = None) -> Gate:
    """`gists` and `told` remember what was worked out of pages; without them that is done anew in this crawl."""
    languages = [language_code(name) for name in spec.topic.languages]
    return Gate(
        scope_of(spec),
        Traps(limits_of(spec.traps), gists),
        follow_nofollow=spec.politeness.nofollow == "ignore",
        soft_errors=SoftErrors() if spec.dead.soft_errors else None,
        aliases=Aliases(told=told) if spec.traps.aliases and not spec.traps.off else None,
        link_rot=LinkRot() if spec.dead.link_rot else None,
        reach=Reach(spec.scope.most_hosts),
        translations=Translations(languages) if languages else None,
    )


def limits_of(spec: TrapSpec) -> TrapLimits:
    """All defences off, or the defaults with the user's numbers in their place."""
    if spec.off:
        off = dict.fromkeys(TrapLimits.__struct_fields__, 0)
        return converted({**off, "refuse_listing_orders": False, "damping": 1.0}, TrapLimits)
    chosen = {
        "length": spec.max_url_length,
        "repeats": spec.max_repeats,
        "pages_per_host": spec.max_pages_per_host,
    }
    return converted({name: limit for name, limit in chosen.items() if limit is not None}, TrapLimits)


def pace_of(crawl: CrawlSpec) -> Pace:
    """How sites are spared. Of archives no site is asked, so none rests; the archives themselves are spared where they
    are asked (`lycosa.web.archived.desk`)."""
    rules, named = manners_of(crawl), web_of(crawl.web)
    if named.archives and not named.live:
        rules = PaceRules(
            delay=Millis(0),
            slowness=0.0,
            max_crawl_delay=Millis(0),
            by_address=False,
            attempts=1,
            give_up=ENDLESS,
        )
    elif named.is_mixed:
        rules = msgspec.structs.replace(rules, some_unasked=True)
    elif named.live:
        rules = msgspec.structs.replace(rules, from_answer=True)
    return Pace(rules, seed=crawl.seed)


def manners_of(crawl: CrawlSpec) -> PaceRules:
    """How whoever is asked is spared."""
    spec = crawl.politeness
    return PaceRules(
        delay=millis(spec.delay),
        slowness=spec.slowness if spec.delay else 0.0,
        backoff=millis(spec.backoff),
        max_backoff=millis(spec.max_backoff),
        max_crawl_delay=millis(spec.max_crawl_delay),
        by_address=not (crawl.fetch.connect_to or crawl.fetch.proxy),
        attempts=spec.attempts,
        give_up=spec.give_up,
    )


def order_of(crawl: CrawlSpec) -> Order:
    """A recorded web is crawled in virtual time, of which the limit of a run says nothing."""
    rules = OrderRules(
        kind=crawl.frontier.order,
        width=width_of(crawl),
        patience=crawl.frontier.patience,
        delay=pace_of(crawl).rules.delay,
        limit=millis(0.0 if is_recorded(crawl) else crawl.seconds),
    )
    return Order(rules)


def schedule_of(crawl: CrawlSpec) -> Schedule | None:
    """When pages are visited again; None: never."""
    spec = crawl.revisit
    if spec.once:
        from lycosa.revisit.once import Once

        return Once(Millis(spec.once))
    if not spec.policy:
        return None
    from lycosa.revisit.registry import policy
    from lycosa.revisit.schedule import Schedule as ByPolicy
    from lycosa.revisit.schedule import ScheduleRules

    rules = ScheduleRules(
        policy=spec.policy,
        every=spec.every / 86_400,
        rate=spec.rate,
        share=spec.share,
        by_queries=bool(spec.queries) and goes_by_queries(spec),
    )
    return ByPolicy(policy(spec.policy), rules)


def goes_by_queries(spec: RevisitSpec) -> bool:
    """Whether the policy has a use for what people search for. Raises `InputError` for a policy that there is not."""
    if spec.once or not spec.policy:
        return False
    from lycosa.model.naming import name_of
    from lycosa.revisit.registry import policy_class

    return policy_class(name_of(spec.policy)).goes_by_queries


def split_of(crawl: CrawlSpec) -> Split:
    return Split(SplitRules(rate=crawl.revisit.rate, share=crawl.revisit.share))


def company_of(spec: CrawlSpec, share: Share, life: str) -> Company:
    """One node's place in a shared crawl. Raises `InputError` for a partition that cannot be, and for classes that it
    needs and that cannot be read."""
    from lycosa.sharing.back_links import BackLinkExchange
    from lycosa.sharing.registry import needs_classes, partition
    from lycosa.sources.classes import read_classes

    cluster = spec.cluster
    given = cluster.classes
    classes = read_classes(Path(given)) if given and needs_classes(cluster.partition) else None
    divided = partition(cluster.partition, share.members, classes)
    tellings: dict[str, Telling] = {}
    if cluster.back_links and divided.routes:
        tellings[BackLinkExchange.NAME] = BackLinkExchange(cluster.back_links)
    return Company(share.node, share.members, divided, life=life, tellings=tellings)


def topic_of(company: Company | None, topic: TopicModel) -> TopicModel:
    """By what a crawl judges pages: by its topic; where it is shared by topic in focused order, by what the classes of
    its node are about."""
    if company is not None and company.partition.name.startswith("topic"):
        from lycosa.sharing.by_topic import ByTopic, OwnTopic

        if isinstance(company.partition, ByTopic) and company.partition.order == "focused":
            return OwnTopic(company)
    return topic


def budget_of(crawl: CrawlSpec) -> int:
    """Pages to bring back; `ENDLESS` where a refresh goes on finding new ones."""
    return ENDLESS if crawl.revisit.grows else crawl.pages


def stopping_of(spec: CrawlSpec, held_out: Iterable[Sequence[Url]]) -> Stopping:
    """`held_out` are the example pages that the crawl is not told of, each by all its names."""
    rules = converted(msgspec.to_builtins(spec.stop), StopRules)
    scope = scope_of(spec)
    return Stopping(rules, relevant_from=spec.relevant_from, scope=scope, held_out=held_out)


def provenance_of(spec: CrawlSpec, path: Path, description: str) -> Provenance:
    """What each WARC file says of the crawl that made it. No two nodes of a crawl give files the same name; their
    folders lie in one that is called `nodes`."""
    is_node = path.absolute().parent.name == "nodes"
    return Provenance(
        name=f"lycosa.{re.sub('[^A-Za-z0-9.]', '.', path.name)}" if is_node else "lycosa",
        crawl_id=path.name,
        operator=spec.fetch.contact,
        user_agent=agent_of(spec.fetch),
        robots=spec.politeness.robots,
        description=description,
    )

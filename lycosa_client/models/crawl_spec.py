from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.crawl_spec_profile import CrawlSpecProfile
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.archive_spec import ArchiveSpec
  from ..models.cluster_spec import ClusterSpec
  from ..models.dead_spec import DeadSpec
  from ..models.fetch_spec import FetchSpec
  from ..models.frontier_spec import FrontierSpec
  from ..models.judge_spec import JudgeSpec
  from ..models.politeness_spec import PolitenessSpec
  from ..models.revisit_spec import RevisitSpec
  from ..models.scope_spec import ScopeSpec
  from ..models.stop_spec import StopSpec
  from ..models.topic_spec import TopicSpec
  from ..models.trap_spec import TrapSpec





T = TypeVar("T", bound="CrawlSpec")



@_attrs_define
class CrawlSpec:
    """ Everything that decides what a crawl does. `crawl.toml` in its folder is this tree.

        Attributes:
            topic (TopicSpec | Unset): What the crawl is about.
            seeds (list[str] | Unset):
            seeds_from (list[str] | Unset): Where some of the start pages came from; `seeds` has them all, and nothing is
                asked again.
            sitemaps (list[str] | Unset):
            use_sitemaps (bool | Unset): Read the sitemaps that robots.txt of the start pages' hosts names, too. Default:
                False.
            strategy (str | Unset):  Default: 'hunter'.
            pages (int | Unset): The budget: the crawl ends after so many pages. Failures do not count. Default: 1000.
            requests (int | None | Unset): A budget besides: the crawl ends after so many requests. Each try of a URL and
                each redirect that is followed is one, whatever came of it; robots.txt is none. None: no limit.
            seconds (float | Unset): The longest that a run may take. 0: no limit. Default: 0.0.
            seed (int | Unset):  Default: 0.
            web (str | Unset): `live`, or of a recorded web `PATH[,PATH]`, also written `recorded:PATH[,PATH]`. Default:
                'live'.
            begins (str | Unset): Of a recorded web, a date or time in UTC (ISO 8601): virtual time begins then, and each
                answer is the latest capture of that time. Empty: the latest capture of all, and time begins at 0. Default: ''.
            relevant_from (float | Unset): Pages count as relevant from this relevance on, in the harvest rate and in the
                list of best pages. Default: 0.1.
            profile (CrawlSpecProfile | Unset): The set of values that this specification started from. It is kept for the
                record: the values themselves stand in the other keys. `s2` crawls as published experiments did (Menczer, Pant
                and Srinivasan 2004). Default: CrawlSpecProfile.VALUE_0.
            scope (ScopeSpec | Unset): Where the crawl may go. A URL must fit one of hosts, domains and prefixes, where any
                is given.
            frontier (FrontierSpec | Unset):
            politeness (PolitenessSpec | Unset): Times in seconds; see `lycosa.crawl.pace.PaceRules` for what each one does.
            fetch (FetchSpec | Unset): How pages are fetched from the live web. Times in seconds, sizes in bytes.
            traps (TrapSpec | Unset): Bounds against endless sites; see `lycosa.crawl.traps.TrapLimits`. None: that
                defence's own default, 0: none.
            dead (DeadSpec | Unset): What is made of links that lead to nothing.
            archive (ArchiveSpec | Unset):
            judge (JudgeSpec | Unset): A language model that is asked about a few pages while the crawl runs; its answers
                count as a person's marks.
            revisit (RevisitSpec | Unset): Whether and when pages are visited again.
            cluster (ClusterSpec | Unset): How several crawlers share the crawl, and how many of them there are.
            stop (StopSpec | Unset): When to end before the budget is used up; see `lycosa.crawl.stopping.StopRules`. A rule
                of 0 is off.
            format_ (int | Unset):  Default: 1.
            lycosa (str | Unset): The version that began the crawl. Default: ''.
     """

    topic: TopicSpec | Unset = UNSET
    seeds: list[str] | Unset = UNSET
    seeds_from: list[str] | Unset = UNSET
    sitemaps: list[str] | Unset = UNSET
    use_sitemaps: bool | Unset = False
    strategy: str | Unset = 'hunter'
    pages: int | Unset = 1000
    requests: int | None | Unset = UNSET
    seconds: float | Unset = 0.0
    seed: int | Unset = 0
    web: str | Unset = 'live'
    begins: str | Unset = ''
    relevant_from: float | Unset = 0.1
    profile: CrawlSpecProfile | Unset = CrawlSpecProfile.VALUE_0
    scope: ScopeSpec | Unset = UNSET
    frontier: FrontierSpec | Unset = UNSET
    politeness: PolitenessSpec | Unset = UNSET
    fetch: FetchSpec | Unset = UNSET
    traps: TrapSpec | Unset = UNSET
    dead: DeadSpec | Unset = UNSET
    archive: ArchiveSpec | Unset = UNSET
    judge: JudgeSpec | Unset = UNSET
    revisit: RevisitSpec | Unset = UNSET
    cluster: ClusterSpec | Unset = UNSET
    stop: StopSpec | Unset = UNSET
    format_: int | Unset = 1
    lycosa: str | Unset = ''





    def to_dict(self) -> dict[str, Any]:
        from ..models.archive_spec import ArchiveSpec # noqa: PLC0415
        from ..models.cluster_spec import ClusterSpec # noqa: PLC0415
        from ..models.dead_spec import DeadSpec # noqa: PLC0415
        from ..models.fetch_spec import FetchSpec # noqa: PLC0415
        from ..models.frontier_spec import FrontierSpec # noqa: PLC0415
        from ..models.judge_spec import JudgeSpec # noqa: PLC0415
        from ..models.politeness_spec import PolitenessSpec # noqa: PLC0415
        from ..models.revisit_spec import RevisitSpec # noqa: PLC0415
        from ..models.scope_spec import ScopeSpec # noqa: PLC0415
        from ..models.stop_spec import StopSpec # noqa: PLC0415
        from ..models.topic_spec import TopicSpec # noqa: PLC0415
        from ..models.trap_spec import TrapSpec # noqa: PLC0415
        topic: dict[str, Any] | Unset = UNSET
        if not isinstance(self.topic, Unset):
            topic = self.topic.to_dict()

        seeds: list[str] | Unset = UNSET
        if not isinstance(self.seeds, Unset):
            seeds = self.seeds



        seeds_from: list[str] | Unset = UNSET
        if not isinstance(self.seeds_from, Unset):
            seeds_from = self.seeds_from



        sitemaps: list[str] | Unset = UNSET
        if not isinstance(self.sitemaps, Unset):
            sitemaps = self.sitemaps



        use_sitemaps = self.use_sitemaps

        strategy = self.strategy

        pages = self.pages

        requests: int | None | Unset
        if isinstance(self.requests, Unset):
            requests = UNSET
        else:
            requests = self.requests

        seconds = self.seconds

        seed = self.seed

        web = self.web

        begins = self.begins

        relevant_from = self.relevant_from

        profile: str | Unset = UNSET
        if not isinstance(self.profile, Unset):
            profile = self.profile.value


        scope: dict[str, Any] | Unset = UNSET
        if not isinstance(self.scope, Unset):
            scope = self.scope.to_dict()

        frontier: dict[str, Any] | Unset = UNSET
        if not isinstance(self.frontier, Unset):
            frontier = self.frontier.to_dict()

        politeness: dict[str, Any] | Unset = UNSET
        if not isinstance(self.politeness, Unset):
            politeness = self.politeness.to_dict()

        fetch: dict[str, Any] | Unset = UNSET
        if not isinstance(self.fetch, Unset):
            fetch = self.fetch.to_dict()

        traps: dict[str, Any] | Unset = UNSET
        if not isinstance(self.traps, Unset):
            traps = self.traps.to_dict()

        dead: dict[str, Any] | Unset = UNSET
        if not isinstance(self.dead, Unset):
            dead = self.dead.to_dict()

        archive: dict[str, Any] | Unset = UNSET
        if not isinstance(self.archive, Unset):
            archive = self.archive.to_dict()

        judge: dict[str, Any] | Unset = UNSET
        if not isinstance(self.judge, Unset):
            judge = self.judge.to_dict()

        revisit: dict[str, Any] | Unset = UNSET
        if not isinstance(self.revisit, Unset):
            revisit = self.revisit.to_dict()

        cluster: dict[str, Any] | Unset = UNSET
        if not isinstance(self.cluster, Unset):
            cluster = self.cluster.to_dict()

        stop: dict[str, Any] | Unset = UNSET
        if not isinstance(self.stop, Unset):
            stop = self.stop.to_dict()

        format_ = self.format_

        lycosa = self.lycosa


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if topic is not UNSET:
            field_dict["topic"] = topic
        if seeds is not UNSET:
            field_dict["seeds"] = seeds
        if seeds_from is not UNSET:
            field_dict["seeds_from"] = seeds_from
        if sitemaps is not UNSET:
            field_dict["sitemaps"] = sitemaps
        if use_sitemaps is not UNSET:
            field_dict["use_sitemaps"] = use_sitemaps
        if strategy is not UNSET:
            field_dict["strategy"] = strategy
        if pages is not UNSET:
            field_dict["pages"] = pages
        if requests is not UNSET:
            field_dict["requests"] = requests
        if seconds is not UNSET:
            field_dict["seconds"] = seconds
        if seed is not UNSET:
            field_dict["seed"] = seed
        if web is not UNSET:
            field_dict["web"] = web
        if begins is not UNSET:
            field_dict["begins"] = begins
        if relevant_from is not UNSET:
            field_dict["relevant_from"] = relevant_from
        if profile is not UNSET:
            field_dict["profile"] = profile
        if scope is not UNSET:
            field_dict["scope"] = scope
        if frontier is not UNSET:
            field_dict["frontier"] = frontier
        if politeness is not UNSET:
            field_dict["politeness"] = politeness
        if fetch is not UNSET:
            field_dict["fetch"] = fetch
        if traps is not UNSET:
            field_dict["traps"] = traps
        if dead is not UNSET:
            field_dict["dead"] = dead
        if archive is not UNSET:
            field_dict["archive"] = archive
        if judge is not UNSET:
            field_dict["judge"] = judge
        if revisit is not UNSET:
            field_dict["revisit"] = revisit
        if cluster is not UNSET:
            field_dict["cluster"] = cluster
        if stop is not UNSET:
            field_dict["stop"] = stop
        if format_ is not UNSET:
            field_dict["format"] = format_
        if lycosa is not UNSET:
            field_dict["lycosa"] = lycosa

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.archive_spec import ArchiveSpec # noqa: PLC0415
        from ..models.cluster_spec import ClusterSpec # noqa: PLC0415
        from ..models.dead_spec import DeadSpec # noqa: PLC0415
        from ..models.fetch_spec import FetchSpec # noqa: PLC0415
        from ..models.frontier_spec import FrontierSpec # noqa: PLC0415
        from ..models.judge_spec import JudgeSpec # noqa: PLC0415
        from ..models.politeness_spec import PolitenessSpec # noqa: PLC0415
        from ..models.revisit_spec import RevisitSpec # noqa: PLC0415
        from ..models.scope_spec import ScopeSpec # noqa: PLC0415
        from ..models.stop_spec import StopSpec # noqa: PLC0415
        from ..models.topic_spec import TopicSpec # noqa: PLC0415
        from ..models.trap_spec import TrapSpec # noqa: PLC0415
        d = dict(src_dict)
        _topic = d.pop("topic", UNSET)
        topic: TopicSpec | Unset
        if isinstance(_topic,  Unset):
            topic = UNSET
        else:
            topic = TopicSpec.from_dict(_topic)




        seeds = cast(list[str], d.pop("seeds", UNSET))


        seeds_from = cast(list[str], d.pop("seeds_from", UNSET))


        sitemaps = cast(list[str], d.pop("sitemaps", UNSET))


        use_sitemaps = d.pop("use_sitemaps", UNSET)

        strategy = d.pop("strategy", UNSET)

        pages = d.pop("pages", UNSET)

        def _parse_requests(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        requests = _parse_requests(d.pop("requests", UNSET))


        seconds = d.pop("seconds", UNSET)

        seed = d.pop("seed", UNSET)

        web = d.pop("web", UNSET)

        begins = d.pop("begins", UNSET)

        relevant_from = d.pop("relevant_from", UNSET)

        _profile = d.pop("profile", UNSET)
        profile: CrawlSpecProfile | Unset
        if isinstance(_profile,  Unset):
            profile = UNSET
        else:
            profile = CrawlSpecProfile(_profile)




        _scope = d.pop("scope", UNSET)
        scope: ScopeSpec | Unset
        if isinstance(_scope,  Unset):
            scope = UNSET
        else:
            scope = ScopeSpec.from_dict(_scope)




        _frontier = d.pop("frontier", UNSET)
        frontier: FrontierSpec | Unset
        if isinstance(_frontier,  Unset):
            frontier = UNSET
        else:
            frontier = FrontierSpec.from_dict(_frontier)




        _politeness = d.pop("politeness", UNSET)
        politeness: PolitenessSpec | Unset
        if isinstance(_politeness,  Unset):
            politeness = UNSET
        else:
            politeness = PolitenessSpec.from_dict(_politeness)




        _fetch = d.pop("fetch", UNSET)
        fetch: FetchSpec | Unset
        if isinstance(_fetch,  Unset):
            fetch = UNSET
        else:
            fetch = FetchSpec.from_dict(_fetch)




        _traps = d.pop("traps", UNSET)
        traps: TrapSpec | Unset
        if isinstance(_traps,  Unset):
            traps = UNSET
        else:
            traps = TrapSpec.from_dict(_traps)




        _dead = d.pop("dead", UNSET)
        dead: DeadSpec | Unset
        if isinstance(_dead,  Unset):
            dead = UNSET
        else:
            dead = DeadSpec.from_dict(_dead)




        _archive = d.pop("archive", UNSET)
        archive: ArchiveSpec | Unset
        if isinstance(_archive,  Unset):
            archive = UNSET
        else:
            archive = ArchiveSpec.from_dict(_archive)




        _judge = d.pop("judge", UNSET)
        judge: JudgeSpec | Unset
        if isinstance(_judge,  Unset):
            judge = UNSET
        else:
            judge = JudgeSpec.from_dict(_judge)




        _revisit = d.pop("revisit", UNSET)
        revisit: RevisitSpec | Unset
        if isinstance(_revisit,  Unset):
            revisit = UNSET
        else:
            revisit = RevisitSpec.from_dict(_revisit)




        _cluster = d.pop("cluster", UNSET)
        cluster: ClusterSpec | Unset
        if isinstance(_cluster,  Unset):
            cluster = UNSET
        else:
            cluster = ClusterSpec.from_dict(_cluster)




        _stop = d.pop("stop", UNSET)
        stop: StopSpec | Unset
        if isinstance(_stop,  Unset):
            stop = UNSET
        else:
            stop = StopSpec.from_dict(_stop)




        format_ = d.pop("format", UNSET)

        lycosa = d.pop("lycosa", UNSET)

        crawl_spec = cls(
            topic=topic,
            seeds=seeds,
            seeds_from=seeds_from,
            sitemaps=sitemaps,
            use_sitemaps=use_sitemaps,
            strategy=strategy,
            pages=pages,
            requests=requests,
            seconds=seconds,
            seed=seed,
            web=web,
            begins=begins,
            relevant_from=relevant_from,
            profile=profile,
            scope=scope,
            frontier=frontier,
            politeness=politeness,
            fetch=fetch,
            traps=traps,
            dead=dead,
            archive=archive,
            judge=judge,
            revisit=revisit,
            cluster=cluster,
            stop=stop,
            format_=format_,
            lycosa=lycosa,
        )

        return crawl_spec


from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.new_crawl_profile import NewCrawlProfile
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="NewCrawl")



@_attrs_define
class NewCrawl:
    """ What to crawl. All but the topic and the start pages has the default of `lycosa crawl`.

        Nothing here names a file of this machine, so whoever may ask for a crawl reads nothing but the web.

        Attributes:
            topic (str | Unset): Words; phrases are separated by commas. May be empty if example pages say what is relevant.
                Default: ''.
            like (list[str] | Unset): URLs of pages about the topic.
            urls (list[str] | Unset): The start pages.
            seeds_from (list[str] | Unset): Who names more start pages for the topic's words: the URL of a search engine
                that answers with JSON, in which `{topic}` stands for the words, or the name of a crawl of the same library.
            name (str | Unset): Of the folder; empty: made of the topic. Default: ''.
            strategy (str | Unset): `NAME` or `NAME:parameter=value,…`. Default: 'hunter'.
            profile (NewCrawlProfile | Unset):  Default: NewCrawlProfile.VALUE_0.
            language (list[str] | Unset): Only pages in these languages are relevant, by name or ISO 639-1 code.
            relevant (float | None | Unset): The relevance from which a page counts as relevant.
            pages (int | Unset): The most pages. Default: 1000.
            requests (int | None | Unset): The most requests.
            time (float | None | Unset): The longest that it may take, in seconds.
            stop_at_recall (float | None | Unset):
            depth (int | None | Unset): Links from a start page, at most.
            same_host (bool | Unset): Stay on the hosts of the start pages. Default: False.
            host (list[str] | Unset):
            domain (list[str] | Unset):
            prefix (list[str] | Unset):
            max_hosts (int | None | Unset): Hosts that may be asked, at most.
            include (list[str] | Unset):
            exclude (list[str] | Unset):
            sitemap (list[str] | Unset):
            sitemaps (bool | Unset):  Default: False.
            delay (float | None | Unset): Seconds between two visits to a host.
            contact (str | Unset): Where site owners reach you: a URL or a mail address. Default: ''.
            seed (int | Unset):  Default: 0.
     """

    topic: str | Unset = ''
    like: list[str] | Unset = UNSET
    urls: list[str] | Unset = UNSET
    seeds_from: list[str] | Unset = UNSET
    name: str | Unset = ''
    strategy: str | Unset = 'hunter'
    profile: NewCrawlProfile | Unset = NewCrawlProfile.VALUE_0
    language: list[str] | Unset = UNSET
    relevant: float | None | Unset = UNSET
    pages: int | Unset = 1000
    requests: int | None | Unset = UNSET
    time: float | None | Unset = UNSET
    stop_at_recall: float | None | Unset = UNSET
    depth: int | None | Unset = UNSET
    same_host: bool | Unset = False
    host: list[str] | Unset = UNSET
    domain: list[str] | Unset = UNSET
    prefix: list[str] | Unset = UNSET
    max_hosts: int | None | Unset = UNSET
    include: list[str] | Unset = UNSET
    exclude: list[str] | Unset = UNSET
    sitemap: list[str] | Unset = UNSET
    sitemaps: bool | Unset = False
    delay: float | None | Unset = UNSET
    contact: str | Unset = ''
    seed: int | Unset = 0





    def to_dict(self) -> dict[str, Any]:
        topic = self.topic

        like: list[str] | Unset = UNSET
        if not isinstance(self.like, Unset):
            like = self.like



        urls: list[str] | Unset = UNSET
        if not isinstance(self.urls, Unset):
            urls = self.urls



        seeds_from: list[str] | Unset = UNSET
        if not isinstance(self.seeds_from, Unset):
            seeds_from = self.seeds_from



        name = self.name

        strategy = self.strategy

        profile: str | Unset = UNSET
        if not isinstance(self.profile, Unset):
            profile = self.profile.value


        language: list[str] | Unset = UNSET
        if not isinstance(self.language, Unset):
            language = self.language



        relevant: float | None | Unset
        if isinstance(self.relevant, Unset):
            relevant = UNSET
        else:
            relevant = self.relevant

        pages = self.pages

        requests: int | None | Unset
        if isinstance(self.requests, Unset):
            requests = UNSET
        else:
            requests = self.requests

        time: float | None | Unset
        if isinstance(self.time, Unset):
            time = UNSET
        else:
            time = self.time

        stop_at_recall: float | None | Unset
        if isinstance(self.stop_at_recall, Unset):
            stop_at_recall = UNSET
        else:
            stop_at_recall = self.stop_at_recall

        depth: int | None | Unset
        if isinstance(self.depth, Unset):
            depth = UNSET
        else:
            depth = self.depth

        same_host = self.same_host

        host: list[str] | Unset = UNSET
        if not isinstance(self.host, Unset):
            host = self.host



        domain: list[str] | Unset = UNSET
        if not isinstance(self.domain, Unset):
            domain = self.domain



        prefix: list[str] | Unset = UNSET
        if not isinstance(self.prefix, Unset):
            prefix = self.prefix



        max_hosts: int | None | Unset
        if isinstance(self.max_hosts, Unset):
            max_hosts = UNSET
        else:
            max_hosts = self.max_hosts

        include: list[str] | Unset = UNSET
        if not isinstance(self.include, Unset):
            include = self.include



        exclude: list[str] | Unset = UNSET
        if not isinstance(self.exclude, Unset):
            exclude = self.exclude



        sitemap: list[str] | Unset = UNSET
        if not isinstance(self.sitemap, Unset):
            sitemap = self.sitemap



        sitemaps = self.sitemaps

        delay: float | None | Unset
        if isinstance(self.delay, Unset):
            delay = UNSET
        else:
            delay = self.delay

        contact = self.contact

        seed = self.seed


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if topic is not UNSET:
            field_dict["topic"] = topic
        if like is not UNSET:
            field_dict["like"] = like
        if urls is not UNSET:
            field_dict["urls"] = urls
        if seeds_from is not UNSET:
            field_dict["seeds_from"] = seeds_from
        if name is not UNSET:
            field_dict["name"] = name
        if strategy is not UNSET:
            field_dict["strategy"] = strategy
        if profile is not UNSET:
            field_dict["profile"] = profile
        if language is not UNSET:
            field_dict["language"] = language
        if relevant is not UNSET:
            field_dict["relevant"] = relevant
        if pages is not UNSET:
            field_dict["pages"] = pages
        if requests is not UNSET:
            field_dict["requests"] = requests
        if time is not UNSET:
            field_dict["time"] = time
        if stop_at_recall is not UNSET:
            field_dict["stop_at_recall"] = stop_at_recall
        if depth is not UNSET:
            field_dict["depth"] = depth
        if same_host is not UNSET:
            field_dict["same_host"] = same_host
        if host is not UNSET:
            field_dict["host"] = host
        if domain is not UNSET:
            field_dict["domain"] = domain
        if prefix is not UNSET:
            field_dict["prefix"] = prefix
        if max_hosts is not UNSET:
            field_dict["max_hosts"] = max_hosts
        if include is not UNSET:
            field_dict["include"] = include
        if exclude is not UNSET:
            field_dict["exclude"] = exclude
        if sitemap is not UNSET:
            field_dict["sitemap"] = sitemap
        if sitemaps is not UNSET:
            field_dict["sitemaps"] = sitemaps
        if delay is not UNSET:
            field_dict["delay"] = delay
        if contact is not UNSET:
            field_dict["contact"] = contact
        if seed is not UNSET:
            field_dict["seed"] = seed

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        topic = d.pop("topic", UNSET)

        like = cast(list[str], d.pop("like", UNSET))


        urls = cast(list[str], d.pop("urls", UNSET))


        seeds_from = cast(list[str], d.pop("seeds_from", UNSET))


        name = d.pop("name", UNSET)

        strategy = d.pop("strategy", UNSET)

        _profile = d.pop("profile", UNSET)
        profile: NewCrawlProfile | Unset
        if isinstance(_profile,  Unset):
            profile = UNSET
        else:
            profile = NewCrawlProfile(_profile)




        language = cast(list[str], d.pop("language", UNSET))


        def _parse_relevant(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        relevant = _parse_relevant(d.pop("relevant", UNSET))


        pages = d.pop("pages", UNSET)

        def _parse_requests(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        requests = _parse_requests(d.pop("requests", UNSET))


        def _parse_time(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        time = _parse_time(d.pop("time", UNSET))


        def _parse_stop_at_recall(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        stop_at_recall = _parse_stop_at_recall(d.pop("stop_at_recall", UNSET))


        def _parse_depth(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        depth = _parse_depth(d.pop("depth", UNSET))


        same_host = d.pop("same_host", UNSET)

        host = cast(list[str], d.pop("host", UNSET))


        domain = cast(list[str], d.pop("domain", UNSET))


        prefix = cast(list[str], d.pop("prefix", UNSET))


        def _parse_max_hosts(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_hosts = _parse_max_hosts(d.pop("max_hosts", UNSET))


        include = cast(list[str], d.pop("include", UNSET))


        exclude = cast(list[str], d.pop("exclude", UNSET))


        sitemap = cast(list[str], d.pop("sitemap", UNSET))


        sitemaps = d.pop("sitemaps", UNSET)

        def _parse_delay(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        delay = _parse_delay(d.pop("delay", UNSET))


        contact = d.pop("contact", UNSET)

        seed = d.pop("seed", UNSET)

        new_crawl = cls(
            topic=topic,
            like=like,
            urls=urls,
            seeds_from=seeds_from,
            name=name,
            strategy=strategy,
            profile=profile,
            language=language,
            relevant=relevant,
            pages=pages,
            requests=requests,
            time=time,
            stop_at_recall=stop_at_recall,
            depth=depth,
            same_host=same_host,
            host=host,
            domain=domain,
            prefix=prefix,
            max_hosts=max_hosts,
            include=include,
            exclude=exclude,
            sitemap=sitemap,
            sitemaps=sitemaps,
            delay=delay,
            contact=contact,
            seed=seed,
        )

        return new_crawl


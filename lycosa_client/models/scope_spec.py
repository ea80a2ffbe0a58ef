from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ScopeSpec")



@_attrs_define
class ScopeSpec:
    """ Where the crawl may go. A URL must fit one of hosts, domains and prefixes, where any is given.

        Attributes:
            hosts (list[str] | Unset):
            domains (list[str] | Unset):
            prefixes (list[str] | Unset):
            include (list[str] | Unset): Regular expressions: a URL must match at least one of them, anywhere in it.
            exclude (list[str] | Unset): Regular expressions: a URL may match none of them, anywhere in it.
            depth (int | None | Unset):
            most_hosts (int | None | Unset): The most hosts that are asked for pages, in the order in which they are asked
                first. Names count, so `example.org` and `www.example.org` are two. None: no limit.
            ports (list[int] | Unset): Ports of the live web besides 80, 443 and those that start pages, sitemaps and places
                name; 0: any.
     """

    hosts: list[str] | Unset = UNSET
    domains: list[str] | Unset = UNSET
    prefixes: list[str] | Unset = UNSET
    include: list[str] | Unset = UNSET
    exclude: list[str] | Unset = UNSET
    depth: int | None | Unset = UNSET
    most_hosts: int | None | Unset = UNSET
    ports: list[int] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        hosts: list[str] | Unset = UNSET
        if not isinstance(self.hosts, Unset):
            hosts = self.hosts



        domains: list[str] | Unset = UNSET
        if not isinstance(self.domains, Unset):
            domains = self.domains



        prefixes: list[str] | Unset = UNSET
        if not isinstance(self.prefixes, Unset):
            prefixes = self.prefixes



        include: list[str] | Unset = UNSET
        if not isinstance(self.include, Unset):
            include = self.include



        exclude: list[str] | Unset = UNSET
        if not isinstance(self.exclude, Unset):
            exclude = self.exclude



        depth: int | None | Unset
        if isinstance(self.depth, Unset):
            depth = UNSET
        else:
            depth = self.depth

        most_hosts: int | None | Unset
        if isinstance(self.most_hosts, Unset):
            most_hosts = UNSET
        else:
            most_hosts = self.most_hosts

        ports: list[int] | Unset = UNSET
        if not isinstance(self.ports, Unset):
            ports = self.ports




        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if hosts is not UNSET:
            field_dict["hosts"] = hosts
        if domains is not UNSET:
            field_dict["domains"] = domains
        if prefixes is not UNSET:
            field_dict["prefixes"] = prefixes
        if include is not UNSET:
            field_dict["include"] = include
        if exclude is not UNSET:
            field_dict["exclude"] = exclude
        if depth is not UNSET:
            field_dict["depth"] = depth
        if most_hosts is not UNSET:
            field_dict["most_hosts"] = most_hosts
        if ports is not UNSET:
            field_dict["ports"] = ports

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        hosts = cast(list[str], d.pop("hosts", UNSET))


        domains = cast(list[str], d.pop("domains", UNSET))


        prefixes = cast(list[str], d.pop("prefixes", UNSET))


        include = cast(list[str], d.pop("include", UNSET))


        exclude = cast(list[str], d.pop("exclude", UNSET))


        def _parse_depth(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        depth = _parse_depth(d.pop("depth", UNSET))


        def _parse_most_hosts(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        most_hosts = _parse_most_hosts(d.pop("most_hosts", UNSET))


        ports = cast(list[int], d.pop("ports", UNSET))


        scope_spec = cls(
            hosts=hosts,
            domains=domains,
            prefixes=prefixes,
            include=include,
            exclude=exclude,
            depth=depth,
            most_hosts=most_hosts,
            ports=ports,
        )

        return scope_spec


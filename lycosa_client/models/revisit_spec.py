from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="RevisitSpec")



@_attrs_define
class RevisitSpec:
    """ Whether and when pages are visited again.

        Attributes:
            policy (str | Unset): The policy, `NAME` or `NAME:parameter=value,…`; empty: no page is visited again. Default:
                ''.
            every (float | Unset): Seconds. The policy shares these revisits among the pages. A `rate` takes its place.
                Default: 604800.0.
            rate (float | None | Unset): Requests a day, new pages and revisits together; None: revisits by `every`, new
                pages as politeness allows.
            share (float | Unset): Of the requests, for new pages, while both kinds wait; the rest is for revisits. Default:
                0.3.
            queries (str | Unset): A log of queries, for policies that go by what people notice. It is read once, and kept
                in `inputs/`. Default: ''.
            grows (bool | Unset): Go on finding new pages though there are as many as the budget says. Default: False.
            once (int | Unset): Visit each page once again, as soon as may be, instead of by a policy: when that was asked
                for, in milliseconds. 0: it was not. Default: 0.
     """

    policy: str | Unset = ''
    every: float | Unset = 604800.0
    rate: float | None | Unset = UNSET
    share: float | Unset = 0.3
    queries: str | Unset = ''
    grows: bool | Unset = False
    once: int | Unset = 0





    def to_dict(self) -> dict[str, Any]:
        policy = self.policy

        every = self.every

        rate: float | None | Unset
        if isinstance(self.rate, Unset):
            rate = UNSET
        else:
            rate = self.rate

        share = self.share

        queries = self.queries

        grows = self.grows

        once = self.once


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if policy is not UNSET:
            field_dict["policy"] = policy
        if every is not UNSET:
            field_dict["every"] = every
        if rate is not UNSET:
            field_dict["rate"] = rate
        if share is not UNSET:
            field_dict["share"] = share
        if queries is not UNSET:
            field_dict["queries"] = queries
        if grows is not UNSET:
            field_dict["grows"] = grows
        if once is not UNSET:
            field_dict["once"] = once

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        policy = d.pop("policy", UNSET)

        every = d.pop("every", UNSET)

        def _parse_rate(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        rate = _parse_rate(d.pop("rate", UNSET))


        share = d.pop("share", UNSET)

        queries = d.pop("queries", UNSET)

        grows = d.pop("grows", UNSET)

        once = d.pop("once", UNSET)

        revisit_spec = cls(
            policy=policy,
            every=every,
            rate=rate,
            share=share,
            queries=queries,
            grows=grows,
            once=once,
        )

        return revisit_spec


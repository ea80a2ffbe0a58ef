from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.refreshing_found import RefreshingFound





T = TypeVar("T", bound="Refreshing")



@_attrs_define
class Refreshing:
    """ How a crawl keeps its pages fresh, and how fresh they are.

        Attributes:
            policy (str): As it is written; `once`: each page once again; empty: no page is visited again now.
            every (float): Seconds in which there are as many revisits as pages, unless there is a `rate`.
            rate (float | None): Requests a day, new pages too.
            share (float): Of the requests, for new pages while some wait.
            revisits (int): Visits to pages that the crawl had, failures apart.
            found (RefreshingFound | Unset): How many of them found a page `same`, `changed`, `gone`, `back` again, or with
                another `dressing`.
            due (int | Unset): Pages that are due to be visited again, as of the last checkpoint. Default: 0.
            next_due (int | None | Unset): When the next one will be; None: no other is to be visited.
            requests_a_day (float | None | Unset): Of the last week, since the first revisit; None: from less than an hour.
            estimated_from (int | Unset): Pages that were looked at more than once. Of these alone the rest can be told, and
                it is an estimate: from how often they were seen to change, and how long ago they were looked at (see
                `lycosa.revisit.truth`). Default: 0.
            fresh (float | None | Unset): The share of their copies that are still true.
            age (float | None | Unset): Days since when their copies have been wrong, 0 for one that is true; the mean.
            changes (float | None | Unset): Changes a day and page.
     """

    policy: str
    every: float
    rate: float | None
    share: float
    revisits: int
    found: RefreshingFound | Unset = UNSET
    due: int | Unset = 0
    next_due: int | None | Unset = UNSET
    requests_a_day: float | None | Unset = UNSET
    estimated_from: int | Unset = 0
    fresh: float | None | Unset = UNSET
    age: float | None | Unset = UNSET
    changes: float | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.refreshing_found import RefreshingFound # noqa: PLC0415
        policy = self.policy

        every = self.every

        rate: float | None
        rate = self.rate

        share = self.share

        revisits = self.revisits

        found: dict[str, Any] | Unset = UNSET
        if not isinstance(self.found, Unset):
            found = self.found.to_dict()

        due = self.due

        next_due: int | None | Unset
        if isinstance(self.next_due, Unset):
            next_due = UNSET
        else:
            next_due = self.next_due

        requests_a_day: float | None | Unset
        if isinstance(self.requests_a_day, Unset):
            requests_a_day = UNSET
        else:
            requests_a_day = self.requests_a_day

        estimated_from = self.estimated_from

        fresh: float | None | Unset
        if isinstance(self.fresh, Unset):
            fresh = UNSET
        else:
            fresh = self.fresh

        age: float | None | Unset
        if isinstance(self.age, Unset):
            age = UNSET
        else:
            age = self.age

        changes: float | None | Unset
        if isinstance(self.changes, Unset):
            changes = UNSET
        else:
            changes = self.changes


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "policy": policy,
            "every": every,
            "rate": rate,
            "share": share,
            "revisits": revisits,
        })
        if found is not UNSET:
            field_dict["found"] = found
        if due is not UNSET:
            field_dict["due"] = due
        if next_due is not UNSET:
            field_dict["next_due"] = next_due
        if requests_a_day is not UNSET:
            field_dict["requests_a_day"] = requests_a_day
        if estimated_from is not UNSET:
            field_dict["estimated_from"] = estimated_from
        if fresh is not UNSET:
            field_dict["fresh"] = fresh
        if age is not UNSET:
            field_dict["age"] = age
        if changes is not UNSET:
            field_dict["changes"] = changes

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.refreshing_found import RefreshingFound # noqa: PLC0415
        d = dict(src_dict)
        policy = d.pop("policy")

        every = d.pop("every")

        def _parse_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        rate = _parse_rate(d.pop("rate"))


        share = d.pop("share")

        revisits = d.pop("revisits")

        _found = d.pop("found", UNSET)
        found: RefreshingFound | Unset
        if isinstance(_found,  Unset):
            found = UNSET
        else:
            found = RefreshingFound.from_dict(_found)




        due = d.pop("due", UNSET)

        def _parse_next_due(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        next_due = _parse_next_due(d.pop("next_due", UNSET))


        def _parse_requests_a_day(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        requests_a_day = _parse_requests_a_day(d.pop("requests_a_day", UNSET))


        estimated_from = d.pop("estimated_from", UNSET)

        def _parse_fresh(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        fresh = _parse_fresh(d.pop("fresh", UNSET))


        def _parse_age(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        age = _parse_age(d.pop("age", UNSET))


        def _parse_changes(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        changes = _parse_changes(d.pop("changes", UNSET))


        refreshing = cls(
            policy=policy,
            every=every,
            rate=rate,
            share=share,
            revisits=revisits,
            found=found,
            due=due,
            next_due=next_due,
            requests_a_day=requests_a_day,
            estimated_from=estimated_from,
            fresh=fresh,
            age=age,
            changes=changes,
        )


        refreshing.additional_properties = d
        return refreshing

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties

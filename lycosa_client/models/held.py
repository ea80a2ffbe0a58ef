from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Held")



@_attrs_define
class Held:
    """ A crawl of the library, in short.

        Attributes:
            name (str):
            topic (str | Unset):  Default: ''.
            state (str | Unset): As in `Status`; `broken` if the folder cannot be read. Default: ''.
            pages (int | Unset):  Default: 0.
            budget (int | None | Unset):
            relevant (int | Unset):  Default: 0.
            harvest_rate (float | Unset):  Default: 0.0.
            strategy (str | Unset):  Default: ''.
            last_at (int | Unset): The time of the last step, in milliseconds since 1970. Default: 0.
            trouble (str | Unset): Why it cannot be read. Default: ''.
     """

    name: str
    topic: str | Unset = ''
    state: str | Unset = ''
    pages: int | Unset = 0
    budget: int | None | Unset = UNSET
    relevant: int | Unset = 0
    harvest_rate: float | Unset = 0.0
    strategy: str | Unset = ''
    last_at: int | Unset = 0
    trouble: str | Unset = ''
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        topic = self.topic

        state = self.state

        pages = self.pages

        budget: int | None | Unset
        if isinstance(self.budget, Unset):
            budget = UNSET
        else:
            budget = self.budget

        relevant = self.relevant

        harvest_rate = self.harvest_rate

        strategy = self.strategy

        last_at = self.last_at

        trouble = self.trouble


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
        })
        if topic is not UNSET:
            field_dict["topic"] = topic
        if state is not UNSET:
            field_dict["state"] = state
        if pages is not UNSET:
            field_dict["pages"] = pages
        if budget is not UNSET:
            field_dict["budget"] = budget
        if relevant is not UNSET:
            field_dict["relevant"] = relevant
        if harvest_rate is not UNSET:
            field_dict["harvest_rate"] = harvest_rate
        if strategy is not UNSET:
            field_dict["strategy"] = strategy
        if last_at is not UNSET:
            field_dict["last_at"] = last_at
        if trouble is not UNSET:
            field_dict["trouble"] = trouble

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        topic = d.pop("topic", UNSET)

        state = d.pop("state", UNSET)

        pages = d.pop("pages", UNSET)

        def _parse_budget(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        budget = _parse_budget(d.pop("budget", UNSET))


        relevant = d.pop("relevant", UNSET)

        harvest_rate = d.pop("harvest_rate", UNSET)

        strategy = d.pop("strategy", UNSET)

        last_at = d.pop("last_at", UNSET)

        trouble = d.pop("trouble", UNSET)

        held = cls(
            name=name,
            topic=topic,
            state=state,
            pages=pages,
            budget=budget,
            relevant=relevant,
            harvest_rate=harvest_rate,
            strategy=strategy,
            last_at=last_at,
            trouble=trouble,
        )


        held.additional_properties = d
        return held

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

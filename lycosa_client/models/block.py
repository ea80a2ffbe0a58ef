from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Block")



@_attrs_define
class Block:
    """ A host that somebody blocked while the crawl went on.

        Attributes:
            host (str):
            by (str | Unset): Who said so; empty: a person without a name. Default: ''.
            step (int | None | Unset): Of the crawl that took it in; None while it waits for that.
            at (int | None | Unset):
            links (int | Unset): Links that wait for the host to be let in again, as of the last checkpoint. Default: 0.
     """

    host: str
    by: str | Unset = ''
    step: int | None | Unset = UNSET
    at: int | None | Unset = UNSET
    links: int | Unset = 0
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        host = self.host

        by = self.by

        step: int | None | Unset
        if isinstance(self.step, Unset):
            step = UNSET
        else:
            step = self.step

        at: int | None | Unset
        if isinstance(self.at, Unset):
            at = UNSET
        else:
            at = self.at

        links = self.links


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "host": host,
        })
        if by is not UNSET:
            field_dict["by"] = by
        if step is not UNSET:
            field_dict["step"] = step
        if at is not UNSET:
            field_dict["at"] = at
        if links is not UNSET:
            field_dict["links"] = links

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        host = d.pop("host")

        by = d.pop("by", UNSET)

        def _parse_step(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        step = _parse_step(d.pop("step", UNSET))


        def _parse_at(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        at = _parse_at(d.pop("at", UNSET))


        links = d.pop("links", UNSET)

        block = cls(
            host=host,
            by=by,
            step=step,
            at=at,
            links=links,
        )


        block.additional_properties = d
        return block

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

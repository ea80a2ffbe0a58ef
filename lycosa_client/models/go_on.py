from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="GoOn")



@_attrs_define
class GoOn:
    """ How to go on with a crawl.

        Attributes:
            pages (int | None | Unset): The new budget, pages in all; null: as before.
            time (float | None | Unset): The longest that this run may take, in seconds.
     """

    pages: int | None | Unset = UNSET
    time: float | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        pages: int | None | Unset
        if isinstance(self.pages, Unset):
            pages = UNSET
        else:
            pages = self.pages

        time: float | None | Unset
        if isinstance(self.time, Unset):
            time = UNSET
        else:
            time = self.time


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if pages is not UNSET:
            field_dict["pages"] = pages
        if time is not UNSET:
            field_dict["time"] = time

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_pages(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        pages = _parse_pages(d.pop("pages", UNSET))


        def _parse_time(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        time = _parse_time(d.pop("time", UNSET))


        go_on = cls(
            pages=pages,
            time=time,
        )

        return go_on


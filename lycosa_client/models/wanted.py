from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.wanted_wish import WantedWish






T = TypeVar("T", bound="Wanted")



@_attrs_define
class Wanted:
    """ What is wanted of a crawl's run.

        Attributes:
            wish (WantedWish):
     """

    wish: WantedWish





    def to_dict(self) -> dict[str, Any]:
        wish = self.wish.value


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "wish": wish,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        wish = WantedWish(d.pop("wish"))




        wanted = cls(
            wish=wish,
        )

        return wanted


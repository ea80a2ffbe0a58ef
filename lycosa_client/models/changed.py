from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="Changed")



@_attrs_define
class Changed:
    """ Pages that changed just now.

        Attributes:
            urls (list[str]):
     """

    urls: list[str]





    def to_dict(self) -> dict[str, Any]:
        urls = self.urls




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "urls": urls,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        urls = cast(list[str], d.pop("urls"))


        changed = cls(
            urls=urls,
        )

        return changed


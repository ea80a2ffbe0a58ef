from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="Marking")



@_attrs_define
class Marking:
    """ What is said of pages of the crawl.

        Attributes:
            urls (list[str]):
            good (bool | None): Whether they are on topic; null: what was said before is taken back.
     """

    urls: list[str]
    good: bool | None





    def to_dict(self) -> dict[str, Any]:
        urls = self.urls



        good: bool | None
        good = self.good


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "urls": urls,
            "good": good,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        urls = cast(list[str], d.pop("urls"))


        def _parse_good(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        good = _parse_good(d.pop("good"))


        marking = cls(
            urls=urls,
            good=good,
        )

        return marking


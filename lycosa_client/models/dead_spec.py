from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="DeadSpec")



@_attrs_define
class DeadSpec:
    """ What is made of links that lead to nothing.

        Attributes:
            soft_errors (bool | Unset): Take a page that says that it is none for a failure; see `lycosa.crawl.soft_errors`.
                Default: True.
            link_rot (bool | Unset): Let links wait behind others whose siblings led to no page; see
                `lycosa.crawl.link_rot`. Default: False.
     """

    soft_errors: bool | Unset = True
    link_rot: bool | Unset = False





    def to_dict(self) -> dict[str, Any]:
        soft_errors = self.soft_errors

        link_rot = self.link_rot


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if soft_errors is not UNSET:
            field_dict["soft_errors"] = soft_errors
        if link_rot is not UNSET:
            field_dict["link_rot"] = link_rot

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        soft_errors = d.pop("soft_errors", UNSET)

        link_rot = d.pop("link_rot", UNSET)

        dead_spec = cls(
            soft_errors=soft_errors,
            link_rot=link_rot,
        )

        return dead_spec


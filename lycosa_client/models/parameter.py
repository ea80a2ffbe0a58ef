from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Parameter")



@_attrs_define
class Parameter:
    """ One parameter: its type as Python spells it, its default, its bounds (None: unbounded).

        Attributes:
            name (str):
            type_ (str):
            default (Any):
            least (float | None | Unset):
            most (float | None | Unset):
     """

    name: str
    type_: str
    default: Any
    least: float | None | Unset = UNSET
    most: float | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        type_ = self.type_

        default = self.default

        least: float | None | Unset
        if isinstance(self.least, Unset):
            least = UNSET
        else:
            least = self.least

        most: float | None | Unset
        if isinstance(self.most, Unset):
            most = UNSET
        else:
            most = self.most


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
            "type": type_,
            "default": default,
        })
        if least is not UNSET:
            field_dict["least"] = least
        if most is not UNSET:
            field_dict["most"] = most

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        type_ = d.pop("type")

        default = d.pop("default")

        def _parse_least(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        least = _parse_least(d.pop("least", UNSET))


        def _parse_most(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        most = _parse_most(d.pop("most", UNSET))


        parameter = cls(
            name=name,
            type_=type_,
            default=default,
            least=least,
            most=most,
        )


        parameter.additional_properties = d
        return parameter

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

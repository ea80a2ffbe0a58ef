from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.capture import Capture





T = TypeVar("T", bound="TimeMap")



@_attrs_define
class TimeMap:
    """ The captures of one URL in the order of their times (RFC 7089: the TimeMap of an original resource).

        Attributes:
            url (str):
            captures (list[Capture]): Oldest first, at least one.
     """

    url: str
    captures: list[Capture]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.capture import Capture # noqa: PLC0415
        url = self.url

        captures = []
        for captures_item_data in self.captures:
            captures_item = captures_item_data.to_dict()
            captures.append(captures_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "url": url,
            "captures": captures,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.capture import Capture # noqa: PLC0415
        d = dict(src_dict)
        url = d.pop("url")

        captures = []
        _captures = d.pop("captures")
        for captures_item_data in (_captures):
            captures_item = Capture.from_dict(captures_item_data)



            captures.append(captures_item)


        time_map = cls(
            url=url,
            captures=captures,
        )


        time_map.additional_properties = d
        return time_map

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

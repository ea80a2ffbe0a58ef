from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.happening import Happening





T = TypeVar("T", bound="Happened")



@_attrs_define
class Happened:
    """ What a crawl did since some step of it, in the order of its journal.

        Attributes:
            happenings (list[Happening]):
            token (str): From where to ask on.
     """

    happenings: list[Happening]
    token: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.happening import Happening # noqa: PLC0415
        happenings = []
        for happenings_item_data in self.happenings:
            happenings_item = happenings_item_data.to_dict()
            happenings.append(happenings_item)



        token = self.token


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "happenings": happenings,
            "token": token,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.happening import Happening # noqa: PLC0415
        d = dict(src_dict)
        happenings = []
        _happenings = d.pop("happenings")
        for happenings_item_data in (_happenings):
            happenings_item = Happening.from_dict(happenings_item_data)



            happenings.append(happenings_item)


        token = d.pop("token")

        happened = cls(
            happenings=happenings,
            token=token,
        )


        happened.additional_properties = d
        return happened

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

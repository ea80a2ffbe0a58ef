from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Mark")



@_attrs_define
class Mark:
    """ What a person, or a model that is asked, said of one page.

        Attributes:
            url (str):
            good (bool | None): Whether it is on topic; None: what was said before is taken back.
            number (int): Counts the marks of the folder, from 1.
            step (int | None | Unset): Of the crawl that took it in; None while it waits for that.
            moved (int | Unset): Waiting links that got another place because of it. Default: 0.
            by (str | Unset): The name of the model; empty: a person. Default: ''.
     """

    url: str
    good: bool | None
    number: int
    step: int | None | Unset = UNSET
    moved: int | Unset = 0
    by: str | Unset = ''
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        url = self.url

        good: bool | None
        good = self.good

        number = self.number

        step: int | None | Unset
        if isinstance(self.step, Unset):
            step = UNSET
        else:
            step = self.step

        moved = self.moved

        by = self.by


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "url": url,
            "good": good,
            "number": number,
        })
        if step is not UNSET:
            field_dict["step"] = step
        if moved is not UNSET:
            field_dict["moved"] = moved
        if by is not UNSET:
            field_dict["by"] = by

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        url = d.pop("url")

        def _parse_good(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        good = _parse_good(d.pop("good"))


        number = d.pop("number")

        def _parse_step(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        step = _parse_step(d.pop("step", UNSET))


        moved = d.pop("moved", UNSET)

        by = d.pop("by", UNSET)

        mark = cls(
            url=url,
            good=good,
            number=number,
            step=step,
            moved=moved,
            by=by,
        )


        mark.additional_properties = d
        return mark

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="LinkOfPage")



@_attrs_define
class LinkOfPage:
    """ A URL that a page links to.

        Attributes:
            url (str):
            anchor (str | Unset): The words of the first link to it. Default: ''.
            nofollow (bool | Unset): Of all links to it. Default: False.
            relevance (float | None | Unset): Of the page that was found there; None if none was.
            title (str | Unset):  Default: ''.
     """

    url: str
    anchor: str | Unset = ''
    nofollow: bool | Unset = False
    relevance: float | None | Unset = UNSET
    title: str | Unset = ''
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        url = self.url

        anchor = self.anchor

        nofollow = self.nofollow

        relevance: float | None | Unset
        if isinstance(self.relevance, Unset):
            relevance = UNSET
        else:
            relevance = self.relevance

        title = self.title


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "url": url,
        })
        if anchor is not UNSET:
            field_dict["anchor"] = anchor
        if nofollow is not UNSET:
            field_dict["nofollow"] = nofollow
        if relevance is not UNSET:
            field_dict["relevance"] = relevance
        if title is not UNSET:
            field_dict["title"] = title

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        url = d.pop("url")

        anchor = d.pop("anchor", UNSET)

        nofollow = d.pop("nofollow", UNSET)

        def _parse_relevance(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        relevance = _parse_relevance(d.pop("relevance", UNSET))


        title = d.pop("title", UNSET)

        link_of_page = cls(
            url=url,
            anchor=anchor,
            nofollow=nofollow,
            relevance=relevance,
            title=title,
        )


        link_of_page.additional_properties = d
        return link_of_page

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

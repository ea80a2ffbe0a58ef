from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.find import Find





T = TypeVar("T", bound="Member")



@_attrs_define
class Member:
    """ One of a population, alive or dead, as whoever looks on is told.

        Attributes:
            number (int): Counts all that were ever born, from 1.
            born (int): The step at which it was born.
            energy (float):
            pages (int): That it brought.
            parent (int | None | Unset): The number of the one it was born of; None: it was there from the beginning.
            died (int | None | Unset): The step at which it died; None: it is alive.
            links (int | Unset): That it can choose from. Default: 0.
            looks_for (list[str] | Unset): Its words, the topic's first; the others it learned, or was born with.
            stands_at (None | str | Unset):
            waits_for (None | str | Unset):
            found (list[Find] | Unset): The best pages that it brought, best first, a few.
            node (str | Unset): Of a crawl that several nodes share: each counts its own. Default: ''.
     """

    number: int
    born: int
    energy: float
    pages: int
    parent: int | None | Unset = UNSET
    died: int | None | Unset = UNSET
    links: int | Unset = 0
    looks_for: list[str] | Unset = UNSET
    stands_at: None | str | Unset = UNSET
    waits_for: None | str | Unset = UNSET
    found: list[Find] | Unset = UNSET
    node: str | Unset = ''
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.find import Find # noqa: PLC0415
        number = self.number

        born = self.born

        energy = self.energy

        pages = self.pages

        parent: int | None | Unset
        if isinstance(self.parent, Unset):
            parent = UNSET
        else:
            parent = self.parent

        died: int | None | Unset
        if isinstance(self.died, Unset):
            died = UNSET
        else:
            died = self.died

        links = self.links

        looks_for: list[str] | Unset = UNSET
        if not isinstance(self.looks_for, Unset):
            looks_for = self.looks_for



        stands_at: None | str | Unset
        if isinstance(self.stands_at, Unset):
            stands_at = UNSET
        else:
            stands_at = self.stands_at

        waits_for: None | str | Unset
        if isinstance(self.waits_for, Unset):
            waits_for = UNSET
        else:
            waits_for = self.waits_for

        found: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.found, Unset):
            found = []
            for found_item_data in self.found:
                found_item = found_item_data.to_dict()
                found.append(found_item)



        node = self.node


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "number": number,
            "born": born,
            "energy": energy,
            "pages": pages,
        })
        if parent is not UNSET:
            field_dict["parent"] = parent
        if died is not UNSET:
            field_dict["died"] = died
        if links is not UNSET:
            field_dict["links"] = links
        if looks_for is not UNSET:
            field_dict["looks_for"] = looks_for
        if stands_at is not UNSET:
            field_dict["stands_at"] = stands_at
        if waits_for is not UNSET:
            field_dict["waits_for"] = waits_for
        if found is not UNSET:
            field_dict["found"] = found
        if node is not UNSET:
            field_dict["node"] = node

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.find import Find # noqa: PLC0415
        d = dict(src_dict)
        number = d.pop("number")

        born = d.pop("born")

        energy = d.pop("energy")

        pages = d.pop("pages")

        def _parse_parent(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        parent = _parse_parent(d.pop("parent", UNSET))


        def _parse_died(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        died = _parse_died(d.pop("died", UNSET))


        links = d.pop("links", UNSET)

        looks_for = cast(list[str], d.pop("looks_for", UNSET))


        def _parse_stands_at(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        stands_at = _parse_stands_at(d.pop("stands_at", UNSET))


        def _parse_waits_for(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        waits_for = _parse_waits_for(d.pop("waits_for", UNSET))


        _found = d.pop("found", UNSET)
        found: list[Find] | Unset = UNSET
        if _found is not UNSET:
            found = []
            for found_item_data in _found:
                found_item = Find.from_dict(found_item_data)



                found.append(found_item)


        node = d.pop("node", UNSET)

        member = cls(
            number=number,
            born=born,
            energy=energy,
            pages=pages,
            parent=parent,
            died=died,
            links=links,
            looks_for=looks_for,
            stands_at=stands_at,
            waits_for=waits_for,
            found=found,
            node=node,
        )


        member.additional_properties = d
        return member

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

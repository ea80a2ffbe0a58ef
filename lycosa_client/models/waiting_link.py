from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.waiting_link_parts import WaitingLinkParts





T = TypeVar("T", bound="WaitingLink")



@_attrs_define
class WaitingLink:
    """ A link that waits to be fetched.

        Attributes:
            place (int): 1 is the next that would be fetched if every host were free.
            url (str):
            host (str): At which it waits: another one than its own if redirects led there.
            score (float):
            tier (int): Lower tiers first; of one that a person asked for it is far below 0.
            depth (int):
            attempt (int | Unset):  Default: 1.
            via (None | str | Unset): The page with the link; None of a start page.
            anchor (str | Unset): The words of the link. Default: ''.
            rests_until (int | None | Unset): When the host may be asked again; None: now, or when the visit that is out
                there is over.
            parts (WaitingLinkParts | Unset): What the score was made of, where that was asked for.
            node (str | Unset): Of a crawl that several nodes share: where it waits. Default: ''.
     """

    place: int
    url: str
    host: str
    score: float
    tier: int
    depth: int
    attempt: int | Unset = 1
    via: None | str | Unset = UNSET
    anchor: str | Unset = ''
    rests_until: int | None | Unset = UNSET
    parts: WaitingLinkParts | Unset = UNSET
    node: str | Unset = ''
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.waiting_link_parts import WaitingLinkParts # noqa: PLC0415
        place = self.place

        url = self.url

        host = self.host

        score = self.score

        tier = self.tier

        depth = self.depth

        attempt = self.attempt

        via: None | str | Unset
        if isinstance(self.via, Unset):
            via = UNSET
        else:
            via = self.via

        anchor = self.anchor

        rests_until: int | None | Unset
        if isinstance(self.rests_until, Unset):
            rests_until = UNSET
        else:
            rests_until = self.rests_until

        parts: dict[str, Any] | Unset = UNSET
        if not isinstance(self.parts, Unset):
            parts = self.parts.to_dict()

        node = self.node


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "place": place,
            "url": url,
            "host": host,
            "score": score,
            "tier": tier,
            "depth": depth,
        })
        if attempt is not UNSET:
            field_dict["attempt"] = attempt
        if via is not UNSET:
            field_dict["via"] = via
        if anchor is not UNSET:
            field_dict["anchor"] = anchor
        if rests_until is not UNSET:
            field_dict["rests_until"] = rests_until
        if parts is not UNSET:
            field_dict["parts"] = parts
        if node is not UNSET:
            field_dict["node"] = node

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.waiting_link_parts import WaitingLinkParts # noqa: PLC0415
        d = dict(src_dict)
        place = d.pop("place")

        url = d.pop("url")

        host = d.pop("host")

        score = d.pop("score")

        tier = d.pop("tier")

        depth = d.pop("depth")

        attempt = d.pop("attempt", UNSET)

        def _parse_via(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        via = _parse_via(d.pop("via", UNSET))


        anchor = d.pop("anchor", UNSET)

        def _parse_rests_until(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        rests_until = _parse_rests_until(d.pop("rests_until", UNSET))


        _parts = d.pop("parts", UNSET)
        parts: WaitingLinkParts | Unset
        if isinstance(_parts,  Unset):
            parts = UNSET
        else:
            parts = WaitingLinkParts.from_dict(_parts)




        node = d.pop("node", UNSET)

        waiting_link = cls(
            place=place,
            url=url,
            host=host,
            score=score,
            tier=tier,
            depth=depth,
            attempt=attempt,
            via=via,
            anchor=anchor,
            rests_until=rests_until,
            parts=parts,
            node=node,
        )


        waiting_link.additional_properties = d
        return waiting_link

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

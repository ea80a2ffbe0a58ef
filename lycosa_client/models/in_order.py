from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="InOrder")



@_attrs_define
class InOrder:
    """ How a crawl chose between the best link and the free host; see `lycosa.crawl.order.Order`.

        Attributes:
            order (str): `strict`, `paced` or `eager`.
            window (int): A link is in turn while fewer better ones than this wait for their hosts.
            first (int | Unset): Pages whose links were the best of all when they were leased. Default: 0.
            in_turn (int | Unset): Pages of links behind the best, within the window. Default: 0.
            paid_for (int | Unset): Pages of links beyond the window, fetched since the crawl was behind its pace. Default:
                0.
            waits_for (str | Unset): The host whose link is waited for now, while others might be asked; empty if the crawl
                does not wait. Default: ''.
            instead_of (None | str | Unset): The best link that might be fetched now.
            better (int | Unset): Links that wait for their hosts and are better than that, as far as they were counted.
                Default: 0.
            until (int | None | Unset): When it is fetched all the same, to keep the pace; None: not before its turn.
     """

    order: str
    window: int
    first: int | Unset = 0
    in_turn: int | Unset = 0
    paid_for: int | Unset = 0
    waits_for: str | Unset = ''
    instead_of: None | str | Unset = UNSET
    better: int | Unset = 0
    until: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        order = self.order

        window = self.window

        first = self.first

        in_turn = self.in_turn

        paid_for = self.paid_for

        waits_for = self.waits_for

        instead_of: None | str | Unset
        if isinstance(self.instead_of, Unset):
            instead_of = UNSET
        else:
            instead_of = self.instead_of

        better = self.better

        until: int | None | Unset
        if isinstance(self.until, Unset):
            until = UNSET
        else:
            until = self.until


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "order": order,
            "window": window,
        })
        if first is not UNSET:
            field_dict["first"] = first
        if in_turn is not UNSET:
            field_dict["in_turn"] = in_turn
        if paid_for is not UNSET:
            field_dict["paid_for"] = paid_for
        if waits_for is not UNSET:
            field_dict["waits_for"] = waits_for
        if instead_of is not UNSET:
            field_dict["instead_of"] = instead_of
        if better is not UNSET:
            field_dict["better"] = better
        if until is not UNSET:
            field_dict["until"] = until

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        order = d.pop("order")

        window = d.pop("window")

        first = d.pop("first", UNSET)

        in_turn = d.pop("in_turn", UNSET)

        paid_for = d.pop("paid_for", UNSET)

        waits_for = d.pop("waits_for", UNSET)

        def _parse_instead_of(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        instead_of = _parse_instead_of(d.pop("instead_of", UNSET))


        better = d.pop("better", UNSET)

        def _parse_until(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        until = _parse_until(d.pop("until", UNSET))


        in_order = cls(
            order=order,
            window=window,
            first=first,
            in_turn=in_turn,
            paid_for=paid_for,
            waits_for=waits_for,
            instead_of=instead_of,
            better=better,
            until=until,
        )


        in_order.additional_properties = d
        return in_order

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

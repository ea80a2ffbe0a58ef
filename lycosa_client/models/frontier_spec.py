from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.frontier_spec_order import FrontierSpecOrder
from ..models.frontier_spec_tie import FrontierSpecTie
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="FrontierSpec")



@_attrs_define
class FrontierSpec:
    """ 
        Attributes:
            capacity (int | None | Unset): The most URLs that may wait; beyond that the worst are dropped. None: no limit.
            order (FrontierSpecOrder | Unset): What is fetched while better links wait for their hosts; see
                `lycosa.crawl.order.Order`. Default: FrontierSpecOrder.PACED.
            patience (float | Unset): Of `paced`: the crawl may take so many times as long as if all its pages came from one
                host. Default: 2.0.
            tie (FrontierSpecTie | Unset):  Default: FrontierSpecTie.FIFO.
     """

    capacity: int | None | Unset = UNSET
    order: FrontierSpecOrder | Unset = FrontierSpecOrder.PACED
    patience: float | Unset = 2.0
    tie: FrontierSpecTie | Unset = FrontierSpecTie.FIFO





    def to_dict(self) -> dict[str, Any]:
        capacity: int | None | Unset
        if isinstance(self.capacity, Unset):
            capacity = UNSET
        else:
            capacity = self.capacity

        order: str | Unset = UNSET
        if not isinstance(self.order, Unset):
            order = self.order.value


        patience = self.patience

        tie: str | Unset = UNSET
        if not isinstance(self.tie, Unset):
            tie = self.tie.value



        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if capacity is not UNSET:
            field_dict["capacity"] = capacity
        if order is not UNSET:
            field_dict["order"] = order
        if patience is not UNSET:
            field_dict["patience"] = patience
        if tie is not UNSET:
            field_dict["tie"] = tie

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_capacity(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        capacity = _parse_capacity(d.pop("capacity", UNSET))


        _order = d.pop("order", UNSET)
        order: FrontierSpecOrder | Unset
        if isinstance(_order,  Unset):
            order = UNSET
        else:
            order = FrontierSpecOrder(_order)




        patience = d.pop("patience", UNSET)

        _tie = d.pop("tie", UNSET)
        tie: FrontierSpecTie | Unset
        if isinstance(_tie,  Unset):
            tie = UNSET
        else:
            tie = FrontierSpecTie(_tie)




        frontier_spec = cls(
            capacity=capacity,
            order=order,
            patience=patience,
            tie=tie,
        )

        return frontier_spec


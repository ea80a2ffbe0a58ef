from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.estimate_by import EstimateBy






T = TypeVar("T", bound="Estimate")



@_attrs_define
class Estimate:
    """ What share of the relevant pages was found: a middle and a 95 % interval in [0, 1], low ≤ recall ≤ high.

        Attributes:
            by (EstimateBy): `held-out examples` or `capture–recapture`.
            recall (float): The most likely share.
            low (float):
            high (float):
            found (int): Relevant pages found, or held-out examples.
            of (float): How many there are, by the estimate; of held-out examples it is known.
     """

    by: EstimateBy
    recall: float
    low: float
    high: float
    found: int
    of: float
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        by = self.by.value

        recall = self.recall

        low = self.low

        high = self.high

        found = self.found

        of = self.of


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "by": by,
            "recall": recall,
            "low": low,
            "high": high,
            "found": found,
            "of": of,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        by = EstimateBy(d.pop("by"))




        recall = d.pop("recall")

        low = d.pop("low")

        high = d.pop("high")

        found = d.pop("found")

        of = d.pop("of")

        estimate = cls(
            by=by,
            recall=recall,
            low=low,
            high=high,
            found=found,
            of=of,
        )


        estimate.additional_properties = d
        return estimate

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

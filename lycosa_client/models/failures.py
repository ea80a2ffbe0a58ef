from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.failed_visit import FailedVisit
  from ..models.failures_by_reason import FailuresByReason
  from ..models.failures_meaning import FailuresMeaning





T = TypeVar("T", bound="Failures")



@_attrs_define
class Failures:
    """ What failed, and why.

        Attributes:
            by_reason (FailuresByReason): How many URLs failed for each reason.
            meaning (FailuresMeaning): Of each of these reasons, in words.
            visits (list[FailedVisit]):
     """

    by_reason: FailuresByReason
    meaning: FailuresMeaning
    visits: list[FailedVisit]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.failed_visit import FailedVisit # noqa: PLC0415
        from ..models.failures_by_reason import FailuresByReason # noqa: PLC0415
        from ..models.failures_meaning import FailuresMeaning # noqa: PLC0415
        by_reason = self.by_reason.to_dict()

        meaning = self.meaning.to_dict()

        visits = []
        for visits_item_data in self.visits:
            visits_item = visits_item_data.to_dict()
            visits.append(visits_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "by_reason": by_reason,
            "meaning": meaning,
            "visits": visits,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.failed_visit import FailedVisit # noqa: PLC0415
        from ..models.failures_by_reason import FailuresByReason # noqa: PLC0415
        from ..models.failures_meaning import FailuresMeaning # noqa: PLC0415
        d = dict(src_dict)
        by_reason = FailuresByReason.from_dict(d.pop("by_reason"))




        meaning = FailuresMeaning.from_dict(d.pop("meaning"))




        visits = []
        _visits = d.pop("visits")
        for visits_item_data in (_visits):
            visits_item = FailedVisit.from_dict(visits_item_data)



            visits.append(visits_item)


        failures = cls(
            by_reason=by_reason,
            meaning=meaning,
            visits=visits,
        )


        failures.additional_properties = d
        return failures

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="FailedVisit")



@_attrs_define
class FailedVisit:
    """ The last visit of a URL that failed.

        Attributes:
            url (str):
            at (int): By the crawl's clock, in milliseconds.
            reason (str):
            status (int): Of HTTP; 0: none came.
            detail (str):
            attempt (int):
     """

    url: str
    at: int
    reason: str
    status: int
    detail: str
    attempt: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        url = self.url

        at = self.at

        reason = self.reason

        status = self.status

        detail = self.detail

        attempt = self.attempt


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "url": url,
            "at": at,
            "reason": reason,
            "status": status,
            "detail": detail,
            "attempt": attempt,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        url = d.pop("url")

        at = d.pop("at")

        reason = d.pop("reason")

        status = d.pop("status")

        detail = d.pop("detail")

        attempt = d.pop("attempt")

        failed_visit = cls(
            url=url,
            at=at,
            reason=reason,
            status=status,
            detail=detail,
            attempt=attempt,
        )


        failed_visit.additional_properties = d
        return failed_visit

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

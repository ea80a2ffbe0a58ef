from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.record_ref import RecordRef





T = TypeVar("T", bound="Capture")



@_attrs_define
class Capture:
    """ One line of an index: a response or revisit record and where it lies.

        Attributes:
            url (str): As recorded: not necessarily canonical.
            at (int): To the second.
            ref (RecordRef): Where a WARC record lies: file name within the archive, offset and length of its gzip member.
            mime (str | Unset):  Default: 'unk'.
            status (int | Unset): 0 if unknown. Default: 0.
            digest (str | Unset):  Default: ''.
     """

    url: str
    at: int
    ref: RecordRef
    mime: str | Unset = 'unk'
    status: int | Unset = 0
    digest: str | Unset = ''
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.record_ref import RecordRef # noqa: PLC0415
        url = self.url

        at = self.at

        ref = self.ref.to_dict()

        mime = self.mime

        status = self.status

        digest = self.digest


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "url": url,
            "at": at,
            "ref": ref,
        })
        if mime is not UNSET:
            field_dict["mime"] = mime
        if status is not UNSET:
            field_dict["status"] = status
        if digest is not UNSET:
            field_dict["digest"] = digest

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.record_ref import RecordRef # noqa: PLC0415
        d = dict(src_dict)
        url = d.pop("url")

        at = d.pop("at")

        ref = RecordRef.from_dict(d.pop("ref"))




        mime = d.pop("mime", UNSET)

        status = d.pop("status", UNSET)

        digest = d.pop("digest", UNSET)

        capture = cls(
            url=url,
            at=at,
            ref=ref,
            mime=mime,
            status=status,
            digest=digest,
        )


        capture.additional_properties = d
        return capture

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

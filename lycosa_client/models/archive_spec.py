from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ArchiveSpec")



@_attrs_define
class ArchiveSpec:
    """ 
        Attributes:
            max_file_bytes (int | Unset):  Default: 1000000000.
            revisit_records (bool | Unset): Keep identical pages once, and refer to the first afterwards. Default: True.
            dedup_against (list[str] | Unset): Other archives whose payloads are not stored again: crawl folders, folders of
                WARC files, WACZ files. The archive then depends on them.
     """

    max_file_bytes: int | Unset = 1000000000
    revisit_records: bool | Unset = True
    dedup_against: list[str] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        max_file_bytes = self.max_file_bytes

        revisit_records = self.revisit_records

        dedup_against: list[str] | Unset = UNSET
        if not isinstance(self.dedup_against, Unset):
            dedup_against = self.dedup_against




        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if max_file_bytes is not UNSET:
            field_dict["max_file_bytes"] = max_file_bytes
        if revisit_records is not UNSET:
            field_dict["revisit_records"] = revisit_records
        if dedup_against is not UNSET:
            field_dict["dedup_against"] = dedup_against

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        max_file_bytes = d.pop("max_file_bytes", UNSET)

        revisit_records = d.pop("revisit_records", UNSET)

        dedup_against = cast(list[str], d.pop("dedup_against", UNSET))


        archive_spec = cls(
            max_file_bytes=max_file_bytes,
            revisit_records=revisit_records,
            dedup_against=dedup_against,
        )

        return archive_spec


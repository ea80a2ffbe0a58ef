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





T = TypeVar("T", bound="Version")



@_attrs_define
class Version:
    """ One look at a page: what was found, and the capture that holds it.

        Attributes:
            url (str): The URL that was asked for.
            final_url (str):
            at (int):
            sight (str): `first`, `same` (also: still gone), `dressing` (other bytes around the same text), `changed`,
                `gone`, or `back` after that.
            status (int):
            step (int):
            title (str | Unset):  Default: ''.
            relevance (float | Unset):  Default: 0.0.
            importance (float | Unset): Of a change, in [0, 1]: the weighted difference of the page's blocks. Default: 0.0.
            divergence (float | Unset): Of a change, in [0, 1]: how much of the main text is another one. Default: 0.0.
            new_links (int | Unset): Distinct targets that the page did not have before; at the first look all of them.
                Default: 0.
            lost_links (int | Unset):  Default: 0.
            digest (str | Unset):  Default: ''.
            record (None | RecordRef | Unset): None of a page that is gone.
     """

    url: str
    final_url: str
    at: int
    sight: str
    status: int
    step: int
    title: str | Unset = ''
    relevance: float | Unset = 0.0
    importance: float | Unset = 0.0
    divergence: float | Unset = 0.0
    new_links: int | Unset = 0
    lost_links: int | Unset = 0
    digest: str | Unset = ''
    record: None | RecordRef | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.record_ref import RecordRef # noqa: PLC0415
        url = self.url

        final_url = self.final_url

        at = self.at

        sight = self.sight

        status = self.status

        step = self.step

        title = self.title

        relevance = self.relevance

        importance = self.importance

        divergence = self.divergence

        new_links = self.new_links

        lost_links = self.lost_links

        digest = self.digest

        record: dict[str, Any] | None | Unset
        if isinstance(self.record, Unset):
            record = UNSET
        elif isinstance(self.record, RecordRef):
            record = self.record.to_dict()
        else:
            record = self.record


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "url": url,
            "final_url": final_url,
            "at": at,
            "sight": sight,
            "status": status,
            "step": step,
        })
        if title is not UNSET:
            field_dict["title"] = title
        if relevance is not UNSET:
            field_dict["relevance"] = relevance
        if importance is not UNSET:
            field_dict["importance"] = importance
        if divergence is not UNSET:
            field_dict["divergence"] = divergence
        if new_links is not UNSET:
            field_dict["new_links"] = new_links
        if lost_links is not UNSET:
            field_dict["lost_links"] = lost_links
        if digest is not UNSET:
            field_dict["digest"] = digest
        if record is not UNSET:
            field_dict["record"] = record

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.record_ref import RecordRef # noqa: PLC0415
        d = dict(src_dict)
        url = d.pop("url")

        final_url = d.pop("final_url")

        at = d.pop("at")

        sight = d.pop("sight")

        status = d.pop("status")

        step = d.pop("step")

        title = d.pop("title", UNSET)

        relevance = d.pop("relevance", UNSET)

        importance = d.pop("importance", UNSET)

        divergence = d.pop("divergence", UNSET)

        new_links = d.pop("new_links", UNSET)

        lost_links = d.pop("lost_links", UNSET)

        digest = d.pop("digest", UNSET)

        def _parse_record(data: object) -> None | RecordRef | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                record_type_0 = RecordRef.from_dict(data)



                return record_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RecordRef | Unset, data)

        record = _parse_record(d.pop("record", UNSET))


        version = cls(
            url=url,
            final_url=final_url,
            at=at,
            sight=sight,
            status=status,
            step=step,
            title=title,
            relevance=relevance,
            importance=importance,
            divergence=divergence,
            new_links=new_links,
            lost_links=lost_links,
            digest=digest,
            record=record,
        )


        version.additional_properties = d
        return version

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

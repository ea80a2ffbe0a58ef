from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="PageRow")



@_attrs_define
class PageRow:
    """ One page as `export` writes it, in the order of the crawl.

        A dataclass, unlike the other records: pandas and polars make columns of its fields.

        Attributes:
            step (int):
            url (str):
            final_url (str):
            status (int):
            fetched_at (int):
            depth (int):
            via (None | str):
            anchor (str):
            score (float):
            relevance (float):
            title (str):
            text (str):
            language (str):
            digest (str):
            warc_file (str):
            warc_offset (int):
            nothing_new (str | Unset): Why the page counts as a failure: `soft-404`, `parked` or `alias`; empty for pages
                that count. Default: ''.
     """

    step: int
    url: str
    final_url: str
    status: int
    fetched_at: int
    depth: int
    via: None | str
    anchor: str
    score: float
    relevance: float
    title: str
    text: str
    language: str
    digest: str
    warc_file: str
    warc_offset: int
    nothing_new: str | Unset = ''
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        step = self.step

        url = self.url

        final_url = self.final_url

        status = self.status

        fetched_at = self.fetched_at

        depth = self.depth

        via: None | str
        via = self.via

        anchor = self.anchor

        score = self.score

        relevance = self.relevance

        title = self.title

        text = self.text

        language = self.language

        digest = self.digest

        warc_file = self.warc_file

        warc_offset = self.warc_offset

        nothing_new = self.nothing_new


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "step": step,
            "url": url,
            "final_url": final_url,
            "status": status,
            "fetched_at": fetched_at,
            "depth": depth,
            "via": via,
            "anchor": anchor,
            "score": score,
            "relevance": relevance,
            "title": title,
            "text": text,
            "language": language,
            "digest": digest,
            "warc_file": warc_file,
            "warc_offset": warc_offset,
        })
        if nothing_new is not UNSET:
            field_dict["nothing_new"] = nothing_new

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        step = d.pop("step")

        url = d.pop("url")

        final_url = d.pop("final_url")

        status = d.pop("status")

        fetched_at = d.pop("fetched_at")

        depth = d.pop("depth")

        def _parse_via(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        via = _parse_via(d.pop("via"))


        anchor = d.pop("anchor")

        score = d.pop("score")

        relevance = d.pop("relevance")

        title = d.pop("title")

        text = d.pop("text")

        language = d.pop("language")

        digest = d.pop("digest")

        warc_file = d.pop("warc_file")

        warc_offset = d.pop("warc_offset")

        nothing_new = d.pop("nothing_new", UNSET)

        page_row = cls(
            step=step,
            url=url,
            final_url=final_url,
            status=status,
            fetched_at=fetched_at,
            depth=depth,
            via=via,
            anchor=anchor,
            score=score,
            relevance=relevance,
            title=title,
            text=text,
            language=language,
            digest=digest,
            warc_file=warc_file,
            warc_offset=warc_offset,
            nothing_new=nothing_new,
        )


        page_row.additional_properties = d
        return page_row

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

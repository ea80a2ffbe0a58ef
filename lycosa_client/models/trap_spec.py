from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TrapSpec")



@_attrs_define
class TrapSpec:
    """ Bounds against endless sites; see `lycosa.crawl.traps.TrapLimits`. None: that defence's own default, 0: none.

        Attributes:
            off (bool | Unset):  Default: False.
            max_url_length (int | None | Unset):
            max_repeats (int | None | Unset): Refuse a URL whose path has so many equal segments.
            max_pages_per_host (int | None | Unset):
            aliases (bool | Unset): Learn which names are of one page, and fetch it once; see `lycosa.crawl.aliases`.
                Default: True.
     """

    off: bool | Unset = False
    max_url_length: int | None | Unset = UNSET
    max_repeats: int | None | Unset = UNSET
    max_pages_per_host: int | None | Unset = UNSET
    aliases: bool | Unset = True





    def to_dict(self) -> dict[str, Any]:
        off = self.off

        max_url_length: int | None | Unset
        if isinstance(self.max_url_length, Unset):
            max_url_length = UNSET
        else:
            max_url_length = self.max_url_length

        max_repeats: int | None | Unset
        if isinstance(self.max_repeats, Unset):
            max_repeats = UNSET
        else:
            max_repeats = self.max_repeats

        max_pages_per_host: int | None | Unset
        if isinstance(self.max_pages_per_host, Unset):
            max_pages_per_host = UNSET
        else:
            max_pages_per_host = self.max_pages_per_host

        aliases = self.aliases


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if off is not UNSET:
            field_dict["off"] = off
        if max_url_length is not UNSET:
            field_dict["max_url_length"] = max_url_length
        if max_repeats is not UNSET:
            field_dict["max_repeats"] = max_repeats
        if max_pages_per_host is not UNSET:
            field_dict["max_pages_per_host"] = max_pages_per_host
        if aliases is not UNSET:
            field_dict["aliases"] = aliases

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        off = d.pop("off", UNSET)

        def _parse_max_url_length(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_url_length = _parse_max_url_length(d.pop("max_url_length", UNSET))


        def _parse_max_repeats(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_repeats = _parse_max_repeats(d.pop("max_repeats", UNSET))


        def _parse_max_pages_per_host(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_pages_per_host = _parse_max_pages_per_host(d.pop("max_pages_per_host", UNSET))


        aliases = d.pop("aliases", UNSET)

        trap_spec = cls(
            off=off,
            max_url_length=max_url_length,
            max_repeats=max_repeats,
            max_pages_per_host=max_pages_per_host,
            aliases=aliases,
        )

        return trap_spec


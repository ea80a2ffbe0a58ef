from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.stop_spec_recall_by import StopSpecRecallBy
from ..types import UNSET, Unset






T = TypeVar("T", bound="StopSpec")



@_attrs_define
class StopSpec:
    """ When to end before the budget is used up; see `lycosa.crawl.stopping.StopRules`. A rule of 0 is off.

        Attributes:
            harvest (float | Unset): End when the share of relevant pages among the last `window` pages falls below this;
                first it must have risen. Default: 0.0.
            window (int | Unset): Pages over which the harvest rate is taken. Default: 100.
            recall (float | Unset): End when this share of all relevant pages is found, by estimate. Default: 0.0.
            recall_by (StopSpecRecallBy | Unset): Which estimate counts: that by held-out examples, or by capture–recapture.
                Empty: by held-out examples if there are any. Default: StopSpecRecallBy.VALUE_0.
            surely (bool | Unset): Go by the lower end of the estimate's 95 % interval. Default: False.
            bytes_ (int | Unset): End when the archived pages take so many bytes, compressed. Default: 0.
            after (int | Unset):  Default: 100.
     """

    harvest: float | Unset = 0.0
    window: int | Unset = 100
    recall: float | Unset = 0.0
    recall_by: StopSpecRecallBy | Unset = StopSpecRecallBy.VALUE_0
    surely: bool | Unset = False
    bytes_: int | Unset = 0
    after: int | Unset = 100





    def to_dict(self) -> dict[str, Any]:
        harvest = self.harvest

        window = self.window

        recall = self.recall

        recall_by: str | Unset = UNSET
        if not isinstance(self.recall_by, Unset):
            recall_by = self.recall_by.value


        surely = self.surely

        bytes_ = self.bytes_

        after = self.after


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if harvest is not UNSET:
            field_dict["harvest"] = harvest
        if window is not UNSET:
            field_dict["window"] = window
        if recall is not UNSET:
            field_dict["recall"] = recall
        if recall_by is not UNSET:
            field_dict["recall_by"] = recall_by
        if surely is not UNSET:
            field_dict["surely"] = surely
        if bytes_ is not UNSET:
            field_dict["bytes"] = bytes_
        if after is not UNSET:
            field_dict["after"] = after

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        harvest = d.pop("harvest", UNSET)

        window = d.pop("window", UNSET)

        recall = d.pop("recall", UNSET)

        _recall_by = d.pop("recall_by", UNSET)
        recall_by: StopSpecRecallBy | Unset
        if isinstance(_recall_by,  Unset):
            recall_by = UNSET
        else:
            recall_by = StopSpecRecallBy(_recall_by)




        surely = d.pop("surely", UNSET)

        bytes_ = d.pop("bytes", UNSET)

        after = d.pop("after", UNSET)

        stop_spec = cls(
            harvest=harvest,
            window=window,
            recall=recall,
            recall_by=recall_by,
            surely=surely,
            bytes_=bytes_,
            after=after,
        )

        return stop_spec


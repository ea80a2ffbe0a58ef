from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.parameter import Parameter





T = TypeVar("T", bound="StrategyInfo")



@_attrs_define
class StrategyInfo:
    """ What `lycosa strategies` tells of one. Wrappers are of no family.

        Attributes:
            name (str):
            family (str): What it goes by; empty of what other packages bring.
            summary (str):
            parameters (list[Parameter]):
            reference (str):
            manual (str): The docstring as it stands in the manual.
            inputs (list[str]): What it must be given besides: `keywords`, `examples`, …
     """

    name: str
    family: str
    summary: str
    parameters: list[Parameter]
    reference: str
    manual: str
    inputs: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.parameter import Parameter # noqa: PLC0415
        name = self.name

        family = self.family

        summary = self.summary

        parameters = []
        for parameters_item_data in self.parameters:
            parameters_item = parameters_item_data.to_dict()
            parameters.append(parameters_item)



        reference = self.reference

        manual = self.manual

        inputs = self.inputs




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
            "family": family,
            "summary": summary,
            "parameters": parameters,
            "reference": reference,
            "manual": manual,
            "inputs": inputs,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.parameter import Parameter # noqa: PLC0415
        d = dict(src_dict)
        name = d.pop("name")

        family = d.pop("family")

        summary = d.pop("summary")

        parameters = []
        _parameters = d.pop("parameters")
        for parameters_item_data in (_parameters):
            parameters_item = Parameter.from_dict(parameters_item_data)



            parameters.append(parameters_item)


        reference = d.pop("reference")

        manual = d.pop("manual")

        inputs = cast(list[str], d.pop("inputs"))


        strategy_info = cls(
            name=name,
            family=family,
            summary=summary,
            parameters=parameters,
            reference=reference,
            manual=manual,
            inputs=inputs,
        )


        strategy_info.additional_properties = d
        return strategy_info

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

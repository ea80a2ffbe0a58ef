from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="ClusterSpec")



@_attrs_define
class ClusterSpec:
    """ How several crawlers share the crawl, and how many of them there are.

        Attributes:
            nodes (int | Unset):  Default: 1.
            partition (str | Unset):  Default: 'host'.
            classes (str | Unset): Trained classes, for partitions by topic. Default: ''.
            batch_links (int | Unset): Links for another node are sent when there are so many of them. Default: 1000.
            batch_seconds (float | Unset): … or when the oldest has waited so long. Default: 5.0.
            back_links (int | Unset): After so many pages each, nodes tell one another how often pages of the others are
                linked to. 0: never. Default: 0.
     """

    nodes: int | Unset = 1
    partition: str | Unset = 'host'
    classes: str | Unset = ''
    batch_links: int | Unset = 1000
    batch_seconds: float | Unset = 5.0
    back_links: int | Unset = 0





    def to_dict(self) -> dict[str, Any]:
        nodes = self.nodes

        partition = self.partition

        classes = self.classes

        batch_links = self.batch_links

        batch_seconds = self.batch_seconds

        back_links = self.back_links


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if nodes is not UNSET:
            field_dict["nodes"] = nodes
        if partition is not UNSET:
            field_dict["partition"] = partition
        if classes is not UNSET:
            field_dict["classes"] = classes
        if batch_links is not UNSET:
            field_dict["batch_links"] = batch_links
        if batch_seconds is not UNSET:
            field_dict["batch_seconds"] = batch_seconds
        if back_links is not UNSET:
            field_dict["back_links"] = back_links

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        nodes = d.pop("nodes", UNSET)

        partition = d.pop("partition", UNSET)

        classes = d.pop("classes", UNSET)

        batch_links = d.pop("batch_links", UNSET)

        batch_seconds = d.pop("batch_seconds", UNSET)

        back_links = d.pop("back_links", UNSET)

        cluster_spec = cls(
            nodes=nodes,
            partition=partition,
            classes=classes,
            batch_links=batch_links,
            batch_seconds=batch_seconds,
            back_links=back_links,
        )

        return cluster_spec


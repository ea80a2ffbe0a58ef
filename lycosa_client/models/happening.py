from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="Happening")



@_attrs_define
class Happening:
    """ One step of a crawl, as whoever follows it is told. Fields that its kind has no use for are empty.

        Attributes:
            token (str): Where the crawl was after it: what follows is told from here on.
            step (int):
            at (int): By the crawl's clock.
            kind (str): `page`, `unchanged`, `gone` or `failure` for a visit; `started`, `recovered`, and, for what was said
                from outside, `marked`, `operated`, `asked`, `told`, `searched` or `handed-off`.
            node (str | Unset): Of a crawl that several nodes share. Default: ''.
            url (str | Unset):  Default: ''.
            final_url (str | Unset):  Default: ''.
            title (str | Unset):  Default: ''.
            relevance (float | Unset):  Default: 0.0.
            relevant (bool | Unset):  Default: False.
            score (float | Unset): By which the URL was leased. Default: 0.0.
            depth (int | Unset):  Default: 0.
            via (str | Unset): The page whose link led here. Default: ''.
            anchor (str | Unset): The words of that link. Default: ''.
            status (int | Unset):  Default: 0.
            reason (str | Unset): Why a visit failed. Default: ''.
            detail (str | Unset): Of a failure, more of why; of what was said, a sentence. Default: ''.
            again (bool | Unset): Of a visit: whether the crawl had been there before. Default: False.
            change (str | Unset): Of a page that was fetched again: `same`, `dressing` or `content`. Default: ''.
            moved (int | Unset): Of a mark: how many waiting links got another place because of it. Default: 0.
     """

    token: str
    step: int
    at: int
    kind: str
    node: str | Unset = ''
    url: str | Unset = ''
    final_url: str | Unset = ''
    title: str | Unset = ''
    relevance: float | Unset = 0.0
    relevant: bool | Unset = False
    score: float | Unset = 0.0
    depth: int | Unset = 0
    via: str | Unset = ''
    anchor: str | Unset = ''
    status: int | Unset = 0
    reason: str | Unset = ''
    detail: str | Unset = ''
    again: bool | Unset = False
    change: str | Unset = ''
    moved: int | Unset = 0
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        token = self.token

        step = self.step

        at = self.at

        kind = self.kind

        node = self.node

        url = self.url

        final_url = self.final_url

        title = self.title

        relevance = self.relevance

        relevant = self.relevant

        score = self.score

        depth = self.depth

        via = self.via

        anchor = self.anchor

        status = self.status

        reason = self.reason

        detail = self.detail

        again = self.again

        change = self.change

        moved = self.moved


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "token": token,
            "step": step,
            "at": at,
            "kind": kind,
        })
        if node is not UNSET:
            field_dict["node"] = node
        if url is not UNSET:
            field_dict["url"] = url
        if final_url is not UNSET:
            field_dict["final_url"] = final_url
        if title is not UNSET:
            field_dict["title"] = title
        if relevance is not UNSET:
            field_dict["relevance"] = relevance
        if relevant is not UNSET:
            field_dict["relevant"] = relevant
        if score is not UNSET:
            field_dict["score"] = score
        if depth is not UNSET:
            field_dict["depth"] = depth
        if via is not UNSET:
            field_dict["via"] = via
        if anchor is not UNSET:
            field_dict["anchor"] = anchor
        if status is not UNSET:
            field_dict["status"] = status
        if reason is not UNSET:
            field_dict["reason"] = reason
        if detail is not UNSET:
            field_dict["detail"] = detail
        if again is not UNSET:
            field_dict["again"] = again
        if change is not UNSET:
            field_dict["change"] = change
        if moved is not UNSET:
            field_dict["moved"] = moved

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        token = d.pop("token")

        step = d.pop("step")

        at = d.pop("at")

        kind = d.pop("kind")

        node = d.pop("node", UNSET)

        url = d.pop("url", UNSET)

        final_url = d.pop("final_url", UNSET)

        title = d.pop("title", UNSET)

        relevance = d.pop("relevance", UNSET)

        relevant = d.pop("relevant", UNSET)

        score = d.pop("score", UNSET)

        depth = d.pop("depth", UNSET)

        via = d.pop("via", UNSET)

        anchor = d.pop("anchor", UNSET)

        status = d.pop("status", UNSET)

        reason = d.pop("reason", UNSET)

        detail = d.pop("detail", UNSET)

        again = d.pop("again", UNSET)

        change = d.pop("change", UNSET)

        moved = d.pop("moved", UNSET)

        happening = cls(
            token=token,
            step=step,
            at=at,
            kind=kind,
            node=node,
            url=url,
            final_url=final_url,
            title=title,
            relevance=relevance,
            relevant=relevant,
            score=score,
            depth=depth,
            via=via,
            anchor=anchor,
            status=status,
            reason=reason,
            detail=detail,
            again=again,
            change=change,
            moved=moved,
        )


        happening.additional_properties = d
        return happening

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

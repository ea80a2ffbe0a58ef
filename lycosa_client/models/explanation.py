from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.explanation_due_parts import ExplanationDueParts
  from ..models.explanation_relevance_parts import ExplanationRelevanceParts
  from ..models.explanation_score_parts import ExplanationScoreParts
  from ..models.waypoint import Waypoint





T = TypeVar("T", bound="Explanation")



@_attrs_define
class Explanation:
    """ Everything a crawl can say about one URL.

        Attributes:
            url (str):
            state (str): `visited`, `failed`, `soft-404` or `parked` (fetched, but nothing new), `alias` (a page that the
                crawl has, or is to fetch, by another name), `pending`, `leased`, `blocked` (nothing is fetched from its host
                now), `refused`, `found` (linked but not entered), `embedded` (shown by a page, such as an image, but linked by
                none) or `unseen`.
            reason (str): A sentence: what was decided about the URL, and by which rule.
            place (int | None | Unset): Of a pending URL: 1 is the next that would be fetched if every host were free.
            pending (int | None | Unset): How many URLs wait, for comparison with `place`.
            step (int | None | Unset):
            at (int | None | Unset):
            score (float | None | Unset):
            tier (int | None | Unset):
            rank (int | None | Unset): Of a URL that was fetched: how many better links waited for their hosts then, as far
                as they were counted.
            score_parts (ExplanationScoreParts | Unset): What the strategy's score was made of.
            relevance (float | None | Unset):
            relevance_parts (ExplanationRelevanceParts | Unset): What the topic model's relevance was made of.
            title (str | Unset):  Default: ''.
            links_left_out (int | Unset): Distinct targets of the page that were left out, as it had more than the crawl
                takes of one page. Default: 0.
            looks (int | Unset): Of a page: how often it was looked at, at most 64. Default: 0.
            due (int | None | Unset): Of a page that is to be visited again: when, at the earliest.
            due_parts (ExplanationDueParts | Unset): What the policy makes of the page: `changes a day`, its `worth`, the
                relevance of new pages that it leads to a day (`finds a day`), and the share of `signals that were right`.
            marked (bool | None | Unset): Whether a person marked it good or bad; None if nobody did.
            path (list[Waypoint] | Unset): From a start page to the URL itself, which comes last.
            linked_from (list[str] | Unset): Up to ten visited pages that link to it; of an embedded URL, the first that
                shows it.
     """

    url: str
    state: str
    reason: str
    place: int | None | Unset = UNSET
    pending: int | None | Unset = UNSET
    step: int | None | Unset = UNSET
    at: int | None | Unset = UNSET
    score: float | None | Unset = UNSET
    tier: int | None | Unset = UNSET
    rank: int | None | Unset = UNSET
    score_parts: ExplanationScoreParts | Unset = UNSET
    relevance: float | None | Unset = UNSET
    relevance_parts: ExplanationRelevanceParts | Unset = UNSET
    title: str | Unset = ''
    links_left_out: int | Unset = 0
    looks: int | Unset = 0
    due: int | None | Unset = UNSET
    due_parts: ExplanationDueParts | Unset = UNSET
    marked: bool | None | Unset = UNSET
    path: list[Waypoint] | Unset = UNSET
    linked_from: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.explanation_due_parts import ExplanationDueParts # noqa: PLC0415
        from ..models.explanation_relevance_parts import ExplanationRelevanceParts # noqa: PLC0415
        from ..models.explanation_score_parts import ExplanationScoreParts # noqa: PLC0415
        from ..models.waypoint import Waypoint # noqa: PLC0415
        url = self.url

        state = self.state

        reason = self.reason

        place: int | None | Unset
        if isinstance(self.place, Unset):
            place = UNSET
        else:
            place = self.place

        pending: int | None | Unset
        if isinstance(self.pending, Unset):
            pending = UNSET
        else:
            pending = self.pending

        step: int | None | Unset
        if isinstance(self.step, Unset):
            step = UNSET
        else:
            step = self.step

        at: int | None | Unset
        if isinstance(self.at, Unset):
            at = UNSET
        else:
            at = self.at

        score: float | None | Unset
        if isinstance(self.score, Unset):
            score = UNSET
        else:
            score = self.score

        tier: int | None | Unset
        if isinstance(self.tier, Unset):
            tier = UNSET
        else:
            tier = self.tier

        rank: int | None | Unset
        if isinstance(self.rank, Unset):
            rank = UNSET
        else:
            rank = self.rank

        score_parts: dict[str, Any] | Unset = UNSET
        if not isinstance(self.score_parts, Unset):
            score_parts = self.score_parts.to_dict()

        relevance: float | None | Unset
        if isinstance(self.relevance, Unset):
            relevance = UNSET
        else:
            relevance = self.relevance

        relevance_parts: dict[str, Any] | Unset = UNSET
        if not isinstance(self.relevance_parts, Unset):
            relevance_parts = self.relevance_parts.to_dict()

        title = self.title

        links_left_out = self.links_left_out

        looks = self.looks

        due: int | None | Unset
        if isinstance(self.due, Unset):
            due = UNSET
        else:
            due = self.due

        due_parts: dict[str, Any] | Unset = UNSET
        if not isinstance(self.due_parts, Unset):
            due_parts = self.due_parts.to_dict()

        marked: bool | None | Unset
        if isinstance(self.marked, Unset):
            marked = UNSET
        else:
            marked = self.marked

        path: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.path, Unset):
            path = []
            for path_item_data in self.path:
                path_item = path_item_data.to_dict()
                path.append(path_item)



        linked_from: list[str] | Unset = UNSET
        if not isinstance(self.linked_from, Unset):
            linked_from = self.linked_from




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "url": url,
            "state": state,
            "reason": reason,
        })
        if place is not UNSET:
            field_dict["place"] = place
        if pending is not UNSET:
            field_dict["pending"] = pending
        if step is not UNSET:
            field_dict["step"] = step
        if at is not UNSET:
            field_dict["at"] = at
        if score is not UNSET:
            field_dict["score"] = score
        if tier is not UNSET:
            field_dict["tier"] = tier
        if rank is not UNSET:
            field_dict["rank"] = rank
        if score_parts is not UNSET:
            field_dict["score_parts"] = score_parts
        if relevance is not UNSET:
            field_dict["relevance"] = relevance
        if relevance_parts is not UNSET:
            field_dict["relevance_parts"] = relevance_parts
        if title is not UNSET:
            field_dict["title"] = title
        if links_left_out is not UNSET:
            field_dict["links_left_out"] = links_left_out
        if looks is not UNSET:
            field_dict["looks"] = looks
        if due is not UNSET:
            field_dict["due"] = due
        if due_parts is not UNSET:
            field_dict["due_parts"] = due_parts
        if marked is not UNSET:
            field_dict["marked"] = marked
        if path is not UNSET:
            field_dict["path"] = path
        if linked_from is not UNSET:
            field_dict["linked_from"] = linked_from

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.explanation_due_parts import ExplanationDueParts # noqa: PLC0415
        from ..models.explanation_relevance_parts import ExplanationRelevanceParts # noqa: PLC0415
        from ..models.explanation_score_parts import ExplanationScoreParts # noqa: PLC0415
        from ..models.waypoint import Waypoint # noqa: PLC0415
        d = dict(src_dict)
        url = d.pop("url")

        state = d.pop("state")

        reason = d.pop("reason")

        def _parse_place(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        place = _parse_place(d.pop("place", UNSET))


        def _parse_pending(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        pending = _parse_pending(d.pop("pending", UNSET))


        def _parse_step(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        step = _parse_step(d.pop("step", UNSET))


        def _parse_at(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        at = _parse_at(d.pop("at", UNSET))


        def _parse_score(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        score = _parse_score(d.pop("score", UNSET))


        def _parse_tier(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        tier = _parse_tier(d.pop("tier", UNSET))


        def _parse_rank(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        rank = _parse_rank(d.pop("rank", UNSET))


        _score_parts = d.pop("score_parts", UNSET)
        score_parts: ExplanationScoreParts | Unset
        if isinstance(_score_parts,  Unset):
            score_parts = UNSET
        else:
            score_parts = ExplanationScoreParts.from_dict(_score_parts)




        def _parse_relevance(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        relevance = _parse_relevance(d.pop("relevance", UNSET))


        _relevance_parts = d.pop("relevance_parts", UNSET)
        relevance_parts: ExplanationRelevanceParts | Unset
        if isinstance(_relevance_parts,  Unset):
            relevance_parts = UNSET
        else:
            relevance_parts = ExplanationRelevanceParts.from_dict(_relevance_parts)




        title = d.pop("title", UNSET)

        links_left_out = d.pop("links_left_out", UNSET)

        looks = d.pop("looks", UNSET)

        def _parse_due(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        due = _parse_due(d.pop("due", UNSET))


        _due_parts = d.pop("due_parts", UNSET)
        due_parts: ExplanationDueParts | Unset
        if isinstance(_due_parts,  Unset):
            due_parts = UNSET
        else:
            due_parts = ExplanationDueParts.from_dict(_due_parts)




        def _parse_marked(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        marked = _parse_marked(d.pop("marked", UNSET))


        _path = d.pop("path", UNSET)
        path: list[Waypoint] | Unset = UNSET
        if _path is not UNSET:
            path = []
            for path_item_data in _path:
                path_item = Waypoint.from_dict(path_item_data)



                path.append(path_item)


        linked_from = cast(list[str], d.pop("linked_from", UNSET))


        explanation = cls(
            url=url,
            state=state,
            reason=reason,
            place=place,
            pending=pending,
            step=step,
            at=at,
            score=score,
            tier=tier,
            rank=rank,
            score_parts=score_parts,
            relevance=relevance,
            relevance_parts=relevance_parts,
            title=title,
            links_left_out=links_left_out,
            looks=looks,
            due=due,
            due_parts=due_parts,
            marked=marked,
            path=path,
            linked_from=linked_from,
        )


        explanation.additional_properties = d
        return explanation

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

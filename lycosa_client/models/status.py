from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.block import Block
  from ..models.estimate import Estimate
  from ..models.in_order import InOrder
  from ..models.refreshing import Refreshing
  from ..models.status_facts import StatusFacts
  from ..models.status_failures_by_reason import StatusFailuresByReason
  from ..models.status_judge import StatusJudge
  from ..models.status_marks import StatusMarks
  from ..models.status_statuses import StatusStatuses





T = TypeVar("T", bound="Status")



@_attrs_define
class Status:
    """ How a crawl stands, or how it ended.

        Attributes:
            folder (str):
            state (str): `running`, `paused`, `done`, `interrupted` (it can be resumed) or `failed` (something must be
                mended, then resumed).
            ended (str): Why it is not running, as a sentence; empty while it runs.
            ended_by (str): The same in a word: `budget`, `exhausted`, `rule`, `stopped`, `interrupted` or `failed`; empty
                while it runs, and for a process that ended without a word.
            topic (str):
            strategy (str):
            seeds (list[str]):
            web (str):
            pages (int):
            budget (int | None): The most pages; None: a refresh goes on finding new ones.
            requests (int): Of the visits that are over: failures, repeated tries and redirects too, robots.txt apart.
            relevant (int): Pages of at least the relevance at which a page counts as relevant.
            harvest_rate (float): relevant / pages, 0 without pages.
            mean_relevance (float):
            failures (int):
            failures_by_reason (StatusFailuresByReason):
            statuses (StatusStatuses): Pages and failures by HTTP status, as text keys.
            hosts (int):
            pending (int): URLs that wait, as of the last checkpoint.
            refused (int): Links that scope, traps or nofollow kept out, as of the last checkpoint.
            trimmed (int): URLs that a bounded frontier dropped, as of the last checkpoint.
            started_at (int):
            last_at (int): The time of the last step.
            seconds (float): What the runs took together.
            warc_files (int):
            warc_bytes (int):
            version (str):
            process (int | None): The process that writes to the folder now.
            request_budget (int | None | Unset): The most requests; None: no limit.
            order (InOrder | None | Unset): None before the first checkpoint.
            marks (StatusMarks | Unset): How many pages are marked `good` and `bad`, and how many marks are still `waiting`
                for the crawl to go on.
            judge (StatusJudge | Unset): Of a model that is asked (`--judge`): `calls` made, answers `good`, `bad` and
                `unclear`, `calls left`, `tokens` used and, where they are limited, `tokens left`.
            estimates (list[Estimate] | Unset): What share of the relevant pages was found, by each method that can tell, as
                of the last checkpoint; the better founded first.
            facts (StatusFacts | Unset): What the strategy has to tell of its work, as of the last checkpoint (its manual
                says what), and what was learned of second names of pages.
            refreshing (None | Refreshing | Unset): None of a crawl that visited nothing again, and is not about to.
            blocked (list[Block] | Unset): The hosts of which nothing is fetched, since somebody said so.
            notes (list[str] | Unset): What could not be told, and what helps.
     """

    folder: str
    state: str
    ended: str
    ended_by: str
    topic: str
    strategy: str
    seeds: list[str]
    web: str
    pages: int
    budget: int | None
    requests: int
    relevant: int
    harvest_rate: float
    mean_relevance: float
    failures: int
    failures_by_reason: StatusFailuresByReason
    statuses: StatusStatuses
    hosts: int
    pending: int
    refused: int
    trimmed: int
    started_at: int
    last_at: int
    seconds: float
    warc_files: int
    warc_bytes: int
    version: str
    process: int | None
    request_budget: int | None | Unset = UNSET
    order: InOrder | None | Unset = UNSET
    marks: StatusMarks | Unset = UNSET
    judge: StatusJudge | Unset = UNSET
    estimates: list[Estimate] | Unset = UNSET
    facts: StatusFacts | Unset = UNSET
    refreshing: None | Refreshing | Unset = UNSET
    blocked: list[Block] | Unset = UNSET
    notes: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.block import Block # noqa: PLC0415
        from ..models.estimate import Estimate # noqa: PLC0415
        from ..models.in_order import InOrder # noqa: PLC0415
        from ..models.refreshing import Refreshing # noqa: PLC0415
        from ..models.status_facts import StatusFacts # noqa: PLC0415
        from ..models.status_failures_by_reason import StatusFailuresByReason # noqa: PLC0415
        from ..models.status_judge import StatusJudge # noqa: PLC0415
        from ..models.status_marks import StatusMarks # noqa: PLC0415
        from ..models.status_statuses import StatusStatuses # noqa: PLC0415
        folder = self.folder

        state = self.state

        ended = self.ended

        ended_by = self.ended_by

        topic = self.topic

        strategy = self.strategy

        seeds = self.seeds



        web = self.web

        pages = self.pages

        budget: int | None
        budget = self.budget

        requests = self.requests

        relevant = self.relevant

        harvest_rate = self.harvest_rate

        mean_relevance = self.mean_relevance

        failures = self.failures

        failures_by_reason = self.failures_by_reason.to_dict()

        statuses = self.statuses.to_dict()

        hosts = self.hosts

        pending = self.pending

        refused = self.refused

        trimmed = self.trimmed

        started_at = self.started_at

        last_at = self.last_at

        seconds = self.seconds

        warc_files = self.warc_files

        warc_bytes = self.warc_bytes

        version = self.version

        process: int | None
        process = self.process

        request_budget: int | None | Unset
        if isinstance(self.request_budget, Unset):
            request_budget = UNSET
        else:
            request_budget = self.request_budget

        order: dict[str, Any] | None | Unset
        if isinstance(self.order, Unset):
            order = UNSET
        elif isinstance(self.order, InOrder):
            order = self.order.to_dict()
        else:
            order = self.order

        marks: dict[str, Any] | Unset = UNSET
        if not isinstance(self.marks, Unset):
            marks = self.marks.to_dict()

        judge: dict[str, Any] | Unset = UNSET
        if not isinstance(self.judge, Unset):
            judge = self.judge.to_dict()

        estimates: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.estimates, Unset):
            estimates = []
            for estimates_item_data in self.estimates:
                estimates_item = estimates_item_data.to_dict()
                estimates.append(estimates_item)



        facts: dict[str, Any] | Unset = UNSET
        if not isinstance(self.facts, Unset):
            facts = self.facts.to_dict()

        refreshing: dict[str, Any] | None | Unset
        if isinstance(self.refreshing, Unset):
            refreshing = UNSET
        elif isinstance(self.refreshing, Refreshing):
            refreshing = self.refreshing.to_dict()
        else:
            refreshing = self.refreshing

        blocked: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.blocked, Unset):
            blocked = []
            for blocked_item_data in self.blocked:
                blocked_item = blocked_item_data.to_dict()
                blocked.append(blocked_item)



        notes: list[str] | Unset = UNSET
        if not isinstance(self.notes, Unset):
            notes = self.notes




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "folder": folder,
            "state": state,
            "ended": ended,
            "ended_by": ended_by,
            "topic": topic,
            "strategy": strategy,
            "seeds": seeds,
            "web": web,
            "pages": pages,
            "budget": budget,
            "requests": requests,
            "relevant": relevant,
            "harvest_rate": harvest_rate,
            "mean_relevance": mean_relevance,
            "failures": failures,
            "failures_by_reason": failures_by_reason,
            "statuses": statuses,
            "hosts": hosts,
            "pending": pending,
            "refused": refused,
            "trimmed": trimmed,
            "started_at": started_at,
            "last_at": last_at,
            "seconds": seconds,
            "warc_files": warc_files,
            "warc_bytes": warc_bytes,
            "version": version,
            "process": process,
        })
        if request_budget is not UNSET:
            field_dict["request_budget"] = request_budget
        if order is not UNSET:
            field_dict["order"] = order
        if marks is not UNSET:
            field_dict["marks"] = marks
        if judge is not UNSET:
            field_dict["judge"] = judge
        if estimates is not UNSET:
            field_dict["estimates"] = estimates
        if facts is not UNSET:
            field_dict["facts"] = facts
        if refreshing is not UNSET:
            field_dict["refreshing"] = refreshing
        if blocked is not UNSET:
            field_dict["blocked"] = blocked
        if notes is not UNSET:
            field_dict["notes"] = notes

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.block import Block # noqa: PLC0415
        from ..models.estimate import Estimate # noqa: PLC0415
        from ..models.in_order import InOrder # noqa: PLC0415
        from ..models.refreshing import Refreshing # noqa: PLC0415
        from ..models.status_facts import StatusFacts # noqa: PLC0415
        from ..models.status_failures_by_reason import StatusFailuresByReason # noqa: PLC0415
        from ..models.status_judge import StatusJudge # noqa: PLC0415
        from ..models.status_marks import StatusMarks # noqa: PLC0415
        from ..models.status_statuses import StatusStatuses # noqa: PLC0415
        d = dict(src_dict)
        folder = d.pop("folder")

        state = d.pop("state")

        ended = d.pop("ended")

        ended_by = d.pop("ended_by")

        topic = d.pop("topic")

        strategy = d.pop("strategy")

        seeds = cast(list[str], d.pop("seeds"))


        web = d.pop("web")

        pages = d.pop("pages")

        def _parse_budget(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        budget = _parse_budget(d.pop("budget"))


        requests = d.pop("requests")

        relevant = d.pop("relevant")

        harvest_rate = d.pop("harvest_rate")

        mean_relevance = d.pop("mean_relevance")

        failures = d.pop("failures")

        failures_by_reason = StatusFailuresByReason.from_dict(d.pop("failures_by_reason"))




        statuses = StatusStatuses.from_dict(d.pop("statuses"))




        hosts = d.pop("hosts")

        pending = d.pop("pending")

        refused = d.pop("refused")

        trimmed = d.pop("trimmed")

        started_at = d.pop("started_at")

        last_at = d.pop("last_at")

        seconds = d.pop("seconds")

        warc_files = d.pop("warc_files")

        warc_bytes = d.pop("warc_bytes")

        version = d.pop("version")

        def _parse_process(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        process = _parse_process(d.pop("process"))


        def _parse_request_budget(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        request_budget = _parse_request_budget(d.pop("request_budget", UNSET))


        def _parse_order(data: object) -> InOrder | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                order_type_0 = InOrder.from_dict(data)



                return order_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(InOrder | None | Unset, data)

        order = _parse_order(d.pop("order", UNSET))


        _marks = d.pop("marks", UNSET)
        marks: StatusMarks | Unset
        if isinstance(_marks,  Unset):
            marks = UNSET
        else:
            marks = StatusMarks.from_dict(_marks)




        _judge = d.pop("judge", UNSET)
        judge: StatusJudge | Unset
        if isinstance(_judge,  Unset):
            judge = UNSET
        else:
            judge = StatusJudge.from_dict(_judge)




        _estimates = d.pop("estimates", UNSET)
        estimates: list[Estimate] | Unset = UNSET
        if _estimates is not UNSET:
            estimates = []
            for estimates_item_data in _estimates:
                estimates_item = Estimate.from_dict(estimates_item_data)



                estimates.append(estimates_item)


        _facts = d.pop("facts", UNSET)
        facts: StatusFacts | Unset
        if isinstance(_facts,  Unset):
            facts = UNSET
        else:
            facts = StatusFacts.from_dict(_facts)




        def _parse_refreshing(data: object) -> None | Refreshing | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                refreshing_type_0 = Refreshing.from_dict(data)



                return refreshing_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Refreshing | Unset, data)

        refreshing = _parse_refreshing(d.pop("refreshing", UNSET))


        _blocked = d.pop("blocked", UNSET)
        blocked: list[Block] | Unset = UNSET
        if _blocked is not UNSET:
            blocked = []
            for blocked_item_data in _blocked:
                blocked_item = Block.from_dict(blocked_item_data)



                blocked.append(blocked_item)


        notes = cast(list[str], d.pop("notes", UNSET))


        status = cls(
            folder=folder,
            state=state,
            ended=ended,
            ended_by=ended_by,
            topic=topic,
            strategy=strategy,
            seeds=seeds,
            web=web,
            pages=pages,
            budget=budget,
            requests=requests,
            relevant=relevant,
            harvest_rate=harvest_rate,
            mean_relevance=mean_relevance,
            failures=failures,
            failures_by_reason=failures_by_reason,
            statuses=statuses,
            hosts=hosts,
            pending=pending,
            refused=refused,
            trimmed=trimmed,
            started_at=started_at,
            last_at=last_at,
            seconds=seconds,
            warc_files=warc_files,
            warc_bytes=warc_bytes,
            version=version,
            process=process,
            request_budget=request_budget,
            order=order,
            marks=marks,
            judge=judge,
            estimates=estimates,
            facts=facts,
            refreshing=refreshing,
            blocked=blocked,
            notes=notes,
        )


        status.additional_properties = d
        return status

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

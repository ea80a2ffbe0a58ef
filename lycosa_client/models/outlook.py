from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.in_order import InOrder
  from ..models.member import Member
  from ..models.outlook_facts import OutlookFacts
  from ..models.outlook_resting import OutlookResting
  from ..models.waiting_link import WaitingLink





T = TypeVar("T", bound="Outlook")



@_attrs_define
class Outlook:
    """ What only the crawling process knows, as it was a moment ago: see `lycosa.crawls.lookout`.

        Attributes:
            at (int): By the crawl's clock.
            written (int): By the machine's clock.
            step (int):
            waiting (int): URLs that wait to be fetched.
            revisits (int | Unset): URLs that wait to be fetched again. Default: 0.
            fetching (list[str] | Unset): What is being fetched, the first hundred of them.
            resting (OutlookResting | Unset): The hosts that are left alone now, and until when, by the crawl's clock: those
                that open first, up to two hundred of them.
            hosts_resting (int | Unset): How many hosts are left alone in all. Default: 0.
            paused (bool | Unset):  Default: False.
            order (InOrder | None | Unset):
            facts (OutlookFacts | Unset): What the strategy has to tell of its work.
            population (list[Member] | Unset): Of a strategy that crawls by a population: its members, those that are alive
                first, up to three hundred.
            best (list[WaitingLink] | Unset): The best links that wait, best first, up to fifty.
            told (list[str] | Unset): What came up in this run that a person should know, the last lines of it.
     """

    at: int
    written: int
    step: int
    waiting: int
    revisits: int | Unset = 0
    fetching: list[str] | Unset = UNSET
    resting: OutlookResting | Unset = UNSET
    hosts_resting: int | Unset = 0
    paused: bool | Unset = False
    order: InOrder | None | Unset = UNSET
    facts: OutlookFacts | Unset = UNSET
    population: list[Member] | Unset = UNSET
    best: list[WaitingLink] | Unset = UNSET
    told: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.in_order import InOrder # noqa: PLC0415
        from ..models.member import Member # noqa: PLC0415
        from ..models.outlook_facts import OutlookFacts # noqa: PLC0415
        from ..models.outlook_resting import OutlookResting # noqa: PLC0415
        from ..models.waiting_link import WaitingLink # noqa: PLC0415
        at = self.at

        written = self.written

        step = self.step

        waiting = self.waiting

        revisits = self.revisits

        fetching: list[str] | Unset = UNSET
        if not isinstance(self.fetching, Unset):
            fetching = self.fetching



        resting: dict[str, Any] | Unset = UNSET
        if not isinstance(self.resting, Unset):
            resting = self.resting.to_dict()

        hosts_resting = self.hosts_resting

        paused = self.paused

        order: dict[str, Any] | None | Unset
        if isinstance(self.order, Unset):
            order = UNSET
        elif isinstance(self.order, InOrder):
            order = self.order.to_dict()
        else:
            order = self.order

        facts: dict[str, Any] | Unset = UNSET
        if not isinstance(self.facts, Unset):
            facts = self.facts.to_dict()

        population: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.population, Unset):
            population = []
            for population_item_data in self.population:
                population_item = population_item_data.to_dict()
                population.append(population_item)



        best: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.best, Unset):
            best = []
            for best_item_data in self.best:
                best_item = best_item_data.to_dict()
                best.append(best_item)



        told: list[str] | Unset = UNSET
        if not isinstance(self.told, Unset):
            told = self.told




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "at": at,
            "written": written,
            "step": step,
            "waiting": waiting,
        })
        if revisits is not UNSET:
            field_dict["revisits"] = revisits
        if fetching is not UNSET:
            field_dict["fetching"] = fetching
        if resting is not UNSET:
            field_dict["resting"] = resting
        if hosts_resting is not UNSET:
            field_dict["hosts_resting"] = hosts_resting
        if paused is not UNSET:
            field_dict["paused"] = paused
        if order is not UNSET:
            field_dict["order"] = order
        if facts is not UNSET:
            field_dict["facts"] = facts
        if population is not UNSET:
            field_dict["population"] = population
        if best is not UNSET:
            field_dict["best"] = best
        if told is not UNSET:
            field_dict["told"] = told

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.in_order import InOrder # noqa: PLC0415
        from ..models.member import Member # noqa: PLC0415
        from ..models.outlook_facts import OutlookFacts # noqa: PLC0415
        from ..models.outlook_resting import OutlookResting # noqa: PLC0415
        from ..models.waiting_link import WaitingLink # noqa: PLC0415
        d = dict(src_dict)
        at = d.pop("at")

        written = d.pop("written")

        step = d.pop("step")

        waiting = d.pop("waiting")

        revisits = d.pop("revisits", UNSET)

        fetching = cast(list[str], d.pop("fetching", UNSET))


        _resting = d.pop("resting", UNSET)
        resting: OutlookResting | Unset
        if isinstance(_resting,  Unset):
            resting = UNSET
        else:
            resting = OutlookResting.from_dict(_resting)




        hosts_resting = d.pop("hosts_resting", UNSET)

        paused = d.pop("paused", UNSET)

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


        _facts = d.pop("facts", UNSET)
        facts: OutlookFacts | Unset
        if isinstance(_facts,  Unset):
            facts = UNSET
        else:
            facts = OutlookFacts.from_dict(_facts)




        _population = d.pop("population", UNSET)
        population: list[Member] | Unset = UNSET
        if _population is not UNSET:
            population = []
            for population_item_data in _population:
                population_item = Member.from_dict(population_item_data)



                population.append(population_item)


        _best = d.pop("best", UNSET)
        best: list[WaitingLink] | Unset = UNSET
        if _best is not UNSET:
            best = []
            for best_item_data in _best:
                best_item = WaitingLink.from_dict(best_item_data)



                best.append(best_item)


        told = cast(list[str], d.pop("told", UNSET))


        outlook = cls(
            at=at,
            written=written,
            step=step,
            waiting=waiting,
            revisits=revisits,
            fetching=fetching,
            resting=resting,
            hosts_resting=hosts_resting,
            paused=paused,
            order=order,
            facts=facts,
            population=population,
            best=best,
            told=told,
        )


        outlook.additional_properties = d
        return outlook

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

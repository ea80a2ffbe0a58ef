from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.politeness_spec_nofollow import PolitenessSpecNofollow
from ..models.politeness_spec_robots import PolitenessSpecRobots
from ..types import UNSET, Unset






T = TypeVar("T", bound="PolitenessSpec")



@_attrs_define
class PolitenessSpec:
    """ Times in seconds; see `lycosa.crawl.pace.PaceRules` for what each one does.

        Attributes:
            delay (float | Unset):  Default: 1.0.
            slowness (float | Unset):  Default: 1.0.
            backoff (float | Unset):  Default: 5.0.
            max_backoff (float | Unset):  Default: 900.0.
            max_crawl_delay (float | Unset):  Default: 300.0.
            attempts (int | Unset):  Default: 3.
            give_up (int | Unset):  Default: 7.
            robots (PolitenessSpecRobots | Unset):  Default: PolitenessSpecRobots.OBEY.
            nofollow (PolitenessSpecNofollow | Unset):  Default: PolitenessSpecNofollow.OBEY.
     """

    delay: float | Unset = 1.0
    slowness: float | Unset = 1.0
    backoff: float | Unset = 5.0
    max_backoff: float | Unset = 900.0
    max_crawl_delay: float | Unset = 300.0
    attempts: int | Unset = 3
    give_up: int | Unset = 7
    robots: PolitenessSpecRobots | Unset = PolitenessSpecRobots.OBEY
    nofollow: PolitenessSpecNofollow | Unset = PolitenessSpecNofollow.OBEY





    def to_dict(self) -> dict[str, Any]:
        delay = self.delay

        slowness = self.slowness

        backoff = self.backoff

        max_backoff = self.max_backoff

        max_crawl_delay = self.max_crawl_delay

        attempts = self.attempts

        give_up = self.give_up

        robots: str | Unset = UNSET
        if not isinstance(self.robots, Unset):
            robots = self.robots.value


        nofollow: str | Unset = UNSET
        if not isinstance(self.nofollow, Unset):
            nofollow = self.nofollow.value



        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if delay is not UNSET:
            field_dict["delay"] = delay
        if slowness is not UNSET:
            field_dict["slowness"] = slowness
        if backoff is not UNSET:
            field_dict["backoff"] = backoff
        if max_backoff is not UNSET:
            field_dict["max_backoff"] = max_backoff
        if max_crawl_delay is not UNSET:
            field_dict["max_crawl_delay"] = max_crawl_delay
        if attempts is not UNSET:
            field_dict["attempts"] = attempts
        if give_up is not UNSET:
            field_dict["give_up"] = give_up
        if robots is not UNSET:
            field_dict["robots"] = robots
        if nofollow is not UNSET:
            field_dict["nofollow"] = nofollow

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        delay = d.pop("delay", UNSET)

        slowness = d.pop("slowness", UNSET)

        backoff = d.pop("backoff", UNSET)

        max_backoff = d.pop("max_backoff", UNSET)

        max_crawl_delay = d.pop("max_crawl_delay", UNSET)

        attempts = d.pop("attempts", UNSET)

        give_up = d.pop("give_up", UNSET)

        _robots = d.pop("robots", UNSET)
        robots: PolitenessSpecRobots | Unset
        if isinstance(_robots,  Unset):
            robots = UNSET
        else:
            robots = PolitenessSpecRobots(_robots)




        _nofollow = d.pop("nofollow", UNSET)
        nofollow: PolitenessSpecNofollow | Unset
        if isinstance(_nofollow,  Unset):
            nofollow = UNSET
        else:
            nofollow = PolitenessSpecNofollow(_nofollow)




        politeness_spec = cls(
            delay=delay,
            slowness=slowness,
            backoff=backoff,
            max_backoff=max_backoff,
            max_crawl_delay=max_crawl_delay,
            attempts=attempts,
            give_up=give_up,
            robots=robots,
            nofollow=nofollow,
        )

        return politeness_spec


"""What a crawl can be made of: strategies, what goes around them, policies of visiting again, partitions."""

from __future__ import annotations

from lycosa.console.desk import Desk
from lycosa.console.rest.operation import Nothing, Operation
from lycosa.model.naming import Info
from lycosa.model.records import Record
from lycosa.revisit import registry as revisit
from lycosa.sharing import registry as sharing
from lycosa.spec import registry as strategies
from lycosa.spec.registry import StrategyInfo


class Named(Record, frozen=True, kw_only=True):
    """Of which one is asked."""

    name: str


def list_strategies(desk: Desk, given: Nothing) -> list[StrategyInfo]:
    """List the crawling strategies, with their manuals."""
    return [strategies.describe(name) for name in strategies.strategy_names()]


def list_wrappers(desk: Desk, given: Nothing) -> list[StrategyInfo]:
    """List what can be put around a strategy, with their manuals."""
    return [strategies.describe(name) for name in strategies.wrapper_names()]


def list_policies(desk: Desk, given: Nothing) -> list[Info]:
    """List the policies of visiting pages again, with their manuals."""
    return [revisit.describe(name) for name in revisit.policy_names()]


def list_partitions(desk: Desk, given: Nothing) -> list[Info]:
    """List the ways to share a crawl among crawlers, with their manuals."""
    return [sharing.describe(name) for name in sharing.partition_names()]


def describe_strategy(desk: Desk, given: Named) -> StrategyInfo:
    """Describe a crawling strategy, or what can be put around one."""
    return strategies.describe(given.name)


def describe_policy(desk: Desk, given: Named) -> Info:
    """Describe a policy of visiting pages again."""
    return revisit.describe(given.name)


def describe_partition(desk: Desk, given: Named) -> Info:
    """Describe a way to share a crawl among crawlers."""
    return sharing.describe(given.name)


OPERATIONS = (
    Operation(
        method="GET", path="/strategies", answer=list_strategies, gives=list[StrategyInfo], tag="manuals"
    ),
    Operation(method="GET", path="/wrappers", answer=list_wrappers, gives=list[StrategyInfo], tag="manuals"),
    Operation(method="GET", path="/policies", answer=list_policies, gives=list[Info], tag="manuals"),
    Operation(method="GET", path="/partitions", answer=list_partitions, gives=list[Info], tag="manuals"),
    Operation(
        method="GET",
        path="/strategies/{name}",
        answer=describe_strategy,
        takes=Named,
        gives=StrategyInfo,
        tag="manuals",
    ),
    Operation(
        method="GET", path="/policies/{name}", answer=describe_policy, takes=Named, gives=Info, tag="manuals"
    ),
    Operation(
        method="GET",
        path="/partitions/{name}",
        answer=describe_partition,
        takes=Named,
        gives=Info,
        tag="manuals",
    ),
)

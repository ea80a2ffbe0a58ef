"""Values that the shell can complete: folders of crawls, names of strategies, policies and partitions, webs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem


class CrawlPath(click.Path):
    """The folder of a crawl. Completed by the crawls that are here, or by folders if there are none."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        begun = _plain(incomplete)
        specifications = (*Path().glob(f"{begun}*/crawl.toml"), *Path().glob(f"{begun}*/cluster.toml"))
        crawls = sorted({str(each.parent) for each in specifications})
        return [CompletionItem(name) for name in crawls] or [CompletionItem(incomplete, type="dir")]


class StrategyName(click.types.StringParamType):
    """`NAME` or `NAME+WRAPPER`, with parameters after colons. Completed by strategies, and wrappers after a plus."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from lycosa.spec.registry import strategy_names, wrapper_names

        before, plus, begun = incomplete.rpartition("+")
        names = wrapper_names() if plus else strategy_names()
        return [CompletionItem(f"{before}{plus}{name}") for name in names if name.startswith(begun)]


class PolicyName(click.types.StringParamType):
    """`NAME`, with parameters after a colon; `off`, empty: none. Completed by policies of visiting again."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return "" if value == "off" else super().convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from lycosa.revisit.registry import policy_names

        return [CompletionItem(name) for name in policy_names() if name.startswith(incomplete)]


class PartitionName(click.types.StringParamType):
    """`NAME`, with parameters after a colon. Completed by partitions."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from lycosa.sharing.registry import partition_names

        return [CompletionItem(name) for name in partition_names() if name.startswith(incomplete)]


class WebName(click.types.StringParamType):
    """`live`, a recorded web `PATH`, an archive elsewhere, or several of them, parted by commas."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        kinds = ("live", "recorded:", "cc:", "wayback:", "pywb:", "cdx:")
        return [CompletionItem(name) for name in kinds if name.startswith(incomplete)]


def _plain(incomplete: str) -> str:
    """What was typed, for a pattern in which it stands for itself."""
    from glob import escape

    return escape(incomplete)


CRAWL: Any = CrawlPath()
PARTITION: Any = PartitionName()
POLICY: Any = PolicyName()
STRATEGY: Any = StrategyName()
WEB: Any = WebName()

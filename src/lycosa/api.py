"""lycosa from Python: a crawl in one call, and its folder to look at afterwards."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from msgspec.structs import replace

from lycosa.compose.topic import default_folder
from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.crawls.session import Session, begin
from lycosa.crawls.session import resume as reopen
from lycosa.drive.live import loop_factory
from lycosa.drive.loop import unwatched
from lycosa.model.errors import InputError
from lycosa.model.records import Arrival
from lycosa.report.ending import run_to_the_end
from lycosa.spec.profiles import base_spec
from lycosa.spec.tree import (
    ArchiveSpec,
    CrawlSpec,
    DeadSpec,
    FetchSpec,
    FrontierSpec,
    JudgeSpec,
    PolitenessSpec,
    Profile,
    RevisitSpec,
    ScopeSpec,
    StopSpec,
    TopicSpec,
    TrapSpec,
)

if TYPE_CHECKING:
    from lycosa.console.running import Server


class Settings(TypedDict, total=False):
    """Further parts of a `CrawlSpec`, by their names there."""

    profile: Profile
    """If you give a part as well, such as `fetch`, it replaces that whole part of the profile."""
    sitemaps: tuple[str, ...]
    use_sitemaps: bool
    requests: int | None
    seconds: float
    seed: int
    relevant_from: float
    scope: ScopeSpec
    frontier: FrontierSpec
    politeness: PolitenessSpec
    fetch: FetchSpec
    traps: TrapSpec
    dead: DeadSpec
    archive: ArchiveSpec
    judge: JudgeSpec
    revisit: RevisitSpec
    stop: StopSpec


def crawl(
    topic: str | TopicSpec,
    seeds: Sequence[str],
    *,
    out: str | Path | None = None,
    pages: int = 1_000,
    strategy: str = "hunter",
    web: str = "live",
    watch: Callable[[Arrival], None] = unwatched,
    **settings: Unpack[Settings],
) -> Folder:
    """Crawl a web for a topic, best pages first, and open the crawl's folder.

    `topic` is words, or a `TopicSpec` with a description and example pages. `seeds` are the start pages, as URLs. `out`
    is the new folder; None: one named after the topic, in the current folder. `pages` is the most pages to fetch.
    `strategy` is `NAME` or `NAME:parameter=value,…`. `web` is `live`, a recorded web, an archive, or several of them:
    see `CrawlSpec`. `watch` is called with each visit. `settings` are further parts of a `CrawlSpec`. Ctrl-C stops the
    crawl: the pages fetched so far are kept, and `resume` goes on with it.

    Raises `InputError` for arguments that cannot be used, `FolderError` for a folder that cannot be written,
    `StrategyError` if the strategy fails. Within a running event loop use `acrawl`.
    """
    spec = specification(topic, seeds, pages=pages, strategy=strategy, web=web, **settings)
    return _in_a_loop(lambda: begin(spec, _place(out, spec)), watch)


async def acrawl(
    topic: str | TopicSpec,
    seeds: Sequence[str],
    *,
    out: str | Path | None = None,
    pages: int = 1_000,
    strategy: str = "hunter",
    web: str = "live",
    watch: Callable[[Arrival], None] = unwatched,
    **settings: Unpack[Settings],
) -> Folder:
    """Crawl as `crawl` does, within a running event loop. If it is cancelled, the pages fetched so far are kept."""
    spec = specification(topic, seeds, pages=pages, strategy=strategy, web=web, **settings)
    return await run_to_the_end(await begin(spec, _place(out, spec)), watch)


def resume(
    folder: str | Path,
    *,
    pages: int | None = None,
    requests: int | None = None,
    seconds: float | None = None,
    stop: StopSpec | None = None,
    judge: JudgeSpec | None = None,
    watch: Callable[[Arrival], None] = unwatched,
) -> Folder:
    """Go on with a crawl in its folder, and open it.

    `pages` is the new budget: pages in all, those that the crawl has included; `requests` is that of requests.
    `seconds` is the longest that this run may take. `stop` replaces all stopping rules, `judge` the model that is
    asked. What is None stays as it was. `watch` is called with each visit.

    Raises `FolderError` if there is no crawl, `InputError` for a budget smaller than what the crawl has.
    """
    return _in_a_loop(
        lambda: reopen(Path(folder), pages=pages, requests=requests, seconds=seconds, stop=stop, judge=judge),
        watch,
    )


async def aresume(
    folder: str | Path,
    *,
    pages: int | None = None,
    requests: int | None = None,
    seconds: float | None = None,
    stop: StopSpec | None = None,
    judge: JudgeSpec | None = None,
    watch: Callable[[Arrival], None] = unwatched,
) -> Folder:
    """Go on with a crawl as `resume` does, within a running event loop. If it is cancelled, the pages are kept."""
    opened = await reopen(
        Path(folder), pages=pages, requests=requests, seconds=seconds, stop=stop, judge=judge
    )
    return await run_to_the_end(opened, watch)


def refresh(
    folder: str | Path,
    *,
    policy: str = "topical",
    every: float = 604_800.0,
    rate: float | None = None,
    share: float = 0.3,
    queries: str | Path | None = None,
    once: bool = False,
    pages: int | None = None,
    seconds: float | None = None,
    watch: Callable[[Arrival], None] = unwatched,
) -> Folder:
    """Keep a crawl fresh: visit its pages again, go on finding new ones, and open its folder.

    `policy` is `NAME` or `NAME:parameter=value,…`. There are as many revisits in `every` seconds as there are pages,
    or `rate` requests a day, new pages included, of which they have a `share` while some wait. `queries` is a log of
    what people search for, for the policy user-centric. `once`: each page is visited once again, as soon as may be, and
    nothing else is done. New pages are found until there are `pages` in all; None: without an end. `seconds` is the
    longest that this run may take, in virtual time on a recorded web; None: until Ctrl-C. `watch` is called with each
    visit.

    Raises `FolderError` if there is no crawl, `InputError` for a policy that there is not.
    """
    revisit = RevisitSpec(
        policy="" if once else policy,
        every=every,
        rate=rate,
        share=share,
        grows=pages is None and share > 0 and not once,
        queries="" if queries is None else str(queries),
        once=round(time.time() * 1000) if once else 0,
    )
    return _in_a_loop(
        lambda: reopen(
            Path(folder),
            pages=pages,
            seconds=seconds or 0.0,
            revisit=revisit,
            queries=None if queries is None else Path(queries),
        ),
        watch,
    )


def open(path: str | Path) -> Folder:
    """Open a crawl folder to look at. Raises `FolderError` if there is none."""
    return open_folder(path)


def specification(
    topic: str | TopicSpec,
    seeds: Sequence[str],
    *,
    pages: int,
    strategy: str,
    web: str,
    **settings: Unpack[Settings],
) -> CrawlSpec:
    """Make the specification of a crawl from the arguments of `crawl`. Raises `InputError`."""
    if isinstance(seeds, str):
        raise InputError(f"seeds is one string ({seeds!r}); give a list of URLs")
    chosen = TopicSpec(keywords=(topic,) if topic else ()) if isinstance(topic, str) else topic
    base = base_spec(settings.get("profile", ""), web)
    return replace(base, topic=chosen, seeds=tuple(seeds), pages=pages, strategy=strategy, **settings)


def _place(out: str | Path | None, spec: CrawlSpec) -> Path:
    return Path(out) if out is not None else default_folder(spec)


def _in_a_loop(opening: Callable[[], Awaitable[Session]], watch: Callable[[Arrival], None]) -> Folder:
    async def run() -> Folder:
        return await run_to_the_end(await opening(), watch)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            return runner.run(run())
    raise InputError("an event loop runs already: use `await lycosa.acrawl(…)` here")


def serve(*folders: str | Path | Folder, port: int = 0, open_browser: bool = False) -> Serving:
    """Show crawls in the browser, beside what this program does: watch, steer, search and browse them.

    `folders` are crawls, their folders, or folders that hold some; without any it is the current folder. `port` 0: any
    that is free. The page is for this machine only; `lycosa serve` has more options. Close what is returned, or use it
    in a `with`. Raises `InputError` if what it needs is not installed (`lycosa[serve]`).
    """
    try:
        from lycosa.console.running import Server
    except ModuleNotFoundError as error:
        raise InputError(
            f"the page needs {error.name}, which is not installed: pip install 'lycosa[serve]'"
        ) from None
    from lycosa.library.library import Library

    places = [each.path if isinstance(each, Folder) else Path(each) for each in folders] or [Path()]
    serving = Serving(Server(Library(places), port=port))
    if open_browser:
        import webbrowser

        webbrowser.open(serving.url)
    return serving


class Serving:
    """The page of some crawls, while it is served: `url` is where."""

    def __init__(self, server: Server) -> None:
        """See :func:`lycosa.serve`."""
        self._stack = ExitStack()
        self.url = self._stack.enter_context(server.beside()).first

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<lycosa at {self.url}>"

    def _repr_html_(self) -> str:
        return f'lycosa is at <a href="{self.url}" target="_blank">{self.url}</a>'

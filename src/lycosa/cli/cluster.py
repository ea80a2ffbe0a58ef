"""`lycosa cluster`: one crawl, shared by several crawlers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.group import DONE, FAILED, INTERRUPTED, NOTHING_FETCHED
from lycosa.cli.stop import wait_until
from lycosa.cli.values import Whole, duration, number_or_more

if TYPE_CHECKING:
    from lycosa.cli.cluster_views import ClusterView
    from lycosa.cluster.overview import Overview
    from lycosa.cluster.place import Place
    from lycosa.model.nodes import Node
    from lycosa.spec.tree import CrawlSpec

ADDRESS = click.option(
    "--address",
    metavar="RAY",
    default="",
    envvar="LYCOSA_RAY",
    help="Use the Ray cluster at this address, HOST:PORT.  [default: start Ray here, on loopback]",
)
SHOWN = (
    click.option("--json", is_flag=True, help="Write what happens as JSON, one object a line."),
    click.option("-q", "--quiet", is_flag=True, help="Write nothing but errors."),
)


@click.group("cluster")
def command() -> None:
    """Share one crawl among several crawlers, on this machine or on many."""


@command.command("run")
@click.argument("spec", metavar="SPEC.toml", type=click.Path(path_type=Path))
@click.option(
    "--nodes", type=Whole(1, 100_000), metavar="N", help="Share it among so many.  [default: as in SPEC]"
)
@click.option("--partition", metavar="KIND[:K=V,…]", help="Choose who sees to what.  [default: as in SPEC]")
@click.option(
    "--pages", type=Whole(1, None), metavar="N", help="Stop at N pages in all.  [default: as in SPEC]"
)
@click.option(
    "--time", "seconds", type=duration, metavar="TIME", help="Stop after so long.  [default: as in SPEC]"
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the crawl into this new folder.",
)
@ADDRESS
@SHOWN[0]
@SHOWN[1]
def run(
    spec: Path,
    nodes: int | None,
    partition: str | None,
    pages: int | None,
    seconds: float | None,
    out: Path | None,
    address: str,
    json: bool,
    quiet: bool,
) -> int:
    """Begin a shared crawl, and run it.

    SPEC.toml is a specification, as in the crawl.toml of any crawl; what it leaves out is as always. Ctrl-C stops all
    nodes once the visits under way are finished; lycosa cluster resume goes on.
    """
    import msgspec

    from lycosa.compose.topic import default_folder
    from lycosa.model.errors import InputError
    from lycosa.spec.files import parse
    from lycosa.spec.tree import CrawlSpec

    try:
        written = parse(spec.read_text(encoding="utf-8"), CrawlSpec, str(spec))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{spec}: cannot be read: {error}") from None
    shared = {"nodes": nodes, "partition": partition}
    cluster = msgspec.structs.replace(
        written.cluster, **{name: value for name, value in shared.items() if value is not None}
    )
    limits = {"pages": pages, "seconds": seconds}
    wanted = msgspec.structs.replace(
        written, cluster=cluster, **{name: value for name, value in limits.items() if value is not None}
    )
    return begin(wanted, out or default_folder(wanted), address=address, json=json, quiet=quiet)


@command.command("resume")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option(
    "--pages", "budget", type=number_or_more, metavar="N|+N", help="Stop at N pages in all, or after N more."
)
@click.option("--requests", type=Whole(1, None), metavar="N", help="Stop at N requests in all.")
@click.option("--time", "seconds", type=duration, metavar="TIME", help="Stop this run after so long.")
@ADDRESS
@SHOWN[0]
@SHOWN[1]
def resume(
    folder: Path,
    budget: tuple[int, bool] | None,
    requests: int | None,
    seconds: float | None,
    address: str,
    json: bool,
    quiet: bool,
) -> int:
    """Go on with a shared crawl, or lead it again if who led it died while its nodes went on."""
    from lycosa.cluster.live import changed
    from lycosa.cluster.place import Place
    from lycosa.spec.files import load
    from lycosa.spec.tree import CrawlSpec

    place = Place(folder).there()
    number, more = budget or (None, False)
    if number is not None and more:
        number += load(place.specification, CrawlSpec).pages
    spec = changed(place, pages=number, requests=requests, seconds=seconds)
    return lead(place, spec, address=address, json=json, quiet=quiet)


@command.command("status")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option("--json", is_flag=True, help="As one JSON object.")
def status(folder: Path, json: bool) -> None:
    """Tell who shares a crawl, who leads it, and how far each node is."""
    from lycosa.cli.output import say_json, say_pairs
    from lycosa.cluster.place import Place
    from lycosa.crawls.place import fetched

    place = Place(folder).there()
    roll, at_work, leader = place.load_roll(), place.writers(), place.leader
    pages = {node: fetched(place.node(node)) for node in (*roll.names, *roll.left)}
    ground = place.load_ground()
    told = {
        "folder": str(folder),
        "led by": f"process {leader}" if leader else "nobody",
        "ray": ground.address if ground is not None else "none",
        "members": ", ".join(roll.names),
        "left": ", ".join(roll.left),
        "pages": sum(pages.values()),
    }
    if json:
        processes = {node: {"pages": count, "process": at_work.get(node)} for node, count in pages.items()}
        say_json({**told, "leader": leader, "epoch": roll.epoch, "nodes": processes})
        return
    say_pairs(
        {
            **{name: str(fact) for name, fact in told.items()},
            "pages": f"{sum(pages.values()):,}",
            **{
                node: f"{count:,} pages" + (f", process {at_work[node]}" if node in at_work else "")
                for node, count in pages.items()
            },
        }
    )
    if leader is None:
        click.echo(f"\ngo on with: lycosa cluster resume {shlex.quote(str(folder))}")


@command.command("stop")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option(
    "--time", "patience", type=duration, default="2m", metavar="TIME", help="Wait so long.  [default: 2m]"
)
def stop(folder: Path, patience: float) -> int:
    """Stop a shared crawl: no more visits begin, and those under way come home."""
    from lycosa.cli.output import warn
    from lycosa.cluster import live
    from lycosa.cluster.place import Place

    place = Place(folder)
    stopped = live.stop(place, lambda met: wait_until(met, patience))
    if stopped is None and place.writers():  # who led it died
        return lead(place, live.changed(place), stopping=True, quiet=True)
    if stopped is None:
        click.echo(f"{folder}: nobody crawls here now")
    elif not stopped:
        warn(f"{folder}: was asked to stop and has not yet; its visits are being finished")
        return FAILED
    return DONE


@command.command("join")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("node", metavar="[NODE]", default="")
def join(folder: Path, node: str) -> None:
    """Add a node to a shared crawl that runs: it is given its part of the hosts, with what waits there."""
    from lycosa.cluster.place import Place

    place = Place(folder).there()
    roll = place.load_roll()
    taken = {*roll.names, *roll.leaving, *roll.left}
    name = node or next(f"n{number}" for number in range(len(taken) + 1) if f"n{number}" not in taken)
    _wish(place, "join", name)
    click.echo(f"{name} is to join; the crawl tells when it has")


@command.command("leave")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("node", metavar="NODE")
def leave(folder: Path, node: str) -> None:
    """Take a node out of a shared crawl that runs: what waits there goes to the others, its pages stay."""
    from lycosa.cluster.place import Place

    place = Place(folder).there()
    place.load_roll().without(_named(node))  # raises for a node that is none
    _wish(place, "leave", node)
    click.echo(f"{node} is to leave; the crawl tells when it does")


def _wish(place: Place, what: str, node: str) -> None:
    from lycosa.cluster.place import Wish, wish
    from lycosa.model.errors import InputError

    if place.leader is None:
        raise InputError(
            f"{place.folder}: nobody leads this crawl now; begin with lycosa cluster resume {place.folder}"
        )
    wish(place, Wish(what=what, node=_named(node)))


def _named(node: str) -> Node:
    from lycosa.model.nodes import Node

    return Node(node)


def begin(spec: CrawlSpec, out: Path, *, address: str = "", json: bool = False, quiet: bool = False) -> int:
    """Make the folder of a shared crawl and lead it to its end. Returns the exit code."""
    from lycosa.cluster.live import make

    place, spec, notes = make(spec, out)
    return lead(place, spec, address=address, json=json, quiet=quiet, notes=notes)


def lead(
    place: Place,
    spec: CrawlSpec,
    *,
    address: str = "",
    json: bool = False,
    quiet: bool = False,
    stopping: bool = False,
    notes: Sequence[str] = (),
) -> int:
    """Lead a shared crawl, then tell what came of it. Returns the exit code."""
    from lycosa.cli import cluster_views
    from lycosa.cluster import live
    from lycosa.model.endings import EndKind

    view = Remembering(cluster_views.view_for(json=json, quiet=quiet))
    for note in notes:
        view.say(note)
    try:
        ending, interrupted = live.lead(place, spec, view, address=address, stopping=stopping)
    finally:
        view.close()
    code = DONE
    if interrupted:
        code = DONE if stopping else INTERRUPTED
    elif ending.kind is EndKind.FAILED:
        code = FAILED
    elif view.last is None or not view.last.pages:
        code = NOTHING_FETCHED
    _tell(place, view, str(ending), code, json=json, quiet=quiet)
    return code


class Remembering:
    """Passes on what is seen, and keeps the last of it."""

    def __init__(self, view: ClusterView) -> None:
        self._view = view
        self.last: Overview | None = None

    def tick(self, overview: Overview) -> None:
        self.last = overview
        self._view.tick(overview)

    def say(self, text: str) -> None:
        self._view.say(text)

    def close(self) -> None:
        self._view.close()


def _tell(place: Place, view: Remembering, ended: str, code: int, *, json: bool, quiet: bool) -> None:
    """How it ended, and what to do next: as of any crawl, where the folders of all nodes are on this machine."""
    from lycosa.cli import views
    from lycosa.cli.cluster_views import as_json, in_all
    from lycosa.cli.summary import summarize

    shown = views.JsonView() if json else views.SilentView() if quiet else views.LineView()
    if all(place.node(node).exists() for node in place.load_roll().names):
        summarize(place.folder, shown, code)
    elif json and view.last is not None:
        views.write_json(
            event="ended", exit_code=code, ended=ended, folder=str(place.folder), **as_json(view.last)
        )
    elif view.last is not None and not quiet:
        click.echo(f"\n{ended}: {in_all(view.last)}\nThe folders of the nodes are on their machines.")

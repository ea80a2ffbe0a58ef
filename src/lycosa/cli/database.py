"""`lycosa database`: pages that searches found, for later searches to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole

_FILE = click.argument("file", metavar="DB", type=click.Path(path_type=Path, dir_okay=False))


@click.group("database")
def command() -> None:
    """Collect the pages that crawls found, for later crawls on the same topic to begin with.

    Crawl with it:

    \b
    lycosa crawl TOPIC URL --strategy infospiders-energy --database DB
    """


@command.command("update")
@_FILE
@click.argument("folders", metavar="CRAWL_DIR...", nargs=-1, required=True, type=CRAWL)
@click.option("-q", "--quiet", is_flag=True, help="Write nothing but errors.")
def update(file: Path, folders: tuple[Path, ...], quiet: bool) -> None:
    """Add the pages of crawls to a page database, and make it if it is not there.

    A classifier judges each page: it is trained on the examples and the best pages of the crawl's topic. Pages that are
    added again for the same topic are judged anew.
    """
    from lycosa.cli.output import opened, warn
    from lycosa.scoring.topics.community import can_classify
    from lycosa.store.page_database import KnownPages
    from lycosa.uses.page_harvest import harvest

    if not can_classify():
        warn("scikit-learn is not installed: pages are judged by how near they are to the best ones; for a "
             "classifier: pip install 'lycosa[learn]'")  # fmt: skip
    with KnownPages.open(file) as database:
        for folder in folders:
            with opened(folder) as crawl:
                pages = harvest(crawl)
            database.put(pages)
            if not quiet:
                of_topic = sum(page.label for page in pages)
                community = pages[0].community if pages else ""
                click.echo(f"{folder}: {len(pages):,} pages, {of_topic:,} of the topic {community!r}")


@command.command("show")
@_FILE
@click.option("--topic", metavar="NAME", help="List the pages of this topic, best first.")
@click.option("--limit", type=Whole(1), default=20, help="List so many pages.  [default: 20]")
@click.option("--json", is_flag=True, help="Write JSON.")
def show(file: Path, topic: str | None, limit: int, json: bool) -> None:
    """List the topics of a page database, or the best pages of one."""
    from lycosa.cli.output import say_json
    from lycosa.report.wording import clean
    from lycosa.store.page_database import KnownPages

    with KnownPages.open(file, read_only=True) as database:
        communities = database.communities()
        pages = database.best(topic, limit) if topic is not None else []
    if json:
        say_json(pages if topic is not None else communities)
    elif topic is not None:
        for page in pages:
            click.echo(f"{page.score:.3f}  {clean(page.url)}")
    else:
        for community in communities:
            click.echo(f"{community.members:>7,} of {community.pages:,} pages  {clean(community.name)}")

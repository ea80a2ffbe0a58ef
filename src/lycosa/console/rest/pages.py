"""The pages of a crawl: the best, all of them in parts, and all of them as a file."""

from __future__ import annotations

from functools import partial
from typing import Annotated, BinaryIO, Literal

import msgspec
from starlette.responses import Response

from lycosa.console.desk import Desk
from lycosa.console.flowing import Flowing
from lycosa.console.rest.archive import Moment, end_of
from lycosa.console.rest.crawls import MOST, Since
from lycosa.console.rest.operation import OfCrawl, Operation
from lycosa.crawls.answers import PagePart, PageRow
from lycosa.crawls.corpus.selection import Selection, Wanted, selection
from lycosa.crawls.frames import arrow_schema
from lycosa.report.exported import WRITERS

MEDIA_TYPES = {
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8",
    "raw-csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}


class Some(OfCrawl, frozen=True, kw_only=True):
    """How many."""

    most: Annotated[int, msgspec.Meta(ge=1, le=MOST)] = 100


class Exported(Wanted, frozen=True, kw_only=True):
    """What to write, and how."""

    name: str
    """Of the crawl, as `GET /crawls` tells it."""
    to: Literal["jsonl", "csv", "raw-csv", "parquet"] = "jsonl"
    """In `csv` no cell is a formula to a spreadsheet; `raw-csv` has all cells as they are. `parquet` needs pyarrow on
    the server."""
    at: Moment = ""
    """The collection as it was then; empty: as it is."""

    @property
    def selection(self) -> Selection:
        """Raises `InputError` for rules that need a text where there is to be none."""
        wanted = {name: getattr(self, name) for name in Wanted.__struct_fields__}
        return selection({**wanted, "at": end_of(self.at)})


def best_pages(desk: Desk, given: Some) -> list[PageRow]:
    """List the most relevant pages of a crawl, best first, without their texts."""
    with desk.opened(given.name) as folder:
        return folder.best(given.most)


def list_pages(desk: Desk, given: Since) -> PagePart:
    """List the pages of a crawl in the order of the crawl, from a token on, without their texts."""
    with desk.opened(given.name) as folder:
        return folder.pages(given.after, given.most)


def export_pages(desk: Desk, given: Exported) -> Response:
    """Write all pages of a crawl as one file."""
    chosen = given.selection
    with desk.opened(given.name) as folder:  # no such crawl, or no pyarrow: told before the file begins
        if given.to == "parquet":
            arrow_schema(folder.row_type)
    name = f"{given.name}.{given.to.removeprefix('raw-')}"
    return Flowing(partial(_write, desk, given, chosen), MEDIA_TYPES[given.to], name)


def _write(desk: Desk, given: Exported, chosen: Selection, sink: BinaryIO) -> None:
    with desk.opened(given.name) as folder:
        WRITERS[given.to](folder.select(chosen).lines(), sink, folder.row_type)


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/best",
        answer=best_pages,
        takes=Some,
        gives=list[PageRow],
        tag="pages",
    ),
    Operation(
        method="GET", path="/crawls/{name}/pages", answer=list_pages, takes=Since, gives=PagePart, tag="pages"
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/export",
        answer=export_pages,
        takes=Exported,
        gives=bytes,
        tag="pages",
        media_type="JSON lines, CSV or Parquet",
    ),
)

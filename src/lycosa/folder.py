"""A crawl folder to look at: what happened, why, and what was found. Also while another process writes to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import msgspec

from lycosa.account import Explanation, FailureRow, Hit, HostRow, PageRow, Status
from lycosa.archive.reader import Reader
from lycosa.build import start_url
from lycosa.model.errors import FolderError
from lycosa.model.records import Millis, RecordRef, Response
from lycosa.paths import Paths
from lycosa.rehydrate import Rehydrator
from lycosa.spec import CrawlSpec, load
from lycosa.store.database import writer_of
from lycosa.store.journal import Journal
from lycosa.store.text import TextIndex
from lycosa.topics import topic_words
from lycosa.why import Inquiry

INDEX_BATCH = 256
"""Pages that enter the full-text index in one transaction."""

Progress = Callable[[int, int], None]
"""Is told how many of how many pages are done."""


def unheeded(done: int, total: int) -> None:
    """For work whose progress nobody follows."""


class CrawlFolder:
    """One crawl on disk. Open it with `CrawlFolder.open`, or `lycosa.open`; close it, or use it in a `with`."""

    def __init__(self, path: Path, spec: CrawlSpec, journal: Journal, archive: Reader) -> None:
        self.path, self.spec, self.paths = path, spec, Paths(path)
        self._journal, self._archive = journal, archive

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Raises `FolderError` if there is no crawl, or one of a newer version."""
        paths = Paths(Path(path))
        if not paths.journal.exists():
            raise FolderError(f"{path}: no crawl here; give the folder of a crawl")
        spec = load(paths.specification, CrawlSpec)
        archive = Reader([paths.archive])
        return cls(
            Path(path), spec, Journal(paths.journal, rehydrate=Rehydrator(archive), read_only=True), archive
        )

    def close(self) -> None:
        self._journal.close()
        self._archive.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- how it stands ---------------------------------------------------------------------------------------

    def status(self) -> Status:
        """How the crawl stands, or how it ended."""
        ended = self._journal.noted("ended") or ""
        process = writer_of(self.paths.journal)
        kept = msgspec.json.decode(self._journal.noted("frontier") or "{}")
        totals = self._row(
            "SELECT count(*) AS pages, coalesce(sum(relevance >= ?), 0) AS relevant, "
            "coalesce(avg(relevance), 0) AS mean FROM pages",
            self.spec.relevant_from,
        )
        span = self._row("SELECT min(at) AS first, max(at) AS last FROM steps")
        warcs = list(self.paths.archive.glob("*.warc.gz"))
        return Status(
            folder=str(self.path),
            state="running" if process else _state(ended),
            ended="" if process else _sentence(ended),
            topic=topic_words(self.spec),
            strategy=self.spec.strategy,
            seeds=self.spec.seeds,
            web=self.spec.web,
            pages=totals["pages"],
            budget=self.spec.pages,
            relevant=totals["relevant"],
            harvest_rate=totals["relevant"] / totals["pages"] if totals["pages"] else 0.0,
            mean_relevance=totals["mean"],
            failures=self._row(f"SELECT count(*) AS n FROM failures WHERE {FINAL}")["n"],
            failures_by_reason=self._counts(
                f"SELECT reason, count(*) FROM failures WHERE {FINAL} GROUP BY reason"
            ),
            statuses=self._counts(
                "SELECT CAST(status AS TEXT), count(*) FROM steps WHERE status > 0 GROUP BY status ORDER BY status"
            ),
            hosts=self._row("SELECT count(DISTINCT host_of(url)) AS n FROM pages")["n"],
            pending=kept.get("pending", 0),
            refused=kept.get("refused", 0),
            trimmed=kept.get("trimmed", 0),
            started_at=Millis(span["first"] or 0),
            last_at=Millis(span["last"] or 0),
            seconds=float(self._journal.noted("seconds") or 0.0),
            warc_files=len(warcs),
            warc_bytes=sum(file.stat().st_size for file in warcs),
            version=self.spec.lycosa,
            process=process,
        )

    def series(self) -> Iterator[tuple[int, Millis, float]]:
        """Step, time and relevance of each page, in the order of the crawl."""
        for row in self._sql("SELECT step, at, relevance FROM pages ORDER BY step"):
            yield row["step"], Millis(row["at"]), row["relevance"]

    def hosts(self, n: int) -> list[HostRow]:
        """The hosts with most pages."""
        rows = self._sql(
            "SELECT host_of(url) AS host, count(*) AS pages, avg(relevance) AS mean_relevance FROM pages "
            "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
            n,
        )
        return [msgspec.convert(dict(row), HostRow) for row in rows]

    def failures(self) -> Iterator[FailureRow]:
        """The visits that failed for good, in the order of the crawl."""
        rows = self._sql(
            f"SELECT step, at, url, final_url, reason, detail, status, attempt, via FROM failures WHERE {FINAL} "
            "ORDER BY step"
        )
        return (msgspec.convert(dict(row), FailureRow) for row in rows)

    def counts(self, column: str) -> dict[str, int]:
        """How many pages have each `language`, `media_type`, `depth` or `status`, most frequent first."""
        if column not in ("language", "media_type", "depth", "status"):
            raise ValueError(f"pages are not counted by {column!r}")
        return self._counts(
            f"SELECT CAST({column} AS TEXT), count(*) FROM pages GROUP BY 1 ORDER BY 2 DESC, 1"
        )

    # -- what was found --------------------------------------------------------------------------------------

    def rows(self, *, text: bool = True) -> Iterator[PageRow]:
        """All pages in the order of the crawl; without `text` that field is empty and the archive is not read."""
        return self._pages(text, "ORDER BY step")

    def best(self, n: int) -> list[PageRow]:
        """The most relevant pages, best first, without their texts."""
        return list(self._pages(False, "ORDER BY relevance DESC, step LIMIT ?", n))

    def response(self, row: PageRow) -> Response:
        """What the server answered, from the archive."""
        found = self._row("SELECT warc_file, warc_offset, warc_length FROM steps WHERE step = ?", row.step)
        return self._archive.read(_ref(found))

    def search(self, query: str, limit: int = 10) -> list[Hit]:
        """The pages whose words fit the query best. Brings the full-text index up to date first."""
        self.index_pages()
        with TextIndex(self.paths.index) as index:
            found = index.search(query, limit)
        relevances = {
            hit.step: self._row("SELECT relevance FROM pages WHERE step = ?", hit.step) for hit in found
        }
        return [
            Hit(
                url=hit.url,
                title=hit.title,
                snippet=hit.snippet,
                relevance=relevances[hit.step]["relevance"],
                rank=hit.rank,
                step=hit.step,
            )
            for hit in found
        ]

    def index_pages(self, progress: Progress = unheeded) -> None:
        """Bring the full-text index up to date: pages that came since are read again from the archive.

        Pages that asked not to be indexed (`noindex`) are left out.
        """
        with TextIndex(self.paths.index) as index:
            total = self._row("SELECT count(*) AS n FROM pages WHERE step > ?", index.last_step)["n"]
            waiting = []
            for done, row in enumerate(self._pages(True, "WHERE step > ? ORDER BY step", index.last_step), 1):
                waiting.append(row)
                if len(waiting) >= INDEX_BATCH or done == total:
                    index.add([(w.step, w.final_url, w.title, w.text) for w in waiting if w.text or w.title])
                    waiting.clear()
                    progress(done, total)

    def why(self, url: str) -> Explanation:
        """Everything the crawl can say about one URL, as of the last checkpoint. Raises `InputError` for no URL."""
        return Inquiry(self.path, self.spec, self._journal).explain(start_url(url))

    # -- inside ----------------------------------------------------------------------------------------------

    def _pages(self, text: bool, rest: str, *values: object) -> Iterator[PageRow]:
        rows = self._sql(f"SELECT {', '.join(COLUMNS)}, warc_length, media_type FROM pages {rest}", *values)
        for row in rows:
            facts = {name: row[name] for name in COLUMNS}
            facts["anchor"] = facts["anchor"] or ""
            facts["text"] = self._text(row) if text else ""
            yield msgspec.convert(facts, PageRow)

    def _text(self, row: sqlite3.Row) -> str:
        return Rehydrator(self._archive).text(_ref(row)) if row["warc_file"] else ""

    def _sql(self, statement: str, *values: object) -> Iterator[sqlite3.Row]:
        return iter(self._journal.connection.execute(statement, values))

    def _row(self, statement: str, *values: object) -> Any:
        return next(self._sql(statement, *values), None)

    def _counts(self, statement: str) -> dict[str, int]:
        return {str(name): count for name, count in self._sql(statement)}


COLUMNS = tuple(name for name in PageRow.__struct_fields__ if name != "text")

FINAL = (
    "NOT EXISTS (SELECT 1 FROM steps AS later WHERE later.url = failures.url AND later.step > failures.step "
    "AND later.kind IN ('page', 'failure'))"
)
"""Of a URL that was tried several times only the last failure counts, and none if it succeeded in the end."""


def _ref(row: sqlite3.Row) -> RecordRef:
    return RecordRef(file=row["warc_file"], offset=row["warc_offset"], length=row["warc_length"])


def _state(ended: str) -> str:
    if ended.startswith("failed"):
        return "failed"
    return "done" if ended in ("budget", "exhausted") or ended.startswith("stopped") else "interrupted"


def _sentence(ended: str) -> str:
    kind, _, detail = ended.partition(": ")
    match kind:
        case "budget":
            return "the budget of pages is used up"
        case "exhausted":
            return "no links are left to follow"
        case "stopped":
            return f"the strategy's goal was reached: {detail}"
        case "interrupted":
            return f"it was interrupted ({detail}) and can be resumed"
        case "failed":
            return f"it failed and can be resumed once this is mended: {detail}"
        case _:
            return "the process ended without a word (killed?); it can be resumed"

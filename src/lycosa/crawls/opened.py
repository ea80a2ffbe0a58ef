"""The files of a crawl's folder, open for writing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from lycosa.archive.others import Others
from lycosa.archive.warc import WarcArchive
from lycosa.compose import parts
from lycosa.drive.reread import Rereader
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import LycosaError
from lycosa.model.events import Entry
from lycosa.model.records import Page
from lycosa.spec.derived import longest_body, topic_words
from lycosa.spec.tree import CrawlSpec
from lycosa.store.codec import pack_rights
from lycosa.store.crawl_store import CrawlStore
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths
from lycosa.web.http.dns_file import DnsFile


class Chronicle(CrawlStore):
    """The crawl's history, which also tells the archive what was decided about each page.

    It does so before the page's step enters the journal, so a committed page never lacks its metadata record.
    """

    def __init__(
        self, journal: Journal, frontier: DiskFrontier, archive: WarcArchive, strategy_name: str
    ) -> None:
        super().__init__(journal, frontier)
        self._archive, self._strategy_name = archive, strategy_name

    def append(self, entry: Entry) -> None:
        page = entry.event
        if isinstance(page, Page) and page.record is not None:
            self._archive.annotate(page.record, page.final_url, self._decision(entry.step, page))
        super().append(entry)

    def _decision(self, step: int, page: Page) -> Mapping[str, str]:
        request = page.request
        facts = {
            "relevance": f"{page.relevance:.6g}",
            "score": f"{request.score:.6g}",
            "strategy": self._strategy_name,
            "step": str(step),
            "hopsFromSeed": str(request.depth),
            **({"rights": rights} if (rights := pack_rights(page.rights)) is not None else {}),
        }
        return facts if request.via is None else {**facts, "via": request.via.source}


class Opened(msgspec.Struct, frozen=True):
    """Journal, archive and frontier of one folder, mended where a crash tore them, and what ties them together."""

    journal: Journal
    archive: WarcArchive
    frontier: DiskFrontier
    store: Chronicle
    rehydrate: Rereader

    @classmethod
    def open(cls, spec: CrawlSpec, path: Path, dns: DnsFile) -> Opened:
        """Open or make the folder's files. Raises `LycosaError`, and then nothing stays open.

        The journal comes first, for it holds the folder's lock: nothing is mended under another process's hands. Where
        something fails after that, the journal tells why.
        """
        paths = Paths(path)
        archive = WarcArchive(
            paths.archive,
            parts.provenance_of(spec, path, topic_words(spec)),
            spec.archive.max_file_bytes,
            longest_body(spec),
            revisits=spec.archive.revisit_records,
            others=Others.open(map(Path, others)) if (others := spec.archive.dedup_against) else None,
        )
        rehydrate = Rereader(archive)

        def flush() -> None:
            """What the steps refer to is written before they are; with `--fsync` the disk has it."""
            if spec.archive.fsync:
                archive.harden()
            else:
                archive.flush()
            dns.add()

        journal = Journal(
            paths.journal,
            rehydrate=rehydrate,
            before_commit=flush,
            before_harden=archive.harden,
            waits=spec.archive.fsync,
        )
        with ExitStack() as undoing:
            undoing.callback(journal.close)
            undoing.callback(archive.close)
            try:
                archive.mend()
                frontier = DiskFrontier(
                    paths.frontier, capacity=spec.frontier.capacity, tie=spec.frontier.tie, seed=spec.seed
                )
            except LycosaError as error:
                journal.leave_word(str(Ending(EndKind.FAILED, str(error))))
                raise
            undoing.pop_all()
        return cls(
            journal, archive, frontier, Chronicle(journal, frontier, archive, spec.strategy), rehydrate
        )

    def close(self) -> list[LycosaError]:
        """Let go of everything, the journal first, as it flushes the archive. Returns what went wrong."""
        errors: list[LycosaError] = []
        for part in (self.journal, self.archive, self.frontier):
            try:
                part.close()
            except LycosaError as error:
                errors.append(error)
        return errors

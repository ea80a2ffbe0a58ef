"""A run to its end, whoever began it: what it leaves is searchable, and has a report."""

from __future__ import annotations

from collections.abc import Callable

from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.crawls.session import Session
from lycosa.model.records import Arrival
from lycosa.report.page import write_report


async def run_to_the_end(session: Session, watch: Callable[[Arrival], None]) -> Folder:
    """Run a crawl, then bring its full-text index up to date and write its report; its folder."""
    await session.run(watch)
    folder = open_folder(session.path)
    folder.index_pages()
    write_report(folder, folder.paths.report)
    return folder

"""The papers of a collection, read of its PDFs, and who of them cites whom."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from lycosa.archive.reader import Reader
from lycosa.crawls.answers import Citing, Paper, Reference
from lycosa.crawls.past import record_of
from lycosa.model.decoding import from_json
from lycosa.model.errors import FolderError
from lycosa.read.citing import Citation, citations, originals_of
from lycosa.read.kinds import is_pdf
from lycosa.read.papers import READER, Manuscript, manuscript
from lycosa.read.pdf import UnreadablePdf
from lycosa.read.pdf_apart import printed_apart
from lycosa.store.full_text import DamagedIndex, remove_index
from lycosa.store.history import History, Row
from lycosa.store.manuscripts import Kept, Manuscripts
from lycosa.store.paths import Paths

BATCH: Final = 16
"""PDFs after which the progress is told, and what was read is kept."""

TellProgress = Callable[[int, int], None]


class Written(NamedTuple):
    """A page with what was read of it as a paper."""

    row: Row
    manuscript: Manuscript


class Bibliography:
    """What was read of the PDFs of one crawler's folder, kept in its index.

    Invariants, each the name of a property test:

    * nothing is read twice: bytes that were read before, at whatever URL, are not read again.
    """

    def __init__(self, paths: Paths, history: History, archive: Reader) -> None:
        self._paths, self._history, self._archive = paths, history, archive

    def written(self, progress: TellProgress) -> list[Written]:
        """All PDFs of the collection as papers, whether they are or not, in the order of the crawl. Reads those that
        came since; in a folder that may not be written to there are those that were read before. Raises `FolderError`
        if there are none for such a reason."""
        try:
            return self._written(progress)
        except DamagedIndex:
            if not os.access(self._paths.papers.parent, os.W_OK):
                raise
            remove_index(self._paths.papers)
            return self._written(progress)

    def _written(self, progress: TellProgress) -> list[Written]:
        if not self._may_write():
            if not self._paths.papers.exists():
                raise FolderError(
                    f"{self._paths.papers}: nothing was read yet, and nothing may be written here"
                )
            with Manuscripts(self._paths.papers, READER, read_only=True) as kept:
                return list(self._of(kept))
        with Manuscripts(self._paths.papers, READER) as kept:
            self._bring_up_to_date(kept, progress)
            return list(self._of(kept))

    def _may_write(self) -> bool:
        place = self._paths.papers.parent
        return os.access(place if place.exists() else self._paths.folder, os.W_OK)

    def _of(self, kept: Manuscripts) -> Iterator[Written]:
        for each in kept:
            row = self._history.row(each.step)
            if row is not None:
                yield Written(row, from_json(each.packed, Manuscript))

    def _bring_up_to_date(self, kept: Manuscripts, progress: TellProgress) -> None:
        rows = [row for row in self._history.rows(kept.last_step) if not row.noindex]
        pdfs = [row for row in rows if may_be_pdf(row)]
        for start in range(0, len(pdfs), BATCH):
            batch = pdfs[start : start + BATCH]
            kept.add([found for row in batch if (found := self._read(row, kept)) is not None], batch[-1].step)
            progress(start + len(batch), len(pdfs))
        if rows:
            kept.add([], rows[-1].step)

    def _read(self, row: Row, kept: Manuscripts) -> Kept | None:
        packed = kept.of_digest(row.digest) if row.digest else None
        if packed is None:
            found = self._manuscript(row)
            packed = msgspec.json.encode(found) if found is not None else None
        return None if packed is None else Kept(row.step, row.final_url, row.digest, packed)

    def _manuscript(self, row: Row) -> Manuscript | None:
        """None of what is no PDF, or cannot be read now."""
        record = record_of(row)
        if record is None:
            return None
        try:
            body = self._archive.read(record).body
            return manuscript(printed_apart(body)) if is_pdf(row.media_type, body) else None
        except (FolderError, UnreadablePdf):
            return None


def may_be_pdf(row: Row) -> bool:
    """Whether a page may be a PDF: one that its server calls text is one only if it is named so."""
    is_text = row.media_type.startswith("text/") or row.media_type.endswith(("/xml", "+xml"))
    return not is_text or row.final_url.lower().endswith(".pdf")


def papers_of(written: Sequence[Written], least: float) -> list[Paper]:
    """The papers among them, the most cited first, then the most relevant."""
    chosen = [each for each in written if each.manuscript.confidence.get("paper", 0.0) >= least]
    manuscripts = [each.manuscript for each in chosen]
    found, originals = citations(manuscripts), originals_of(manuscripts)
    papers = [_paper(place, original, chosen, found) for place, original in enumerate(originals)]
    return sorted(papers, key=lambda paper: (-paper.citations, -paper.relevance, paper.url))


def _paper(place: int, original: int, chosen: Sequence[Written], found: Sequence[Citation]) -> Paper:
    row, read = chosen[place]
    citing = [each for each in found if each.cited == original]
    cites = {each.reference: each for each in found if each.citing == original}
    references = tuple(
        Reference(
            **msgspec.structs.asdict(reference),
            paper=chosen[cites[number].cited].row.final_url if number in cites else None,
            match=cites[number].confidence if number in cites else 0.0,
        )
        for number, reference in enumerate(read.references)
    )
    cited_by = sorted(
        (Citing(url=chosen[each.citing].row.final_url, confidence=each.confidence) for each in citing),
        key=lambda one: (-one.confidence, one.url),
    )
    return Paper(
        url=row.final_url,
        step=row.step,
        relevance=row.relevance,
        title=read.title,
        authors=read.authors,
        abstract=read.abstract,
        year=read.year,
        venue=read.venue,
        references=references,
        cited_by=tuple(cited_by),
        citations=len(cited_by),
        expected_citations=round(sum(one.confidence for one in cited_by), 3),
        copy_of=chosen[original].row.final_url if original != place else None,
        confidence=read.confidence,
    )

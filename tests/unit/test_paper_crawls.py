"""The papers of a crawl: read of its PDFs, kept, and counted by who cites them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from tests.made_papers import HOME, made_others, made_papers, preprint_of, recorded, url
from tests.sharedcrawls import shared_crawl

import lycosa
from lycosa.cli.group import lycosa as cli
from lycosa.crawls.answers import Paper
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.crawls.shared.answers import SharedPaper
from lycosa.model.url import Url
from lycosa.read.papers import READER
from lycosa.sharing.registry import partition
from lycosa.spec.tree import CrawlSpec, TopicSpec
from lycosa.store.manuscripts import Manuscripts

PAPERS, OTHERS = made_papers(12, seed=7), made_others(5, seed=7)
COPY = "http://mirror.test/copy.pdf"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("papers")
    copy, broken = (COPY, preprint_of(PAPERS[0])), (f"{HOME}broken.pdf", b"%PDF-1.4 of no use")
    web = recorded(place / "web", [*PAPERS, *OTHERS], [copy, broken])
    found = lycosa.crawl("crawling links", [HOME], web=f"recorded:{web}", pages=50, out=place / "crawl")
    found.close()
    return place / "crawl"


def by_url(papers: Sequence[Paper]) -> dict[str, Paper]:
    return {paper.url: paper for paper in papers}


def test_pdfs_are_pages_and_one_that_cannot_be_read_is_a_failure(folder: Path) -> None:
    with open_folder(folder) as crawl:
        pages = {row.url: row for row in crawl.rows()}
        assert pages[Url(url(PAPERS[0]))].title == PAPERS[0].title
        assert PAPERS[0].abstract in pages[Url(url(PAPERS[0]))].text
        assert crawl.status().failures_by_reason == {"unreadable": 1}
        assert "a PDF that is damaged" in crawl.why(f"{HOME}broken.pdf").reason
        assert crawl.search(f'"{PAPERS[3].title}"')[0].url == url(PAPERS[3])


def test_papers_are_told_from_what_is_none(folder: Path) -> None:
    with open_folder(folder) as crawl:
        papers = by_url(crawl.papers())
        assert set(papers) == {*map(url, PAPERS), COPY}
        assert set(by_url(crawl.papers(least=0.0))) == {*papers, *map(url, OTHERS)}
        for made in PAPERS:
            found = papers[Url(url(made))]
            assert (found.title, found.authors) == (made.title, made.authors)
            assert len(found.references) == len(made.references)


def test_who_cites_whom(folder: Path) -> None:
    with open_folder(folder) as crawl:
        papers = by_url(crawl.papers())
    own = {made.title: made for made in PAPERS}
    for made in PAPERS:
        citing = {url(one) for one in PAPERS if made.title in {cited.title for cited in one.references}}
        found = papers[Url(url(made))]
        assert {one.url for one in found.cited_by} == citing
        assert found.citations == len(citing)
        assert found.expected_citations == pytest.approx(
            sum(one.confidence for one in found.cited_by), abs=1e-3
        )
        for reference, cited in zip(found.references, made.references, strict=True):
            assert reference.paper == (url(own[cited.title]) if cited.title in own else None)


def test_a_copy_is_the_same_paper(folder: Path) -> None:
    with open_folder(folder) as crawl:
        papers = by_url(crawl.papers())
    one, other = papers[Url(url(PAPERS[0]))], papers[Url(COPY)]
    assert sorted([one.copy_of or "", other.copy_of or ""])[0] == ""
    assert one.cited_by == other.cited_by
    assert {one.copy_of, other.copy_of} <= {None, one.url, other.url}


def test_the_most_cited_come_first(folder: Path) -> None:
    with open_folder(folder) as crawl:
        counts = [paper.citations for paper in crawl.papers()]
    assert counts == sorted(counts, reverse=True)


def opened(folder: Path) -> CrawlFolder:
    found = open_folder(folder)
    assert isinstance(found, CrawlFolder)
    return found


def test_nothing_is_read_twice(folder: Path) -> None:
    """What was read is kept, and told from there: also what is wrong."""
    with opened(folder) as crawl:
        before = crawl.papers()
        with Manuscripts(crawl.paths.papers, READER) as kept:
            each = next(iter(kept))
            assert kept.last_step >= each.step
            changed = each._replace(packed=each.packed.replace(b'"venue":"', b'"venue":"X'))
            kept.add([changed], 0)
        told: list[tuple[int, int]] = []
        after = crawl.papers(progress=lambda done, of: told.append((done, of)))
        assert told == []
        assert [paper.url for paper in after if paper.venue.startswith("X")] in ([each.url], [])
        crawl.paths.papers.unlink()
        assert crawl.papers() == before


@pytest.mark.parametrize("harm", [b"no database", b""])
def test_a_damaged_index_is_made_anew(folder: Path, harm: bytes) -> None:
    with opened(folder) as crawl:
        before = crawl.papers()
        crawl.paths.papers.write_bytes(harm)
        assert crawl.papers() == before


def test_what_another_version_read_is_read_again(folder: Path) -> None:
    with opened(folder) as crawl:
        before = crawl.papers()
        Manuscripts(crawl.paths.papers, "of old").close()
        assert crawl.papers() == before


def test_the_verb_shows_and_writes_json(folder: Path) -> None:
    shown = CliRunner().invoke(cli, ["papers", str(folder), "-n", "3"])
    assert shown.exit_code == 0, shown.output
    with open_folder(folder) as crawl:
        first = crawl.papers()[0]
    assert f" 1. {first.title}" in shown.output
    assert f"cited by {first.citations} paper" in shown.output
    assert "13 papers; 10 more: -n 13" in shown.output
    written = CliRunner().invoke(cli, ["papers", str(folder), "--json"]).output.splitlines()
    assert len(written) == 13
    assert json.loads(written[0])["title"] == first.title
    assert msgspec.json.decode(written[0], type=Paper) == first


def test_nodes_that_share_a_crawl_have_their_papers_together(folder: Path, tmp_path: Path) -> None:
    """A third of the files at each node; who cites whom is the same as in one folder."""
    spec = CrawlSpec(
        topic=TopicSpec(keywords=("crawling links",)), seeds=(HOME,), web=f"recorded:{folder.parent / 'web'}"
    )
    place = shared_crawl(tmp_path / "shared", spec, lambda members: partition("url", members), pages=40)
    with open_folder(folder) as crawl, open_folder(place) as shared:
        together, alone = by_url(shared.papers()), by_url(crawl.papers())
        assert set(together) == set(alone)
        assert len({found.node for found in shared.papers() if isinstance(found, SharedPaper)}) > 1
        for at, found in together.items():
            assert found.title == alone[at].title
            assert found.citations == alone[at].citations


def test_a_crawl_without_papers(tmp_path: Path) -> None:
    web = recorded(tmp_path / "web", OTHERS)
    found: Folder = lycosa.crawl("crawling", [HOME], web=f"recorded:{web}", pages=50, out=tmp_path / "crawl")
    with found:
        assert found.papers() == []
    assert "no paper among the PDFs" in CliRunner().invoke(cli, ["papers", str(tmp_path / "crawl")]).output

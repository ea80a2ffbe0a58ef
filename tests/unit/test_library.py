"""Many crawls in one place, and new ones in processes of their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import lycosa
from lycosa.library.library import Library
from lycosa.library.new_crawl import Limits, NewCrawl
from lycosa.model.errors import FolderError, InputError
from lycosa.model.events import Wish

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
SEED = "http://schools.wiki.example/wp/Biosphere.html"
WEB = {"web": f"recorded:{SAMPLE}"}


def crawl(place: Path, pages: int = 5) -> None:
    lycosa.crawl("dinosaur fossil", [SEED], web=WEB["web"], pages=pages, out=place).close()


def until(met: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not met():
        assert time.monotonic() < until
        time.sleep(0.05)


def until_over(library: Library, name: str) -> None:
    until(lambda: name not in library.running())


def test_one_name_each(tmp_path: Path) -> None:
    for place in ("a/crawl", "b/crawl", "b/other"):
        crawl(tmp_path / place)
    (tmp_path / "b" / "no-crawl").mkdir()
    library = Library([tmp_path / "a", tmp_path / "b", tmp_path / "a" / "crawl", tmp_path / "not-there"])
    assert [(each.name, each.path.relative_to(tmp_path).as_posix()) for each in library.crawls()] == [
        ("crawl", "a/crawl"),
        ("crawl~2", "b/crawl"),
        ("other", "b/other"),
    ]
    with library.open("crawl~2") as folder:
        assert folder.path == tmp_path / "b" / "crawl"


@pytest.mark.parametrize("name", ["..", "../b/crawl", "/etc", "crawl/../crawl", "", "crawl\0", "no-crawl"])
def test_nothing_outside(tmp_path: Path, name: str) -> None:
    crawl(tmp_path / "a" / "crawl")
    (tmp_path / "a" / "no-crawl").mkdir()
    (tmp_path / "a" / "link").symlink_to(tmp_path / "a" / "crawl")
    library = Library([tmp_path / "a"])
    assert [each.name for each in library.crawls()] == ["crawl"]
    with pytest.raises(FolderError, match="there is no crawl of this name here"):
        library.place(name)


def test_a_crawl_begins_in_a_process_of_its_own_and_goes_on(tmp_path: Path) -> None:
    library = Library([tmp_path], given=WEB)
    name = library.begin(NewCrawl(topic="dinosaur fossil", urls=(SEED,), pages=8))
    assert name == "dinosaur-fossil"
    until_over(library, name)
    with library.open(name) as folder:
        status = folder.status()
        assert (status.state, status.pages, status.ended_by) == ("done", 8, "budget")
        assert folder.search("fossil")
        until(folder.paths.report.exists)  # the last that is made
    library.resume(name, pages=12)
    until_over(library, name)
    with library.open(name) as folder:
        assert folder.status().pages == 12
        assert folder.ask(Wish.STOP) is None
    assert library.begin(NewCrawl(topic="dinosaur fossil", urls=(SEED,), pages=1)) == "dinosaur-fossil-2"


def test_start_pages_are_the_best_hits_of_another_crawl(tmp_path: Path) -> None:
    crawl(tmp_path / "first", pages=30)
    library = Library([tmp_path], given=WEB)
    name = library.begin(NewCrawl(topic="dinosaur fossil", seeds_from=("first",), pages=5))
    until_over(library, name)
    with library.open(name) as folder:
        assert any("Dinosaur" in url for url in folder.spec.seeds)
    with pytest.raises(FolderError, match="there is no crawl of this name here"):
        library.begin(NewCrawl(topic="dinosaur", seeds_from=("../first",)))


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (NewCrawl(topic="dinosaur"), "no start page"),
        (NewCrawl(urls=(SEED,)), "no topic"),
        (NewCrawl(topic="x", urls=("ftp://x/",)), "ftp"),
        (NewCrawl(topic="x", urls=(SEED,), strategy="bset-first"), "did you mean"),
        (NewCrawl(topic="x", urls=(SEED,), like=("/etc/passwd",)), "give a URL that starts with https://"),
        (NewCrawl(topic="x", urls=(SEED,), like=("file:///etc/passwd",)), "give a URL that starts with"),
        (NewCrawl(topic="x", urls=(SEED,), pages=500), "are more than the 100 that are allowed here"),
        (NewCrawl(topic="x", urls=(SEED,), time=500), "are more than the 60 s that are allowed here"),
        (NewCrawl(topic="x", urls=(SEED,), include=("(",)), r"\("),
    ],
)
def test_what_cannot_be_crawled_is_told_in_one_line(tmp_path: Path, new: NewCrawl, said: str) -> None:
    library = Library([tmp_path], given=WEB, limits=Limits(pages=100, seconds=60, crawls=2))
    if new.pages == 1_000:
        new = NewCrawl(**{**{k: getattr(new, k) for k in new.__struct_fields__}, "pages": 10})
    with pytest.raises(InputError, match=said) as error:
        library.begin(new)
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_no_more_at_once_than_allowed(tmp_path: Path) -> None:
    library = Library([tmp_path], given=WEB, limits=Limits(crawls=0))
    with pytest.raises(InputError, match="no more are allowed here"):
        library.begin(NewCrawl(topic="dinosaur", urls=(SEED,)))
    with pytest.raises(InputError, match="no new crawls here"):
        Library([]).begin(NewCrawl(topic="dinosaur", urls=(SEED,)))


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (NewCrawl(topic="x", urls=("http://example.org/", "http://a.example.org:8080/")), ""),
        (NewCrawl(topic="x", urls=("http://example.org/",), domain=("www.example.org",)), ""),
        (
            NewCrawl(topic="x", urls=("http://example.org/",), prefix=("org,example)/docs", "org,example,w")),
            "",
        ),
        (NewCrawl(topic="x", urls=("http://notexample.org/",)), "notexample.org"),
        (NewCrawl(topic="x", urls=("http://example.org.evil/",)), "example.org.evil"),
        (NewCrawl(topic="x", urls=("http://example.org/",), host=("evil.test",)), "evil.test"),
        (NewCrawl(topic="x", urls=("http://example.org/",), domain=("org",)), "org"),
        (NewCrawl(topic="x", urls=("http://example.org/",), prefix=("org,exam",)), "org"),
        (NewCrawl(topic="x", urls=("http://example.org/",), like=("http://evil.test/",)), "evil.test"),
        (NewCrawl(topic="x", urls=("http://example.org/",), sitemap=("http://evil.test/",)), "evil.test"),
        (NewCrawl(topic="x", urls=("http://example.org/",), max_hosts=4), "max_hosts: 4 are more than the 3"),
    ],
)
def test_limits_of_places_are_kept(new: NewCrawl, said: str) -> None:
    limits = Limits(domains=("example.org",), hosts=3)
    if said:
        with pytest.raises(InputError, match=f"^{said}"):
            limits.kept_by(new)
        return
    spec = limits.kept_by(new).specification()
    assert spec.scope.most_hosts == 3
    assert spec.scope.domains == (new.domain or (() if new.prefix else ("example.org",)))

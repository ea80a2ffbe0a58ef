"""Citations: `archive:DATE/URL`."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.archive.citation import Citation, cited, is_citation, read_citation
from lycosa.archive.collection import Collection
from lycosa.archive.warc import WarcArchive
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Response
from lycosa.model.url import Url

HERE = Url("http://a.example/x")
DAY = 86_400_000
MARCH_1 = 1_425_168_000_000  # date -u -d '2015-03-01' +%s


@pytest.mark.parametrize(
    ("date", "at"),
    [
        ("20150301", MARCH_1 + DAY - 1),
        ("2015030112", MARCH_1 + 13 * 3_600_000 - 1),
        ("20150301120000", MARCH_1 + 12 * 3_600_000 + 999),
        ("201502", MARCH_1 - 1),
        ("2014", MARCH_1 - 59 * DAY - 1),
        ("20160229", MARCH_1 + 366 * DAY - 1),
    ],
)
def test_a_date_means_its_end(date: str, at: int) -> None:
    assert read_citation(f"archive:{date}/http://A.example/x") == Citation(url=HERE, at=Millis(at))


def test_a_host_alone_is_a_url_and_a_query_may_hold_anything() -> None:
    assert read_citation("archive:20150301/a.example/x").url == HERE
    assert read_citation("Archive:2015/http://a.example/x?u=archive:2014/y").url.endswith("?u=archive:2014/y")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "archive:20150229/http://a.example/",
            "archive:201513/http://a.example/",
            "archive:0000/a.example/",
        ),
        *("archive:201/http://a.example/", "archive:20150301", "archive:20150301/", "http://a.example/"),
        "archive:2015030199/http://a.example/",
    ],
)
def test_what_is_no_citation_is_refused_in_a_line(text: str) -> None:
    with pytest.raises(InputError, match=r"archive:20150301/http|not a URL"):
        read_citation(text)


def test_what_is_taken_for_a_citation() -> None:
    assert [is_citation(text) for text in ("archive:2015/a", "ARCHIVE:x", "archives", "http://a")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_citation_is_answered_with_the_nearest_capture_not_after_it(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    for day in (0, 2, 5):
        at = Millis(MARCH_1 + day * DAY)
        archive.write(
            Response(url=HERE, status=200, headers=(), body=f"March {day + 1}".encode(), fetched_at=at)
        )
    archive.close()
    collection = Collection.open([tmp_path])

    def read(date: str) -> bytes:
        return cited(collection, read_citation(f"archive:{date}/{HERE}"))[1].body

    assert [read(f"2015030{day}") for day in (1, 2, 3, 5, 6)] == [
        b"March 1",
        b"March 1",
        b"March 3",
        b"March 3",
        b"March 6",
    ]
    assert read("2015") == b"March 6"
    with pytest.raises(InputError, match=r"was not captured up to 2015-02-28T23:59:59Z; .* 2015-03-01"):
        read("20150228")
    with pytest.raises(InputError, match=r"was not captured up to 2015-03-01T23:59:59Z$"):
        cited(collection, read_citation("archive:20150301/http://a.example/other"))
    collection.close()

"""Archives elsewhere: their names, what their indexes say, and single records, by hand."""

from __future__ import annotations

import gzip
import hashlib
from base64 import b32encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import response, u

from lycosa.archive.lent import lent_response
from lycosa.model.records import Millis, Response
from lycosa.model.url import Url
from lycosa.spec.webs import Named, web_of
from lycosa.web.archived.address import Address, address_of
from lycosa.web.archived.index import (
    Listed,
    Listing,
    area_question,
    areas_of,
    listed,
    question,
)
from lycosa.web.archived.replay import capture_in, leads_on, replay_of

CC = address_of("cc:CC-MAIN-2026-05")
WAYBACK = address_of("wayback:2010-2012")
PAGE = Url("http://a.test/x")


def test_names_of_archives() -> None:
    assert (CC.index, CC.records, CC.by) == (
        "https://index.commoncrawl.org/CC-MAIN-2026-05-index",
        "https://data.commoncrawl.org/",
        "ranges",
    )
    assert (WAYBACK.since, WAYBACK.until, WAYBACK.by) == ("2010", "2012", "replay")
    assert address_of("wayback:").until == ""
    assert (address_of("wayback:20120131").since, address_of("wayback:20120131").until) == ("", "20120131")
    own = address_of("pywb:http://here:8080/coll#2012")
    assert (own.index, own.records, own.until) == (
        "http://here:8080/coll/cdx",
        "http://here:8080/coll/",
        "2012",
    )


def test_parts_of_a_web(tmp_path: Path) -> None:
    comma = tmp_path / "a,b"
    comma.mkdir()
    assert web_of("live") == Named(live=True)
    assert web_of("recorded:") == web_of("") == Named()
    assert web_of(long := "cdx:http://a.test/" + "x" * 5_000) == Named(archives=(long,))
    assert web_of(f"recorded:{comma}") == Named(recordings=(comma,))
    assert web_of("a,recorded:b") == Named(recordings=(Path("a"), Path("b")))
    mixed = web_of("recorded:a,live,cc:X,wayback:2012")
    assert mixed == Named(recordings=(Path("a"),), archives=("cc:X", "wayback:2012"), live=True)
    assert str(mixed) == "live,recorded:a,cc:X,wayback:2012"
    assert web_of(str(mixed)) == mixed
    assert (mixed.is_mixed, mixed.is_recorded, web_of("cc:X").is_mixed) == (True, False, False)


def test_questions() -> None:
    assert question(CC, PAGE) == f"{CC.index}?url=http%3A%2F%2Fa.test%2Fx&output=json"
    assert area_question(CC, "a.test/") == (
        f"{CC.index}?url=a.test%2F&matchType=prefix&limit=3000&output=json"
    )
    assert question(WAYBACK, PAGE) == (
        f"{WAYBACK.index}?url=http%3A%2F%2Fa.test%2Fx&limit=-20&output=json&from=2010&to=2012"
    )


@pytest.mark.parametrize(
    ("url", "areas"),
    [
        ("http://a.test/", ["a.test/"]),
        ("https://a.test:8080/x/y?u=/z/", ["a.test:8080/", "a.test:8080/x/"]),
        ("http://a.test/1/2/3/4/5", ["a.test/", "a.test/1/", "a.test/1/2/", "a.test/1/2/3/"]),
    ],
)
def test_places_of_a_url_widest_first(url: str, areas: list[str]) -> None:
    assert areas_of(Url(url)) == areas


LINES = b"""
{"urlkey": "test,a)/x", "timestamp": "20200102030405", "url": "http://a.test/x", "mime": "text/html",
{"urlkey": "test,a)/x", "timestamp": "20200102030405", "url": "http://a.test/x", "status": "200", "digest": "AB", \
"length": "10", "offset": 5, "filename": "f.warc.gz", "mime": "text/html"}
{"timestamp": 20210102030405, "url": "http://a.test/x", "status": 503, "length": "10", "offset": "7", "filename": "g"}
{"timestamp": "20220102030405", "url": "http://a.test/x", "status": "304"}
{"timestamp": "20220102030405", "url": "http://a.test/x", "status": "-", "mime": "warc/revisit"}
{"timestamp": "20230000000000", "url": "http://a.test/x", "status": "200"}
"""
ROWS = b"""[["urlkey","timestamp","original","mimetype","statuscode","digest","length"],
["test,a)/x","20200102030405","http://a.test/x","text/html","200","AB","10"],
["test,a)/x","20210102030405","http://a.test/x","text/html","-","AB","10"]"""


def test_lines_of_pywb() -> None:
    """A torn line, a 304 and a day that there is not are left out."""
    good, sick, again = listed(LINES)
    assert (again.is_revisit, again.status, good.is_revisit) == (True, 0, False)
    assert good == Listed(
        url=PAGE, time="20200102030405", status=200, digest="AB", file="f.warc.gz", offset=5, length=10
    )
    assert good.at == 1_577_934_245_000  # 2020-01-02 03:04:05 UTC
    assert (sick.status, sick.offset) == (503, 7)
    assert Listing([good, sick]).find(PAGE) == good  # older, but a page


@pytest.mark.parametrize("end", [b"]", b",", b",\n[[", b""])
def test_rows_of_the_wayback_machine_whole_and_cut(end: bytes) -> None:
    first, second = listed(ROWS + end)
    assert first == Listed(url=PAGE, time="20200102030405", status=200, digest="AB")
    assert second.status == 0


def test_under_another_name_redirects_are_passed_over() -> None:
    def line(url: str, status: int) -> Listed:
        return Listed(url=url, time="20200102030405", status=status)

    moved, page = line("http://www.a.test/x", 301), line("https://a.test/x", 200)
    assert Listing([moved]).find(PAGE) is None
    assert Listing([moved, page]).find(PAGE) == page
    index = line("http://a.test/index.html", 200)
    assert Listing([index]).find(Url("http://a.test/")) == index


@given(st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
def test_whatever_an_index_says_is_read(body: bytes) -> None:
    for prefix in (b"", b"[[", b'{"url": "', b'[["url","timestamp"],['):
        Listing(listed(prefix + body))


def replayed(**headers: str) -> Response:
    shown = [(name.replace("_", "-"), value) for name, value in headers.items()]
    when = ("Memento-Datetime", "Thu, 02 Jan 2020 03:04:05 GMT")
    return response(Url("http://archive.test/web/1id_/http://a.test/x"), b"a page", 200, *shown, when)


LINE = Listed(url=PAGE, time="20200102030405", status=200)


def test_a_replayed_page_has_its_own_headers_and_time() -> None:
    answer = replayed(
        X_Archive_Orig_Content_Type="text/html; charset=latin-1",
        X_Archive_Orig_Server="old",
        Server="nginx",
        Link="<http://archive.test/timemap>; rel=timemap",
    )
    found = capture_in(answer, LINE, PAGE)
    assert found.headers == (("Content-Type", "text/html; charset=latin-1"), ("Server", "old"))
    assert (found.url, found.fetched_at, found.elapsed) == (PAGE, 1_577_934_245_000, 0)
    plain = capture_in(replayed(Content_Type="text/html", ETag='"1"', Link="<x>; rel=memento"), LINE, PAGE)
    assert dict(plain.headers) == {"Content-Type": "text/html", "ETag": '"1"'}


def test_a_replayed_redirect_leads_where_it_led() -> None:
    answer = response(
        PAGE,
        b"",
        302,
        ("Location", "https://web.archive.org/web/20200102030405id_/http://a.test/y"),
        ("Memento-Datetime", "Thu, 02 Jan 2020 03:04:05 GMT"),
    )
    found = capture_in(answer, Listed(url=PAGE, time="20200102030405", status=301), PAGE)
    assert (found.status, found.header("location")) == (301, "http://a.test/y")
    assert leads_on(answer, WAYBACK) is None


def test_the_archive_may_lead_on_to_another_capture() -> None:
    def led(location: str) -> Url | None:
        return leads_on(response(PAGE, b"", 302, ("Location", location)), WAYBACK)

    there = f"{WAYBACK.records}2011id_/{PAGE}"
    assert led(there) == led(f"/web/2011id_/{PAGE}") == there
    assert led("https://elsewhere.test/") is None


def test_what_is_no_capture_is_none() -> None:
    with pytest.raises(ValueError, match="404"):
        capture_in(response(PAGE, b"not here", 404), LINE, PAGE)
    with pytest.raises(ValueError, match="payload"):
        capture_in(
            replayed(Content_Type="text/html"),
            Listed(url=PAGE, time="20200102030405", digest="A" * 32),
            PAGE,
        )


def test_a_replay_is_asked_for_by_a_url_that_can_be_sent() -> None:
    own = Address(name="", index="", records="http://archive.test/", by="replay")
    odd = Listed(url="http://a.test/é x\r\nHost: b#f", time="20200102030405")
    assert (
        replay_of(own, odd)
        == "http://archive.test/20200102030405id_/http://a.test/%C3%A9%20x%0D%0AHost:%20b%23f"
    )


def digest_of(body: bytes) -> str:
    return "sha1:" + b32encode(hashlib.sha1(body).digest()).decode()


def record(block: bytes, digest: str = "", kind: str = "response") -> bytes:
    head = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {PAGE}",
        "WARC-Date: 2020-01-02T03:04:05Z",
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>",
        *([f"WARC-Payload-Digest: {digest}"] if digest else []),
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(block)}",
    ]
    return gzip.compress("\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n", mtime=0)


BODY = b"a page about coral reefs " * 9
PACKED = gzip.compress(BODY, mtime=0)
CHUNKED = b"%x\r\n" % len(PACKED) + PACKED + b"\r\n0\r\n\r\n"


@pytest.mark.parametrize("payload", [CHUNKED, PACKED, BODY], ids=["wire", "without chunks", "decoded"])
def test_digests_of_all_writers_are_understood(payload: bytes) -> None:
    block = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED
    digest = digest_of(payload)
    for stated, told in ((digest, ""), ("", digest), (digest, digest.removeprefix("sha1:").lower())):
        found = lent_response(record(block, stated), told)
        assert (found.url, found.body, found.fetched_at) == (PAGE, BODY, 1_577_934_245_000)


PLAIN_BLOCK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + BODY


def test_digests_that_mean_nothing_here_are_left_alone() -> None:
    for odd in ("", "sha256:abc", "md5:rL0Y20zC+Fzt72VPzMSk2A==", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ-"):
        assert lent_response(record(PLAIN_BLOCK), odd).body == BODY


@pytest.mark.parametrize(
    ("member", "digest", "said"),
    [
        (record(PLAIN_BLOCK)[:-9], "", "damaged|cut"),
        (record(PLAIN_BLOCK)[:60], "", "damaged|cut"),
        (b"<html>no record", "", "no whole record"),
        (record(PLAIN_BLOCK, kind="request"), "", "another kind is there: request"),
        (record(PLAIN_BLOCK), digest_of(b"another"), "payload is not"),
        (record(PLAIN_BLOCK, digest_of(b"another")), "", "payload is not"),
        (record(PLAIN_BLOCK, digest_of(BODY)), digest_of(b"another"), "another record"),
        (record(b"not HTTP at all"), "", "damaged"),
    ],
)
def test_a_record_that_is_not_what_it_should_be(member: bytes, digest: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        lent_response(member, digest)


def test_a_bomb_is_cut_at_the_limit() -> None:
    """Sixty megabytes in a record of sixty kilobytes."""
    member = record(b"HTTP/1.1 200 OK\r\n\r\n" + bytes(60 << 20))
    found = lent_response(member, most=1 << 20)
    assert (len(found.body), found.truncated) == (1 << 20, "length")


def test_times_to_the_second() -> None:
    assert Listed(url="", time="19700101000001").at == Millis(1000)
    assert u("a/x") == PAGE

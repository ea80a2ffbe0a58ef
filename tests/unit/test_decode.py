"""Content codings: each undone, each damaged, each overdone."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard

from lycosa.web.http.decode import FLOOR, MAX_CODINGS, MAX_MEMBERS, RATIO, Body, BrokenCoding

TEXT = b"".join(b"<p>line %d of the page\n" % n for n in range(5000))


def bare(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


CODED = {
    "": TEXT,
    "identity": TEXT,
    "gzip": gzip.compress(TEXT),
    "X-GZIP": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    " deflate ": bare(TEXT),
    "br": brotli.compress(TEXT),
    "zstd": zstandard.ZstdCompressor().compress(TEXT),
    "gzip, br": brotli.compress(gzip.compress(TEXT)),
    "zstd,deflate,gzip": gzip.compress(zlib.compress(zstandard.ZstdCompressor().compress(TEXT))),
    "utf-8": TEXT,
    "utf-8, gzip": gzip.compress(TEXT),
}


def read(coding: str, raw: bytes, limit: int = 10**7, step: int = 10**9) -> Body:
    body = Body(coding, limit)
    for start in range(0, len(raw), step):
        if not body.feed(raw[start : start + step]):
            break
    else:
        body.end()
    return body


@pytest.mark.parametrize("coding", CODED)
@pytest.mark.parametrize("step", [10**9, 1000, 1])
def test_every_coding_is_undone(coding: str, step: int) -> None:
    body = read(coding, CODED[coding], step=step)
    assert body.take() == TEXT
    assert (body.truncated, body.broken) == ("", "")


def test_gzip_members_follow_one_another_and_padding_is_passed_over() -> None:
    raw = gzip.compress(b"one ") + gzip.compress(b"two") + bytes(512)
    for step in (10**9, 7, 1):
        body = read("gzip", raw, step=step)
        assert (body.take(), body.truncated) == (b"one two", "")


def test_zstd_frames_follow_one_another() -> None:
    packer = zstandard.ZstdCompressor()
    assert read("zstd", packer.compress(b"one ") + packer.compress(b"two")).take() == b"one two"


@pytest.mark.parametrize(
    ("coding", "member"),
    [("gzip", gzip.compress(b"x", mtime=0)), ("zstd", zstandard.ZstdCompressor().compress(b"x"))],
    ids=["gzip", "zstd"],
)
def test_members_without_end_are_not_all_unpacked(coding: str, member: bytes) -> None:
    body = read(coding, member * (MAX_MEMBERS + 1))
    assert (body.take(), body.truncated) == (b"x" * MAX_MEMBERS, "unspecified")
    assert "more than 1000 members" in body.broken


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_is_not_coded_as_it_says_is_broken(coding: str) -> None:
    body = read(coding, b"\xff<html>not coded at all" * 100)
    assert body.size == 0
    assert body.truncated == "unspecified"
    assert "not valid" in body.broken


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_what_came_before_the_break_is_kept(coding: str) -> None:
    text = b"".join(b"%d squared is %d\n" % (n, n * n) for n in range(100_000))
    raw = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": lambda body: brotli.compress(body, quality=4),
        "zstd": zstandard.ZstdCompressor().compress,
    }[coding](text)
    body = read(coding, raw[: len(raw) // 2] + bytes(64) + b"\xff" * 1000, step=4096)
    assert body.truncated == "unspecified"
    assert 50_000 < body.size < len(text)
    kept = body.take()
    assert kept[:50_000] == text[:50_000]


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_coded_body_that_ends_too_early_says_so(coding: str) -> None:
    body = read(coding, CODED[coding][: len(CODED[coding]) // 2])
    assert body.truncated == "unspecified"
    assert TEXT.startswith(body.take())
    assert "too early" in body.broken


def test_no_body_at_all_is_whole_in_any_coding() -> None:
    body = read("gzip", b"")
    assert (body.take(), body.truncated) == (b"", "")


def test_the_limit_cuts_while_streaming_and_not_at_its_very_size() -> None:
    assert read("", TEXT, limit=len(TEXT)).truncated == ""
    body = Body("", 100)
    assert body.feed(b"x" * 99)
    assert body.feed(b"y")
    assert not body.feed(b"z")
    assert (body.take(), body.truncated) == (b"x" * 99 + b"y", "length")
    coded = read("gzip", gzip.compress(TEXT), limit=1000)
    assert (coded.take(), coded.truncated) == (TEXT[:1000], "length")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_a_bomb_is_cut_at_the_floor_or_the_ratio(coding: str) -> None:
    zeros = bytes(32 * 1024 * 1024)
    raw = {
        "gzip": lambda: gzip.compress(zeros),
        "deflate": lambda: zlib.compress(zeros),
        "br": lambda: brotli.compress(zeros, quality=1),
        "zstd": lambda: zstandard.ZstdCompressor().compress(zeros),
        "gzip, gzip": lambda: gzip.compress(gzip.compress(zeros)),
    }[coding]()
    body = read(coding, raw, limit=10**9)
    assert body.truncated == "length"
    assert body.size == max(FLOOR, RATIO * len(raw))
    assert body.size < len(zeros)


def test_more_than_four_codings_are_refused() -> None:
    Body(", ".join(["gzip"] * MAX_CODINGS), 100)
    with pytest.raises(BrokenCoding, match="5 content codings"):
        Body(", ".join(["gzip"] * (MAX_CODINGS + 1)), 100)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd"])
def test_padding_without_end_is_not_read_for_ever(coding: str) -> None:
    filler = {"gzip": bytes(100), "deflate": bytes(100), "zstd": b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip"}[
        coding
    ]
    body = Body(coding, 20_000)
    start = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstandard.ZstdCompressor().compress}
    body.feed(start[coding](b"page"))
    fed = 0
    while body.feed(filler):
        fed += len(filler)
        assert fed < 30_000
    assert (body.take(), body.truncated) == (b"page", "unspecified" if coding == "zstd" else "length")

"""The fair floor: aiohttp and lexbor in a loop that extracts links and writes WARC. No robots.txt, nothing read.

Each exchange is a response and a request record as gzip members at the level that lycosa writes, with ids, digests
and lengths as WARC 1.1 wants them.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import sys
import uuid
from functools import partial
from pathlib import Path
from typing import BinaryIO

import aiohttp
import uvloop
from bare import crawl
from isal import isal_zlib

LEVEL, GZIP = 2, 31


def digest(block: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest()).decode()


def record(kind: str, url: str, block: bytes, *fields: str) -> bytes:
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <{uuid.uuid4().urn}>",
        f"WARC-Date: {now}",
        f"WARC-Target-URI: {url}",
        f"WARC-Block-Digest: {digest(block)}",
        f"Content-Type: application/http; msgtype={kind}",
        f"Content-Length: {len(block)}",
        *fields,
    ]
    whole = b"".join(("\r\n".join(lines).encode(), b"\r\n\r\n", block, b"\r\n\r\n"))
    return bytes(isal_zlib.compress(whole, LEVEL, GZIP))


def keep(archive: BinaryIO, url: str, reply: aiohttp.ClientResponse, body: bytes) -> None:
    status = f"HTTP/1.1 {reply.status} {reply.reason}".encode()
    head = b"\r\n".join([status, *(b": ".join(field) for field in reply.raw_headers), b"\r\n"])
    payload = f"WARC-Payload-Digest: {digest(body)}"
    archive.write(record("response", url, head + body, payload))
    sent = "".join(f"{name}: {value}\r\n" for name, value in reply.request_info.headers.items())
    archive.write(record("request", url, f"GET {reply.url.raw_path} HTTP/1.1\r\n{sent}\r\n".encode()))


if __name__ == "__main__":
    with Path("archive.warc.gz").open("wb") as archive:
        print("pages", uvloop.run(crawl(sys.argv[1], partial(keep, archive))))

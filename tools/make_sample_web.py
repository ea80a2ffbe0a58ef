"""Makes `examples/sample-web` from the wikispeedia recording: 300 pages around one topic, links among them only.

    LYCOSA_SHARED=… python tools/make_sample_web.py

The pages are the topic's targets, the ways to them from the start page, and the pages that are linked most, which
have nothing to do with the topic. Links that lead out of the sample are turned into plain text, so that the demo is
not a tour of error pages; that is the only change.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter, deque
from pathlib import Path

from msgspec.structs import replace

from lycosa.archive.collection import Collection
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.model.records import Response
from lycosa.model.url import Url
from lycosa.read.html import read

TOPIC = "wikispeedia-science-biology-dinosaurs"
START = Url("http://schools.wiki.example/wp/Biosphere.html")
PAGES = 300
LINK = re.compile(rb'<a href="(/wp/[^"]*)">(.*?)</a>', re.DOTALL)
SITE = "http://schools.wiki.example"


def main() -> None:
    source = Path(os.environ["LYCOSA_SHARED"]) / "webs" / "wikispeedia"
    target = Path(__file__).parent.parent / "examples" / "sample-web"
    collection = Collection.open([source])
    pages = {Url(capture.url): collection.find(capture.url) for capture in collection.captures()}
    responses = {url: response for url, response in pages.items() if response is not None}
    graph = {url: _links(response) for url, response in responses.items()}
    kept = _choose(graph, _targets(source))
    for old in target.glob("*.warc.gz"):
        old.unlink()
    archive = WarcArchive.open(target, Provenance(name="sample", description="300 pages of wikispeedia"))
    for url in sorted(kept):
        archive.write(_without_outer_links(responses[url], kept))
    archive.close()
    shutil.copy("/usr/share/common-licenses/GFDL-1.2", target / "LICENSE")
    print(f"{len(kept)} pages, {sum(f.stat().st_size for f in target.iterdir()) / 1e6:.1f} MB")


def _targets(source: Path) -> list[Url]:
    topics = map(json.loads, (source / "topics.jsonl").read_text(encoding="utf-8").splitlines())
    return next(topic["targets"] for topic in topics if topic["id"] == TOPIC)


def _links(response: Response) -> list[Url]:
    return list(dict.fromkeys(link.target for link in read(response.body, response.url).links))


def _choose(graph: dict[Url, list[Url]], targets: list[Url]) -> set[Url]:
    kept = {START}
    for target in targets:
        kept.update(_way(graph, START, target))
    linked = Counter(target for links in graph.values() for target in links)
    for url, _ in linked.most_common():
        if len(kept) >= PAGES:
            break
        if url in graph:
            kept.add(url)
    return kept


def _way(graph: dict[Url, list[Url]], start: Url, end: Url) -> list[Url]:
    """A shortest way, ends included; empty if there is none."""
    before: dict[Url, Url | None] = {start: None}
    queue = deque([start])
    while queue and end not in before:
        page = queue.popleft()
        for link in graph.get(page, ()):
            if link not in before:
                before[link] = page
                queue.append(link)
    way: list[Url] = []
    at: Url | None = end if end in before else None
    while at is not None:
        way.append(at)
        at = before[at]
    return way


def _without_outer_links(response: Response, kept: set[Url]) -> Response:
    def link(match: re.Match[bytes]) -> bytes:
        return match[0] if Url(SITE + match[1].decode()) in kept else match[2]

    body = LINK.sub(link, response.body)
    headers = tuple((k, str(len(body)) if k.lower() == "content-length" else v) for k, v in response.headers)
    return replace(response, body=body, headers=headers)


if __name__ == "__main__":
    main()

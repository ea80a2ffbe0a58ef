"""All captures of one URL in the archive of a crawl, also while it is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lycosa.archive.cdxj import Capture, Index, capture_in
from lycosa.archive.repair import INDEX, side_index, warc_files
from lycosa.model.url import Url, surt


def captures_of(folder: Path, url: Url) -> list[Capture]:
    """The captures of a URL, oldest first, each once; of none, those of other URLs with the same key.

    They are found by the indexes: what a crawl that was killed had not indexed yet comes with its resumption.
    """
    # The lines beside the files first: when an archive is closed they go into the sorted index before they vanish.
    found = [capture for file in warc_files(folder) for capture in _lines_beside(file, url)]
    if (folder / INDEX).exists():
        found += Index.open(folder / INDEX).captures(url)
    exact = [capture for capture in found if capture.url == url] or found
    return sorted(
        dict.fromkeys(exact), key=lambda capture: (capture.at, capture.ref.file, capture.ref.offset)
    )


def _lines_beside(file: Path, url: Url) -> Iterator[Capture]:
    """What the unsorted index lines of one WARC file tell of a URL's key."""
    try:
        content = b"\n" + side_index(file).read_bytes()
    except FileNotFoundError:
        return
    key = b"\n" + surt(url).encode() + b" "
    at = content.find(key)
    while at >= 0 and (end := content.find(b"\n", at + 1)) >= 0:
        if (capture := capture_in(content[at + 1 : end])) is not None:
            yield capture
        at = content.find(key, end)

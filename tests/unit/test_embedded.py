"""What a page shows beside its links, and how `why` tells of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.worlds import response

import lycosa
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.model.url import Url
from lycosa.read.embedded import embedded

START = "http://a.example/"

PAGE = b"""<html><head><base href="http://a.example/pics/"><link rel=stylesheet href=/s.css></head>
<body background=b.gif><img src="x.png" srcset="x-2.png 2x,
 x-3.png 800w, data:image/png;base64,AA 3x"><picture><source srcset="y.avif"></picture>
<video src="v.mp4" poster="p.jpg"></video><script src="//b.example/a,b.js"></script><img alt="none"></body></html>"""


def test_what_a_page_shows() -> None:
    assert dict(embedded(PAGE, "http://a.example/")) == {
        "http://a.example/s.css": "a style, an icon or another version of the page",
        "http://a.example/pics/b.gif": "a background",
        "http://a.example/pics/x.png": "an image",
        "http://a.example/pics/x-2.png": "an image",
        "http://a.example/pics/x-3.png": "an image",
        "http://a.example/pics/y.avif": "an image or a recording",
        "http://a.example/pics/v.mp4": "a video",
        "http://a.example/pics/p.jpg": "a video",
        "http://b.example/a,b.js": "a script",
    }


def test_why_tells_an_image_from_what_no_page_names(tmp_path: Path) -> None:
    web = record(tmp_path / "web", {START: b"<p>wolves <a href=/two>two</a>", f"{START}two": PAGE})
    with lycosa.crawl("wolves", [START], web=f"recorded:{web}", pages=9, out=tmp_path / "c") as folder:
        told = folder.why("http://a.example/pics/x-2.png")
        assert (told.state, told.linked_from) == ("embedded", (f"{START}two",))
        assert (
            told.reason == "a page shows it (an image), and no page links to it: a crawl follows links only"
        )
        assert told.path[-1].url == told.url
        assert folder.why("http://a.example/pics/x-9.png").state == "unseen"


def record(folder: Path, pages: Mapping[str, bytes]) -> Path:
    """A recorded web of these pages."""
    archive = WarcArchive.open(folder, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    for url, body in pages.items():
        archive.write(response(Url(url), body))
    archive.close()
    return folder

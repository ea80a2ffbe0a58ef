"""Bodies made to keep a reader busy: what their main text costs grows with their length, and no faster."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from tests.unit.test_read_hostile import HTML, repeated

from lycosa.read.main import main_text

URL = "http://a.test/"
SIZE = 2**17
SECONDS_PER_MIB = 12.0

BODIES: dict[str, Callable[[int], str]] = {
    **HTML,
    "boxes of content in boxes of content": repeated("<div class='entry-content'>words of it, "),
    "articles in articles": repeated("<article><p>" + "long words, many of them " * 8),
    "bylines in bylines": repeated("<div class=author>By Ann Smith "),
    "items in items": repeated("<div itemscope itemtype=x itemprop='a b c d'>w"),
    "properties in properties": repeated("<div itemprop='a b c d'>w", before="<div itemscope itemtype=x>"),
    "quotes in quotes": repeated("<blockquote>w"),
    "lists in lists": repeated("<ol><li>w"),
    "tables of data": repeated("<tr><td>a<td>b", before="<table>"),
    "styles in styles": repeated("<b>w<i>w"),
    "signs of Markdown": repeated("*_`[]()"),
    "rows of backticks": repeated("<code>` `` ``` </code>"),
    "dates": repeated("<p class=date>1 1 1 1 2026 "),
    "linked data": lambda size: (
        f'<script type="application/ld+json">{json.dumps([[{"@type": "A", "b": [1]}]] * (size // 30))}</script>'
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_time_is_linear(name: str) -> None:
    body = BODIES[name](SIZE).encode()
    begun = time.process_time()
    main_text(body, URL, markdown=True)
    assert time.process_time() - begun < SECONDS_PER_MIB * SIZE / 2**20

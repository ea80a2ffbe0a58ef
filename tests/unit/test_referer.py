"""The Referer: what browsers send unless a page wants otherwise."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.test_visit import A, Shelf, chain
from tests.worlds import TableWeb, html, response, u

from lycosa.drive.clock import VirtualClock
from lycosa.drive.visit import Visitor
from lycosa.model.records import PLAIN, Ask, Fault, Link, Request, Response
from lycosa.model.url import Url, canonical
from lycosa.web.referer import referer

CASES = [
    ("https://a.example/x?y=1", "https://a.example/z", "https://a.example/x?y=1"),
    ("https://a.example/x", "https://b.example/z", "https://a.example/"),
    ("https://a.example/x", "http://a.example/z", ""),
    ("http://a.example/x", "https://a.example/z", "http://a.example/"),
    ("http://a.example/x", "http://b.example/z", "http://a.example/"),
    ("http://a.example:8080/x", "http://a.example/z", "http://a.example:8080/"),
    ("http://a.example/x#part", "http://a.example/z", "http://a.example/x"),
    ("http://me:secret@a.example/x", "http://a.example/z", ""),
    ("file:///home/me/seeds.txt", "http://a.example/z", ""),
    ("", "http://a.example/z", ""),
    ("http://a.example", "http://a.example/z", ""),
]


@pytest.mark.parametrize(("source", "target", "told"), CASES)
def test_what_a_server_is_told(source: str, target: str, told: str) -> None:
    assert referer(source, canonical(target)) == told


class Heard(TableWeb):
    """Remembers what was asked."""

    def __init__(self, web: TableWeb) -> None:
        super().__init__(web.answers)
        self.asks: list[Ask] = []

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        self.asks.append(ask)
        return await super().fetch(url, ask)


def asked(web: TableWeb, via: str | None) -> list[Ask]:
    heard = Heard(web)
    visitor = Visitor(heard, None, Shelf(), lambda request, url: None, VirtualClock())
    link = Link(source=Url(via), target=A) if via is not None else None
    asyncio.run(visitor(Request(url=A, order=1, via=link)))
    return heard.asks


def test_a_visit_names_the_page_that_led_to_it() -> None:
    web = TableWeb({A: response(A, html("x"))})
    assert asked(web, u("b")) == [Ask(referer=referer(u("b"), A))]
    assert asked(web, None) == [PLAIN], "nothing led to a start page"


def test_redirects_keep_the_page_that_led_to_the_first_url() -> None:
    told = asked(chain("a", "c", "d"), u("b"))
    assert told == [Ask(referer=referer(u("b"), u(name))) for name in "acd"]

"""Sites of the kinds that need a browser, and what is had of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.browser.sites import HOME, Shower, Site, needs_chromium, response, showing

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Shower]:
    with showing() as found:
        yield found


def test_what_scripts_make_is_there_and_scripts_are_not(browser: Shower) -> None:
    page = """<title>t</title><body onload="x=1"><div id=root></div><script>
      document.getElementById("root").innerHTML = '<h1 onclick="y()">Made &amp; shown</h1>';
    </script><script type="application/ld+json">{"name": "kept"}</script><noscript>Use a browser</noscript>"""
    found = browser.see(page)
    assert "<h1>Made &amp; shown</h1>" in found.html
    assert '{"name": "kept"}' in found.html
    assert "onload" not in found.html
    assert "getElementById" not in found.html
    assert "Use a browser" not in found.html
    assert (found.url, found.settled, found.cut, found.asked, found.left_for) == (HOME, True, False, 0, None)


def test_a_page_routed_by_its_script_is_known_by_its_last_name(browser: Shower) -> None:
    site = Site(
        {
            "/app.js": """history.replaceState({}, "", "/shop/7?size=2#top");
              fetch("/api/7.json").then(r => r.json()).then(it => {
                document.body.innerHTML = `<h1>${it.name}</h1><a href="8">next</a>`; });""",
            "/api/7.json": '{"name": "Seven"}',
        }
    )
    found = browser.see("<body><script src=/app.js></script>", site)
    assert found.url == HOME + "shop/7?size=2"
    assert '<h1>Seven</h1><a href="8">next</a>' in found.html
    assert [(one.url, one.kind, one.referer) for one in site.asked] == [
        (HOME + "app.js", "script", HOME),
        (HOME + "api/7.json", "data", HOME + "shop/7?size=2"),
    ]


def test_text_that_comes_seconds_later_is_there_and_nobody_waited(browser: Shower) -> None:
    page = "<body>now<script>setTimeout(() => document.body.append(' and then'), 4000)</script>"
    found = browser.see(page)
    assert "now and then" in found.html
    assert found.took < 4000


def test_a_header_of_a_page_that_would_set_a_cookie_is_kept_back(browser: Shower) -> None:
    page = "<body><script>document.body.append('[' + document.cookie + ']')</script>"
    assert "[]" in browser.see(response(HOME, page, Set_Cookie="who=you")).html

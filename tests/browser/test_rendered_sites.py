"""Sites of the kinds that need a browser, and what is had of them (`lycosa.web.browser`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from msgspec import structs
from tests.browser.sites import HOME, Shower, Site, needs_chromium, response, showing

from lycosa.model.records import Fault, Millis, Response
from lycosa.model.rendering import Rendered
from lycosa.model.url import Url

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


SCROLLED = """<body><ul id=list></ul><div id=end style="height:10px"></div><script>
let page = 0, busy = false;
new IntersectionObserver(async seen => {
  if (!seen[0].isIntersecting || busy || page >= 20) return;
  busy = true;
  const items = await (await fetch(`/items/${page++}.json`)).json();
  for (const item of items) {
    const line = document.createElement("li");
    line.style.height = "200px"; line.textContent = item; list.append(line);
  }
  busy = false;
}).observe(end);
</script>"""


def items(page: int) -> str:
    return "[" + ", ".join(f'"item {10 * page + i}"' for i in range(10)) + "]"


@pytest.mark.parametrize("overflow", ["", "<style>body {overflow: hidden; position: fixed}</style>"])
def test_each_round_of_scrolling_brings_more(browser: Shower, overflow: str) -> None:
    """Also where a wall keeps people from scrolling."""
    site = Site({f"/items/{page}.json": items(page) for page in range(20)})
    had = [len(_items(browser.see(overflow + SCROLLED, site, rounds=rounds).html)) for rounds in (0, 1, 3)]
    assert had[0] >= 10
    assert had[0] < had[1] < had[2] < 200


def test_rounds_end_where_nothing_more_comes(browser: Shower) -> None:
    site = Site({f"/items/{page}.json": items(page) if page < 3 else "[]" for page in range(20)})
    found = browser.see(SCROLLED, site, rounds=50)
    assert _items(found.html) == [f"item {i}" for i in range(30)]
    assert found.settled


def _items(html: str) -> list[str]:
    return re.findall(r"item \d+", html)


@pytest.mark.parametrize(
    "button",
    [
        "<button id=b>Load more</button>",
        "<button id=b> Show 12 more results </button>",
        "<a id=b href='#'>Mehr anzeigen</a>",
        "<a id=b>Weitere Artikel laden</a>",
        "<div role=button id=b>Afficher plus</div>",
        "<button id=b>Cargar más</button>",
        "<button id=b>Показать ещё</button>",
        "<button id=b>もっと見る</button>",
        "<button id=b>加载更多</button>",
        "<input type=button id=b value='Toon meer'>",
        "<button id=b aria-label='See more'></button>",
    ],
)
def test_what_says_that_there_is_more_is_pressed(browser: Shower, button: str) -> None:
    page = f"<body><div id=here></div>{button}<script>b.onclick = () => here.append('[more]')</script>"
    assert browser.see(page, rounds=2).html.count("[more]") == 2
    assert "[more]" not in browser.see(page).html


@pytest.mark.parametrize(
    "button",
    [
        "<button id=b>Accept all</button>",
        "<div class=cookie-banner><button id=b>Show more</button></div>",
        "<div role=dialog><button id=b>See more</button></div>",
        "<button id=b>More options</button>",
        "<button id=b>Buy now and see more of our products every day</button>",
        "<form action=/buy method=post><button id=b type=submit>Load more</button></form>",
        "<a id=b href=/more>Load more</a>",
    ],
)
def test_nothing_else_is_pressed(browser: Shower, button: str) -> None:
    page = f"<body><div id=here></div>{button}<script>b.onclick = () => here.append('[pressed]')</script>"
    found = browser.see(page, rounds=3)
    assert "[pressed]" not in found.html
    assert found.left_for is None


def test_the_text_behind_a_consent_wall_is_there_and_nobody_consents(browser: Shower) -> None:
    page = """<body style="overflow:hidden"><article>The text of the article.</article>
      <div class=consent style="position:fixed; inset:0">We value your privacy <button id=b>Accept all</button></div>
      <script>b.onclick = () => { document.cookie = "consent=yes"; document.body.append("[consented]") }</script>"""
    found = browser.see(page, rounds=3)
    assert "The text of the article." in found.html
    assert "[consented]" not in found.html


def test_shadow_trees_stand_in_place(browser: Shower) -> None:
    page = """<body><x-card><b slot=title>Slotted</b>rest<i slot=none>in no slot</i></x-card><div id=host></div>
      <p><template shadowrootmode=open>declared: <slot></slot></template>light</p><script>
      customElements.define("x-card", class extends HTMLElement {
        constructor() { super(); this.attachShadow({mode: "closed"}).innerHTML =
          "<style>b {color: red}</style><h2><slot name=title>no title</slot></h2><slot></slot>" +
          "<slot name=c>default</slot>"; }
      });
      host.attachShadow({mode: "open"}).innerHTML = "<section><div id=inner></div></section>";
      host.shadowRoot.getElementById("inner").attachShadow({mode: "open"}).innerHTML = "<u>deep</u>";
    </script>"""
    html = browser.see(page).html
    text = re.sub(r"<style>.*?</style>|</?slot[^>]*>", "", html)
    assert '<h2><b slot="title">Slotted</b></h2>rest' in text
    assert "default</x-card>" in text
    assert '<section><div id="inner"><u>deep</u></div></section>' in text
    assert "<p>declared: light</p>" in text
    assert "no title" not in html
    assert "in no slot" not in html


def test_a_tree_that_is_declared_closed_is_there_too(browser: Shower) -> None:
    page = "<body><p><template shadowrootmode=closed>shut: <slot></slot></template>light</p>"
    assert re.sub("</?slot>", "", browser.see(page).html).endswith("<p>shut: light</p></body></html>")


def test_frames_of_the_same_origin_stand_in_place_and_others_do_not(browser: Shower) -> None:
    site = Site(
        {
            "/deep/frame": "<p>in the frame <a href=next>on</a></p><iframe srcdoc='<p>within'></iframe>",
            "http://other.example/": "<p>of somebody else",
        }
    )
    page = "<body><iframe src=/deep/frame></iframe><iframe src=http://other.example/></iframe>"
    html = browser.see(page, site).html
    assert f'<p>in the frame <a href="{HOME}deep/next">on</a></p>' in html
    assert "<p>within" in html
    assert "of somebody else" not in html
    assert '<iframe src="http://other.example/"></iframe>' in html


@pytest.mark.parametrize(
    "leads",
    [
        "<script>location.href = '/there?a=1#b'</script>",
        "<script>setTimeout(() => location.replace('/there?a=1'), 3000)</script>",
        "<meta http-equiv=refresh content='4; url=/there?a=1'>",
        "<form id=f action=/there><input name=a value=1></form><script>f.submit()</script>",
        "<script>window.onload = () => { top.location = '/there?a=1' }</script>",
        "<iframe srcdoc=\"<script>top.location = '/there?a=1'</script>\"></iframe>",
    ],
)
def test_where_a_page_leads_is_told_and_nobody_goes_there(browser: Shower, leads: str) -> None:
    site = Site({"/there?a=1": "there"})
    found = browser.see(f"<body>here {leads}", site)
    assert found.left_for == HOME + "there?a=1"
    assert "here" in found.html
    assert found.took < 3000
    assert HOME + "there?a=1" not in site.urls()


def test_a_service_worker_is_never_registered(browser: Shower) -> None:
    home = "https://site.example/"
    page = """<body><script>navigator.serviceWorker.register("/sw.js").then(
      () => document.body.append("[registered]"), () => document.body.append("[not]"))</script>"""
    site = Site({home + "sw.js": "self.onfetch = e => e.respondWith(new Response('mine'))"})
    assert "[not]" in browser.see(page, site, url=home).html
    assert site.asked == []


def test_scripts_may_ask_other_origins_also_with_headers_of_their_own(browser: Shower) -> None:
    site = Site({"http://api.example/a.json": '{"a": "[had]"}'})
    page = """<body><script>fetch("http://api.example/a.json", {headers: {"X-Key": "k"}, credentials: "include"})
      .then(r => r.json()).then(it => document.body.append(it.a))</script>"""
    assert "[had]" in browser.see(page, site).html
    assert [one.method for one in site.asked] == ["GET"]


def test_redirects_of_what_a_page_asks_for_are_asked_for_one_by_one(browser: Shower) -> None:
    away = Response(
        url=Url(HOME + "a.js"), status=301, headers=(("Location", "/b.js"),), body=b"", fetched_at=Millis(0)
    )
    site = Site({"/a.js": away, "/b.js": "document.body.append('[ran]')"})
    assert "[ran]" in browser.see("<body><script src=/a.js></script>", site).html
    assert [one.url for one in site.asked] == [HOME + "a.js", HOME + "b.js"]


def test_what_a_page_does_not_get_is_told(browser: Shower) -> None:
    page = (
        "<body><img src=/none.png><img src=ftp://a.example/b><script>fetch('/p', {method: 'POST'})</script>"
    )
    found = browser.see(page)
    assert {(one.url, one.why) for one in found.refused} >= {
        (HOME + "none.png", "there is no such page"),
        (HOME + "p", "only GET is answered, and this is POST"),
    }


def test_ten_thousand_nodes(browser: Shower) -> None:
    page = "<body><script>document.body.innerHTML = '<p>a <b>b</b>'.repeat(5000)</script>"
    found = browser.see(page)
    assert found.html.count("<p>a <b>b</b></p>") == 5000
    assert found.settled


def test_markup_is_read_back_as_it_was(browser: Shower) -> None:
    """What has a meaning in markup is written so that it is text again."""
    page = """<body><p id=p title=''></p><style id=s></style><script>
      p.title = `"<b>&amp;'`; p.textContent = "<script>alert(1)</scr" + "ipt> &lt; \\u00a0";
      s.sheet.insertRule("p {color: red}"); p.setAttribute("@click", "x()");
    </script><a href="javascript:alert(1)" onclick=alert(1)>a</a><svg viewBox="0 0 1 1"><path d="M0"/></svg>"""
    html = browser.see(page).html
    assert 'title="&quot;&lt;b&gt;&amp;amp;\'"' in html
    assert ">&lt;script&gt;alert(1)&lt;/script&gt; &amp;lt; &nbsp;</p>" in html
    assert '<style id="s">p { color: red; }</style>' in html
    assert "<a>a</a>" in html
    assert '<svg viewBox="0 0 1 1"><path d="M0"></path></svg>' in html
    assert "<script" not in html


@pytest.mark.parametrize("status", [200, 404, 500])
def test_a_page_of_any_status_is_shown(browser: Shower, status: int) -> None:
    page = structs.replace(response(HOME, "<p>said so"), status=status)
    found = browser.show(page)
    assert isinstance(found, Rendered)
    assert "said so" in found.html


def test_what_is_no_page_is_a_fault(browser: Shower) -> None:
    for page in (
        response(HOME, b"\x00\x01", "application/octet-stream"),
        structs.replace(response(HOME, ""), status=404, headers=()),
        structs.replace(response(HOME, ""), status=204),
    ):
        found = browser.show(page)
        assert isinstance(found, Fault)
        assert "the browser shows no page" in found.detail


def test_headers_of_any_kind_harm_nobody(browser: Shower) -> None:
    """What is no header costs that answer, and not the page; characters of no encoding cost nothing."""
    odd = response(HOME, "<img src=/a.png><script src=/b.js></script>", X_Odd="caf\udce9 \u2603")
    bad = response(HOME + "a.png", "x", "image/png", **{"no header": "a\r\nb: c"})
    status = structs.replace(response(HOME + "b.js", "x"), status=0)
    found = browser.see(odd, Site({"/a.png": bad, "/b.js": status}))
    assert (found.settled, found.asked) == (True, 2)
    assert '<img src="/a.png">' in found.html

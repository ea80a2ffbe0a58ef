"""Reading pages: each expectation written by hand."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lycosa.model.errors import LycosaError
from lycosa.read.html import Document, read
from lycosa.read.kinds import media_type, readable
from lycosa.read.markup import MAX_DEPTH, flat, parse
from lycosa.read.walk import walk

URL = "http://example.org/dir/page.html"


def page(markup: str, content_type: str = "text/html; charset=utf-8") -> Document:
    return read(markup.encode(), URL, content_type)


def targets(markup: str) -> list[str]:
    return [link.target for link in page(markup).links]


def test_what_a_page_says_of_itself() -> None:
    document = page(
        """<!doctype html><html lang="de-AT"><head><title> Wolf
        spiders &amp; others</title><meta name="Description" content=" They   hunt. ">
        <base href="/other/"><link rel=canonical href="c.html"></head>
        <body><h1>The <i>hunt</i></h1><p>By night.</p><h3>Prey</h3></body></html>"""
    )
    assert document.url == URL
    assert document.base == "http://example.org/other/"
    assert document.title == "Wolf spiders & others"
    assert document.description == "They hunt."
    assert document.headings == ("The hunt", "Prey")
    assert document.text == "The hunt\nBy night.\nPrey"
    assert document.language == "de"
    assert document.charset == "utf-8"
    assert document.canonical_url == "http://example.org/other/c.html"
    assert document.terms == {"wolf": 1, "spider": 1, "hunt": 1, "night": 1, "prei": 1}
    assert not document.noindex
    assert not document.nofollow


def test_the_first_heading_stands_in_for_a_title() -> None:
    assert page("<h2>Spiders</h2>").title == "Spiders"


def test_text_has_a_line_for_each_block() -> None:
    markup = "<div>one<p>two <b>bo</b>ld</p>three <br>four<ul><li>five<li>six</ul></div><table><tr><td>a<td>b</table>"
    assert page(markup).text == "one\ntwo bold\nthree four\nfive\nsix\na\nb"


def test_text_behind_a_block_ends_before_the_next() -> None:
    assert (
        page("<div>a<p>b</p>c<ul><li>d</li></ul>e</div>f<p>g</p>  <i>h</i>").text == "a\nb\nc\nd\ne\nf\ng\nh"
    )


def test_a_link_that_ends_in_a_later_block_leaves_no_mark_there() -> None:
    assert page("<a href=u>one<div></div><a href=x>two").text == "one\ntwo"
    document = page("<a href=u>one<div></div><a href=x>two</a> <a href=y></a>")
    assert [link.context for link in document.links] == ["one", "two", "two"]


def test_what_is_not_shown_is_no_text() -> None:
    markup = """<p>seen<script>var a = "<a href=x>no</a>"</script><style>p {}</style><!-- no --><noscript>no
    <a href=n>n</a></noscript><template>no</template><textarea>no</textarea> too</p>tail"""
    document = page(markup)
    assert document.text == "seen too\ntail"
    assert document.links == ()


def test_a_link_and_its_surroundings() -> None:
    words = " ".join(f"w{i}" for i in range(30))
    markup = f"""<body><h2>Far</h2><h2 id=h>Near</h2><div id=main class="big wide"><p>Another block.</p>
    <p class=x>{words} <a href="t.html" title="Tip" rel="Next NoFollow">the <b>link</b>
    <img alt="a picture"></a> {words}</p>"""
    (link,) = page(markup).links
    assert link.source == URL
    assert link.target == "http://example.org/dir/t.html"
    assert link.anchor == "the link a picture Tip"
    before, after = " ".join(f"w{i}" for i in range(10, 30)), " ".join(f"w{i}" for i in range(20))
    assert link.context == f"{before} the link {after}"
    assert link.heading == "Near"
    assert link.path == "html body div#main.big p.x a"
    assert link.position == 0.0
    assert link.rel == "Next NoFollow"
    assert link.nofollow
    assert not link.in_nav


def test_context_stays_in_the_block_and_keeps_words_whole() -> None:
    markup = (
        "<p>Outside.</p><p>Before pre<a href=a>fix</a>ed and <a href=b>second</a>, after.</p><p>Outside.</p>"
    )
    first, second = page(markup).links
    assert first.context == second.context == "Before prefixed and second, after."


def test_long_blocks_give_each_link_its_own_words() -> None:
    words = [f"<a href=l{i}>w{i}</a>" for i in range(100)]
    links = page(f"<p>{' '.join(words)}</p>").links
    assert links[0].context == " ".join(f"w{i}" for i in range(21))
    assert links[50].context == " ".join(f"w{i}" for i in range(30, 71))
    assert links[99].context == " ".join(f"w{i}" for i in range(79, 100))


def test_the_page_of_the_thesis() -> None:
    """Küçük 2009, figure 3.2: headings above, and text by level of the tree."""
    markup = """<html><body><h2>My Projects</h2><ul><li><a href="project1.html">Project 1</a></li>
    <li><a href="project2.html">Project 2</a></li></ul></body></html>"""
    first, second = page(markup).links
    assert (first.anchor, first.context, first.heading) == ("Project 1", "Project 1", "My Projects")
    assert (second.anchor, second.context, second.heading) == ("Project 2", "Project 2", "My Projects")
    assert first.path == "html body ul li a"
    assert page(markup).text.replace("\n", " ") == "My Projects Project 1 Project 2"
    assert [first.position, second.position] == [0.0, 0.5]
    # A page of links only: density says nothing, so nothing is called navigation.
    assert not first.in_nav


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<a href='a#b'>x</a><a href=' b '>y</a>", ["http://example.org/dir/a", "http://example.org/dir/b"]),
        ("<a href='/r'>x</a><a href='//h.org/r'>y</a>", ["http://example.org/r", "http://h.org/r"]),
        ("<a href='?q=1'>x</a>", ["http://example.org/dir/page.html?q=1"]),
        ("<a href='../up/./x'>x</a>", ["http://example.org/up/x"]),
        ("<a href='HTTPS://H.org:443/'>x</a>", ["https://h.org/"]),
        ("<a href='a\n/b'>x</a>", ["http://example.org/dir/a/b"]),
        # The page itself and what is not on the web.
        ("<a href='#top'>x</a><a href=''>x</a><a name=n>x</a>", []),
        ("<a href='javascript:x()'>x</a><a href='java\nscript:x()'>x</a><a href='mailto:a@b.c'>x</a>", []),
        ("<a href='http://'>x</a><a href='http://a b/'>y</a><a href='http://[::1'>z</a>", []),
        ("<map><area href=m alt=Map></map>", ["http://example.org/dir/m"]),
        ("<iframe src=f>no</iframe>", ["http://example.org/dir/f"]),
        (
            "<frameset><frame src=one><frame src=two></frameset>",
            ["http://example.org/dir/one", "http://example.org/dir/two"],
        ),
        ("<meta http-equiv=Refresh content='3; URL=\"next\"'>", ["http://example.org/dir/next"]),
        ("<meta http-equiv=refresh content='0;url=next'>", ["http://example.org/dir/next"]),
        ("<meta http-equiv=refresh content='5'>", []),
        (
            "<link rel=next href=2><link rel=stylesheet href=s><link rel=alternate href=f>",
            ["http://example.org/dir/2"],
        ),
        # The first base counts, one that is not on the web does not.
        ("<base href=/one/><base href=/two/><a href=x>x</a>", ["http://example.org/one/x"]),
        ("<base href=mailto:x><a href=x>x</a>", ["http://example.org/dir/x"]),
        # Cut within a tag: no link; cut within the words of one: a link.
        ("<a href='one'>x</a><a href='two", ["http://example.org/dir/one"]),
        ("<a href='one'>x</a><a href='two'", ["http://example.org/dir/one"]),
        ("<a href='one'>cut he", ["http://example.org/dir/one"]),
        ("<a href=a>x<a href=b>y", ["http://example.org/dir/a", "http://example.org/dir/b"]),
        ("<a href='a&amp;b?c=1&amp;d=2'>x</a>", ["http://example.org/dir/a&b?c=1&d=2"]),
    ],
)
def test_targets(markup: str, expected: list[str]) -> None:
    assert targets(markup) == expected


def test_a_card_is_one_link_with_its_own_block() -> None:
    document = page(
        "<p>Something before it stands here.</p><a href=c><h3>Title</h3><p>Words of it.</p></a>after"
    )
    (link,) = document.links
    assert link.anchor == "Title Words of it."
    assert document.text == "Something before it stands here.\nTitle\nWords of it.\nafter"


@pytest.mark.parametrize(
    ("meta", "noindex", "nofollow"),
    [
        ("<meta name=robots content=noindex>", True, False),
        ("<meta name=ROBOTS content='NoFollow, noarchive'>", False, True),
        ("<meta name=lycosa content=none>", True, True),
        ("<meta name=robots content=noindex><meta name=robots content=nofollow>", True, True),
        ("<meta name=otherbot content=none>", False, False),
        ("<meta name=robots content='index,follow'>", False, False),
    ],
)
def test_robots_in_the_page(meta: str, noindex: bool, nofollow: bool) -> None:
    document = page(f"{meta}<a href=x>x</a>")
    assert (document.noindex, document.nofollow) == (noindex, nofollow)
    assert document.links[0].nofollow is nofollow


ARTICLE = (
    "<p>{0} is told here in many words, with a <a href=in{0}>link</a> that stands in the middle of them.</p>"
)


@pytest.mark.parametrize(
    "navigation",
    [
        "<nav>{0}</nav>",
        "<div class='left sidebar'>{0}</div>",
        "<div id=main-menu>{0}</div>",
        "<table><tr><td>{0}</td></tr></table>",
        "<div role=navigation><p>{0}</p></div>",
        "<header>{0}</header>",
        "<footer>{0} and a line of plain words that go on for a while</footer>",
        "<ul><li>{0}</li></ul>",
    ],
)
def test_navigation_is_flagged_and_left_out_of_the_main_text(navigation: str) -> None:
    """Three pages of a site with the same navigation and an article each."""
    for name in ("Hunting", "Spinning", "Mating"):
        bar = navigation.format("<a href=/>Home</a> <a href=/all>All spiders</a>")
        document = page(f"<body>{bar}<div><h1>{name}</h1>{ARTICLE.format(name)}</div><div>tail</div>")
        assert [link.in_nav for link in document.links] == [True, True, False]
        assert document.content.startswith(f"{name}\n{name} is told here")
        assert "Home" not in document.content
        assert "Home" in document.boilerplate
        assert "tail" in document.boilerplate


def test_the_header_of_an_article_is_no_navigation() -> None:
    document = page(
        f"<article><header>{ARTICLE.format('Silk')}</header></article><nav><a href=x>x</a></nav>after it all"
    )
    assert [link.in_nav for link in document.links] == [False, True]


def test_navigation_ends_where_its_element_ends() -> None:
    document = page(f"<nav><div><a href=n>n</a></div></nav><!-- c -->{ARTICLE.format('Silk')}")
    assert [link.in_nav for link in document.links] == [True, False]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0\0\0",
        b"<",
        b"<a href=",
        b"\xff\xfe",
        b"<html>\0<body>\0a\0<a href='x\0y'>t\0</a>",
        b"&#0;&#1;\x01\x02\0a\0z \0\0! <p>&#xFDD0;",
        b"<title>" * 1000,
        b"<!--" * 50_000,
        b"<script>" * 10_000,
        b"<![CDATA[" * 10_000,
        b"<math><a href=x>y</math><svg><a href=z>",
        bytes(range(256)) * 50,
    ],
)
def test_garbage_is_read(body: bytes) -> None:
    for content_type in ("text/html", "text/plain", "application/xml", "text/html; charset=utf-16", ""):
        document = read(body, URL, content_type)
        assert "\0" not in document.text + document.title


def cpu_seconds(markup: str) -> float:
    start = time.process_time()
    page(markup)
    return time.process_time() - start


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 100_000 + "deep",
        "<div></q>" * 100_000 + "deep",
        "<ul><li>" * 50_000 + "deep",
        "<dd><li>" * 50_000,
        "<table><tr><td>" * 30_000,
        "<p>" + "".join(f"<b id={i}>" for i in range(5_000)) + "</p>" + "<p>x</p>" * 5_000,
        "<a href=x>" * 50_000,
        "<a href=x><div>" * 30_000,
        "<font>" * 100_000,
        "<svg>" * 100_000,
        "<nav><h1>" * 20_000,
    ],
    ids=lambda markup: markup[:20],
)
def test_nothing_makes_the_parser_hang(markup: str) -> None:
    assert cpu_seconds(markup) < 4


def test_a_hundred_thousand_links() -> None:
    start = time.process_time()
    document = page("".join(f"<p>word <a href=p{i}>link {i}</a></p>" for i in range(100_000)))
    assert len(document.links) == 100_000
    assert document.links[-1].target == "http://example.org/dir/p99999"
    assert document.links[-1].position == 0.99999
    assert time.process_time() - start < 10


def test_a_hundred_thousand_links_in_one_block() -> None:
    start = time.process_time()
    document = page("<p>" + "".join(f"<a href=p{i}>link {i}</a> " for i in range(100_000)))
    assert document.links[50_000].context.split()[19:23] == ["49999", "link", "50000", "link"]
    assert time.process_time() - start < 10


def test_flattening_leaves_normal_pages_alone() -> None:
    rows = "".join(f"<tr><td>{i}<td><p>x<p>y<td><b>z</b><li>a<li>b" for i in range(1_500))
    for markup in (f"<table>{rows}</table>", "<p>one<p>two" * 4_000, "<ul><li>x<ul><li>y</ul></ul>" * 3_000):
        assert flat(markup) == markup


def test_flattening_keeps_text_and_links() -> None:
    markup = "<div>" * 5_000 + "<a href=x>deep</a>" + "</div>" * 5_000 + "<p>after</p>"
    document = page(markup)
    assert document.text.split() == ["deep", "after"]
    assert [link.target for link in document.links] == ["http://example.org/dir/x"]
    assert len(document.links[0].path.split()) <= 66
    assert flat(markup).count("<div>") == MAX_DEPTH


def test_script_is_not_taken_for_nesting() -> None:
    markup = "<p>a</p>" * 5_000 + "<script>" + "'<div>'+" * 5_000 + "</script><p>end</p>"
    assert flat(markup) == markup


def test_plain_text_is_paragraphs_without_links() -> None:
    document = read(
        b"First\nparagraph.\n\n\n<a href=x>Second</a>\0\r\n \r\nthird http://a.org/", URL, "text/plain"
    )
    assert document.text == "First paragraph.\n<a href=x>Second</a>\nthird http://a.org/"
    assert document.links == ()
    assert document.content == document.text


RSS = """<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Spider news</title>
<link>http://example.org/</link><description>All of it</description>
<item><title>Silk</title><link>http://example.org/silk</link>
<description>&lt;p&gt;It is &lt;b&gt;strong&lt;/b&gt;.&lt;/p&gt;</description></item>
<item><title>Webs</title><link>webs.html</link></item></channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Spider news</title><link rel="self" href="/feed"/>
<entry><title>Silk</title><link href="/silk"/><link rel="edit" href="/edit"/><summary>Strong stuff.</summary></entry>
</feed>"""


@pytest.mark.parametrize("kind", ["application/rss+xml", "text/xml", "application/xml; charset=utf-8"])
def test_rss(kind: str) -> None:
    document = read(RSS.encode(), URL, kind)
    assert document.title == "Spider news"
    assert document.text == "Spider news\nAll of it\nSilk\nIt is strong .\nWebs"
    assert [link.target for link in document.links] == [
        "http://example.org/silk",
        "http://example.org/dir/webs.html",
    ]
    assert document.links[0].anchor == "Silk"
    assert document.links[0].context == "Silk It is strong ."


def test_atom() -> None:
    document = read(ATOM.encode(), URL, "application/atom+xml")
    assert [(link.target, link.anchor) for link in document.links] == [("http://example.org/silk", "Silk")]
    assert document.text == "Spider news\nSilk\nStrong stuff."


def test_xhtml_and_broken_xml_are_read_as_html() -> None:
    xhtml = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><a href="x">y</a></body></html>'
    for kind in ("application/xhtml+xml", "application/xml"):
        assert [link.anchor for link in read(xhtml.encode(), URL, kind).links] == ["y"]
    assert read(b"<rss><a href='x'>y</a>", URL, "text/xml").links[0].anchor == "y"


def test_other_xml_gives_its_words() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
    )
    assert len(read(f"{bomb}]><x>&j;</x>".encode(), URL, "text/xml").text) < 100_000
    assert (
        read(b"<urlset><url><loc>http://a.org/</loc></url></urlset>", URL, "text/xml").text == "http://a.org/"
    )


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("text/html", b"", True),
        ("Text/HTML; charset=x", b"<p>", True),
        ("application/xhtml+xml", b"<html>", True),
        ("text/plain", b"words", True),
        ("application/atom+xml", b"<feed>", True),
        ("text/css", b"p {}", False),
        ("application/javascript", b"x()", False),
        ("application/json", b"{}", False),
        ("image/png", b"\x89PNG", False),
        ("image/svg+xml", b"<svg>", False),
        ("text/html", b"%!PS-Adobe", False),
        ("text/plain", b"\x1f\x8b\x08", False),
        ("", b"  <!DOCTYPE html><p>", True),
        ("application/octet-stream", b"<!-- c --><html>", True),
        ("", b"\x00\x01\x02", False),
        ("", b"just words", False),
    ],
)
def test_readable(kind: str, body: bytes, expected: bool) -> None:
    assert readable(kind, body) is expected


def test_media_type() -> None:
    assert media_type(" Text/HTML ; charset=utf-8") == "text/html"


def test_a_bad_url_is_refused() -> None:
    with pytest.raises((LycosaError, ValueError)):
        read(b"<p>", "no url")


def test_a_heading_leaves_out_what_is_not_shown() -> None:
    assert page("<h1>Silk<script>x()</script> and webs</h1>").headings == ("Silk and webs",)


def test_an_image_behind_a_block_begins_the_next() -> None:
    assert page("<div>one</div><img src=i><b>two</b>").text == "one\ntwo"


def test_references_in_values_are_not_those_of_texts() -> None:
    """HTML standard, 13.2.5.73: `&copy=` in a value stays as it is."""
    written = "?a=1&amp;b=2&copy=3&lt;&notit;&#65;&eacute"
    assert targets(f'<a href="{written}">x</a>') == [
        "http://example.org/dir/page.html?a=1&b=2&copy=3%3C&notit;A%C3%A9"
    ]


def test_the_walk_of_an_empty_page() -> None:
    assert "".join(walk(parse("")).parts).strip() == "\0\0."


def test_recorded_pages_are_read(shared: Path) -> None:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    links = words = pages = 0
    with (shared / "webs" / "webkb" / "web-00.warc.gz").open("rb") as stream:
        for place, record in enumerate(ArchiveIterator(stream, record_types=WarcRecordType.response)):
            if place % 20:
                continue
            document = read(record.reader.read(), record.headers["WARC-Target-URI"], "text/html")
            links += len(document.links)
            words += sum(document.terms.values())
            pages += 1
    assert pages > 100
    assert links > 5 * pages
    assert words > 50 * pages


def test_a_path_holds_so_much_of_a_name_only() -> None:
    """It is written anew for each element on the way, so a name of a megabyte would take hundreds of them."""
    page = read(f"<p id='i {'j' * 900}' class='{'c' * 900} d'><a href=x>y</a>".encode(), "http://a.test/")
    identity, names = page.links[0].path.split(" ")[2].removeprefix("p#").split(".")
    assert (len(identity), len(names)) == (199, 200)

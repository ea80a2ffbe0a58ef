"""Made-up pages of many kinds, each with the lines that are its main text. Nobody wrote them but these tests."""

from __future__ import annotations

from typing import Final, NamedTuple

_SENTENCES: Final = (
    "The harbour was built after the flood, and its walls have stood since then without repair.",
    "Each spring the boats are painted on the shingle, and each autumn they are drawn up again.",
    "A light burns on the western mole, which can be seen from the islands on clear nights.",
    "Fishermen say that the channel moves a little every year, so they mark it with poles.",
    "The customs house became a museum, where the old charts hang in rooms with low ceilings.",
    "Visitors come by the coast road, because the railway ends at the foot of the hills.",
    "In the market hall one can buy ropes, lamps, dried fish, and jars of the local honey.",
    "When the wind turns north, the ferry stays in port, and the mail arrives a day late.",
)


def prose(first: int, sentences: int = 3) -> str:
    """A paragraph that no other place on the page has."""
    return " ".join(_SENTENCES[(first + at) % len(_SENTENCES)] for at in range(sentences))


class Made(NamedTuple):
    """A page, and the lines of its main text."""

    name: str
    markup: str
    main: tuple[str, ...]
    title: str = ""


def _page(title: str, body: str, head: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head><title>{title}</title>{head}</head><body>{body}</body></html>'
    )


def _links(*names: str) -> str:
    return "".join(f'<li><a href="/{name.lower().replace(" ", "-")}">{name}</a></li>' for name in names)


_MENU: Final = f"<nav><ul>{_links('Home', 'News', 'Sport', 'Weather', 'About us')}</ul></nav>"
_FOOT: Final = "<footer><p>Copyright 2026 The Harbour Gazette. All rights reserved.</p></footer>"

NEWS: Final = Made(
    "news",
    _page(
        "Harbour opens - The Harbour Gazette",
        f"""{_MENU}<div class="wrapper"><article><h1>Harbour opens</h1><p class="byline">By Ann Smith</p>
        <div class="share-bar"><a href="/s">Share</a> <a href="/t">Send this to your friends</a></div>
        <p>{prose(0)}</p><figure><img src="a.png"><figcaption>The harbour in May.</figcaption></figure>
        <p>{prose(3)}</p><h2>The museum</h2><p>{prose(4)}</p></article>
        <aside><h3>Most read</h3><ul>{_links("Ferry late again", "Honey wins a prize")}</ul></aside>
        <div class="related"><h3>More stories</h3><p>Fishermen want new poles, and the town has no money.</p></div>
        <section id="comments"><p>First! I was there when it opened, and it was very cold indeed.</p></section>
        </div>{_FOOT}""",
        '<meta property="og:site_name" content="The Harbour Gazette">',
    ),
    ("Harbour opens", prose(0), prose(3), "The museum", prose(4)),
    "Harbour opens",
)

UNNAMED: Final = Made(
    "an article without names",
    _page(
        "Notes",
        f"""<table><tr><td>{"".join(f'<a href="/{n}">Page {n}</a><br>' for n in range(9))}</td>
        <td><h1>Notes on the coast</h1>{"".join(f"<p>{prose(at, 4)}</p>" for at in range(6))}</td></tr></table>""",
    ),
    ("Notes on the coast", *(prose(at, 4) for at in range(6))),
    "Notes",
)

BLOG: Final = Made(
    "a blog's front page",
    _page(
        "A blog",
        f"""<div id="header" class="menu"><ul>{_links("Home", "Archive")}</ul></div><div id="content">
        {"".join(f'<div class="hentry tag-more"><h2>Day {at}</h2><p>{prose(at)}</p></div>' for at in (1, 4, 6))}
        </div><div id="sidebar"><h3>Blogroll</h3><ul>{_links("Another blog", "A third blog")}</ul></div>""",
    ),
    ("Day 1", prose(1), "Day 4", prose(4), "Day 6", prose(6)),
    "A blog",
)

FORUM: Final = Made(
    "a forum",
    _page(
        "Which rope? - Forum",
        f"""{_MENU}<h1>Which rope?</h1><div class="topic">
        {"".join(f'<div class="reply"><b>sailor{at}</b><div>{prose(at, 2)}</div></div>' for at in range(5))}
        </div>{_FOOT}""",
    ),
    # The heading stands above the topic, and is the title.
    tuple(line for at in range(5) for line in (f"sailor{at}", prose(at, 2))),
    "Which rope?",
)

PRODUCT: Final = Made(
    "a product",
    _page(
        "Storm lamp - Shop",
        f"""{_MENU}<main><h1>Storm lamp</h1><p>{prose(2)}</p><table><tr><th>Weight</th><td>2 kg</td></tr>
        <tr><th>Height</th><td>31 cm</td></tr></table><ul><li>Burns for twelve hours</li><li>Glass of our own</li></ul>
        </main><div class="recommended"><ul>{_links("Rope", "Anchor", "Boots")}</ul></div>{_FOOT}""",
        '<script type="application/ld+json">{"@type": "Product", "name": "Storm lamp",}</script>',
    ),
    (
        "Storm lamp",
        prose(2),
        "Weight",
        "2 kg",
        "Height",
        "31 cm",
        "Burns for twelve hours",
        "Glass of our own",
    ),
    "Storm lamp",
)

INDEX: Final = Made(
    "an index",
    _page(
        "Index of /charts",
        f"<h1>Index of /charts</h1><ul>{_links('north.png', 'south.png', 'east.png', 'west.png')}</ul>",
    ),
    ("Index of /charts", "north.png", "south.png", "east.png", "west.png"),
    "Index of /charts",
)

MANUAL: Final = Made(
    "documentation",
    _page(
        "sail() - Manual",
        f"""<div class="sidebar"><ul>{_links("anchor()", "moor()", "row()")}</ul></div><div role="main">
        <h1>sail()</h1><p>{prose(0)}</p><pre><code>def sail(wind):\n    return wind * 2\n</code></pre>
        <p>{prose(2)}</p><dl><dt>wind</dt><dd>Its strength, in knots, measured at the mast.</dd></dl></div>
        <div class="footer">Made with a tool.</div>""",
    ),
    (
        "sail()",
        prose(0),
        "def sail(wind):",
        "    return wind * 2",
        prose(2),
        "wind",
        "Its strength, in knots, measured at the mast.",
    ),
    "sail()",
)

HOME: Final = Made(
    "a home page of 1996",
    f"""<TITLE>Jo's Home Page</TITLE><BODY><H1>Jo's Home Page</H1> I study ropes at the college.
    <HR><UL><LI><A HREF="cv.html">My resume</A><LI><A HREF="knots.html">Knots</A>, a hobby of mine</UL>
    <P>{prose(5, 2)}<P>jo@harbour.example""",
    (
        "Jo's Home Page",
        "I study ropes at the college.",
        "My resume",
        "Knots, a hobby of mine",
        prose(5, 2),
        "jo@harbour.example",
    ),
    "Jo's Home Page",
)

PEOPLE: Final = Made(
    "a list of people",
    _page(
        "People",
        f"""<div class="menu"><ul>{_links("Home", "Research", "People")}</ul></div>
        <h3>Faculty</h3><ul>{_links("Ada Lund", "Bo Nilsson", "Di Holm", "Ed Frost")}</ul>
        <h3>Students</h3><ul>{_links("Cy Berg")}</ul>
        <div id="footer"><p>{prose(1, 1)}</p></div>""",
    ),
    ("Faculty", "Ada Lund", "Bo Nilsson", "Di Holm", "Ed Frost", "Students", "Cy Berg"),
    "People",
)

QUESTION: Final = Made(
    "a question and its answers",
    _page(
        "How deep is it?",
        f"""{_MENU}<div id="mainbar"><h1>How deep is it?</h1>
        <div class="question"><p>{prose(0, 2)}</p></div>
        <div class="answer"><p>{prose(2, 2)}</p><blockquote><p>{prose(4, 1)}</p></blockquote></div>
        <div class="answer"><p>{prose(5, 2)}</p></div></div>{_FOOT}""",
    ),
    ("How deep is it?", prose(0, 2), prose(2, 2), prose(4, 1), prose(5, 2)),
    "How deep is it?",
)

SCRIPTED: Final = Made(
    "a page that keeps its text in a field",
    _page(
        "Late ferry",
        "<p>Please enable JavaScript.</p>",
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Late ferry", "articleBody": "'
        f"{prose(0)}\\n{prose(3)}"
        '"}</script>',
    ),
    (prose(0), prose(3)),
    "Late ferry",
)

WRAPPED: Final = Made(
    "a page whose whole is named as if it were a side",
    _page(
        "Tides",
        f"""<div class="has-sidebar comments-open"><div class="text"><h1>Tides</h1><p>{prose(0, 4)}</p>
        <p>{prose(4, 4)}</p></div></div>""",
    ),
    ("Tides", prose(0, 4), prose(4, 4)),
    "Tides",
)

EMPTY: Final = Made(
    "a page of navigation alone", _page("Go", _MENU), ("Home", "News", "Sport", "Weather", "About us"), "Go"
)

MADE: Final = (
    NEWS, UNNAMED, BLOG, FORUM, PRODUCT, INDEX, MANUAL, HOME, PEOPLE, QUESTION, SCRIPTED, WRAPPED, EMPTY,
)  # fmt: skip

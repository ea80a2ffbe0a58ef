"""The two readers of a page beside one another, and pages that are made to part them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from lycosa.read.boxes import main
from lycosa.read.gathered import Gathered, by_compiled, by_python
from lycosa.read.markup import parse, tamed

PIECES: Sequence[str] = (
    *(
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        "<div class=nav>",
        '<ul class="x menu-2">',
        "<td id=naVbar٣>",
        "<br>",
    ),
    *(
        "<nav>",
        "</nav>",
        "<header>",
        "</header>",
        "<footer>",
        "<article>",
        "</article>",
        "<section role=MENU>",
    ),
    *(
        "<h1>",
        "</h1>",
        "<h2 id=' a b\u2003c'>",
        "</h2>",
        "<dt>",
        "<dl>",
        "<caption>",
        "<table>",
        "<tr>",
        "<td>",
    ),
    *(
        "<a href=/x>",
        "<a href=y title='Wolf  spider'>",
        "<a href=z title=É>",
        "<a href='' class=' b c'>",
        "</a>",
    ),
    *(
        "<a name=q>",
        "<a href>",
        "<a href=/w rel='License nofollow'>",
        "<img alt='a  spider'>",
        "<img alt=''>",
    ),
    *("<area href=u alt=é title=É>", "<iframe src=i title=t>", "</iframe>", "<frame src=f>", "<b>", "</b>"),
    *(
        "<script>",
        "</script>",
        "<style>",
        "</style>",
        "<textarea>",
        "</textarea>",
        "<svg>",
        "</svg>",
        "<math>",
    ),
    *(
        "<title>",
        "</title>",
        "<base href=/b/>",
        "<html lang=en>",
        "<html id=h class=k xml:lang=de>",
        "<body id=o>",
    ),
    *(
        "<meta name=robots content='a,b'>",
        "<meta property=og:description content=d>",
        "<meta name content=x>",
    ),
    *("<meta http-equiv=' Refresh' content='0; url=/r'>", "<meta http-equiv=refresh content=9>", "<select>"),
    *("<link rel='prev NEXT' href=n>", "<link rel=canonical href=c>", "<link rel=license href=l type=t>"),
    *(
        "<link rel='alternate' type=application/rss+xml href=f>",
        "<link rel=Alternate hreflang=de href=/de>",
        "<!-- c -->",
        "<![CDATA[x]]>",
        "<template>",
    ),
    *(
        " ",
        "\n  ",
        "\t",
        "\xa0",
        "\u2003",
        "\x1c",
        "\x85",
        "&nbsp;",
        "&amp;",
        "&#0;",
        "&#x10FFFF;",
        "<",
        "&lt;a>",
    ),
    *(
        "spider ",
        "Wolf",
        "wolves and spiders hunt by night, ",
        "a b c d e ",
        "don't",
        "x-1",
        "É",
        "é",
        "ß",
        "ſ",
        "Σ",
    ),
    *(
        "狼蜘蛛",
        "ชาดำ",
        "İ",
        "ﬁ",
        "e\u0301",
        "😀",
        "“q”—",
        "\ufffd",
        "Ω",
        "Ж",
        "1a",
        "_",
        "w " * 23,
        "y" * 70,
    ),
)


def told(page: Gathered) -> Sequence[Any]:
    """All that a document is made of, in a form that compares the order of terms too."""
    said = page.said
    return (
        *(
            said.title,
            list(said.headings),
            said.base,
            said.declared_language,
            said.meta,
            said.canonical,
            said.feed,
        ),
        *(
            said.alternates,
            said.licences,
            page.links,
            page.text,
            page.content_lines,
            page.nav_lines,
            list(page.terms.items()),
        ),
    )


def parted(source: str) -> str:
    """Where the readers differ on a page: empty if they say the same, or the compiled one leaves it to Python."""
    tame = tamed(source)
    compiled = by_compiled(tame)
    if compiled is None:
        return ""
    pairs = zip(told(compiled), told(by_python(tame)), strict=True)
    return next((f"{one!r} is not {other!r}" for one, other in pairs if one != other), "")


def parted_main(source: str) -> str:
    """Where the compiled main text of a page and Python's differ; empty if they do not."""
    root = parse(source).root
    if root is None or (found := main.by_compiled(root)) is None:
        return ""
    twin = main.by_python(root)
    return "" if found == twin else f"{found!r} is not {twin!r}"


def mutants(seeds: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Pages made of pieces, and of real pages cut, joined and damaged. The same for the same seed."""
    draw = random.Random(seed)
    for _ in range(count):
        if not seeds or draw.random() < 0.5:
            yield "".join(draw.choices(PIECES, k=draw.randint(1, 40)))
            continue
        page = draw.choice(seeds)
        at = draw.randrange(len(page) + 1)
        made = list(page[at : at + draw.randint(1, 600)])
        for _ in range(draw.randint(0, 8)):
            where = draw.randrange(len(made) + 1)
            damage = draw.randrange(3)
            if damage == 0:
                made[where : where + draw.randint(1, 20)] = []
            elif damage == 1:
                made[where:where] = draw.choice(PIECES)
            else:
                made[where:where] = made[: draw.randint(1, 60)]
        yield "".join(made)

"""Papers that nobody wrote, in several layouts and styles of citing, with what is true of them; and what is no paper.

All is drawn from a seed. Each paper cites some of the others, in the style of its own venue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from tests.prints import Flow, Print, width

from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.model.records import Millis, Record, Response
from lycosa.model.url import Url

HOME = "http://papers.test/"


def _listed(names: str, by: str = " ") -> list[str]:
    return [name.strip() for name in names.replace("\n", " ").split(by) if name.strip()]


GIVEN = _listed("""Ada Alan Barbara Carlos Chen Clara Daniel Elena Emma Filippo Grace Hans Ingrid Ivan Jürgen Karl
Kathryn Li Lucía Maria Michael Nina Olga Paolo Peter Rosa Sofia Thomas Yuki Zoë""")
FAMILY = _listed("""Abe Almeida Bauer Becker Chakrabarti Conti Diligenti Dubois Ferrara García Hansen Hoffmann Ivanova
Jensen Kim Kowalski Larsen Lindqvist López Menzel Moreau Müller Nakamura Novák Okafor O'Brien Pant Petrov Rossi Sato
Schneider Silva Singh Srinivasan Tanaka Virtanen Wang Weber Zhang Zimmer""")
SUBJECTS = _listed(
    """focused crawling|link analysis|web archives|text classification|language models|spider silk|relevance feedback
|citation graphs|near duplicates|anchor text|query expansion|topic drift|change detection|page quality|site structure
|search logs|entity linking|graph sampling|crawl scheduling|web genres""",
    "|",
)
MANNERS = _listed("""Adaptive Scalable Probabilistic Incremental Robust Online Distributed Unsupervised Efficient
Evolutionary Parallel Contextual Approximate Hierarchical Reinforced""")
WAYS = _listed(
    """a Study of {a} and {b}|Methods for {a} with {b}|{a}: the Role of {b}|on the Limits of {a}|Learning {a} from {b}
|{a} without {b}|an Evaluation of {a} under {b}|Towards {a} for {b}|How {b} Helps {a}|{a} in the Presence of {b}""",
    "|",
)
VENUES = (
    "Journal of Web Studies",
    "Information Letters",
    "Transactions on Retrieval",
    "Machine Reasoning",
    "Proceedings of the 9th Conference on Hypertext Mining",
    "Proceedings of the International Workshop on Crawling",
)
PLACES = (
    "University of Turin, Italy",
    "Institute of Web Science, Berlin, Germany",
    "State College, Iowa City, USA",
)
WORDS = _listed("""the a of and to in we show that this method results page pages link links crawler topic relevance
measure score score found for with on as by from model graph data each other more than between when which used large
small compare experiment baseline higher lower precision recall query terms visited frontier budget strategy performance
significant learned features estimate sample distribution host server content context similarity""")


class Cited(Record, frozen=True):
    """What a reference says."""

    title: str
    authors: tuple[str, ...]
    year: int


class Made(Record, frozen=True, kw_only=True):
    """A file, and what is true of it."""

    name: str
    body: bytes
    is_paper: bool
    title: str
    authors: tuple[str, ...] = ()
    abstract: str = ""
    year: int | None = None
    venue: str = ""
    references: tuple[Cited, ...] = ()


def made_papers(n: int, seed: int = 0) -> list[Made]:
    """So many papers; each layout and each style of citing in turn, in all pairs."""
    random = Random(seed)
    facts = [_facts(random) for _ in range(n)]
    return [_paper(number, facts, random) for number in range(n)]


def made_others(n: int, seed: int = 0) -> list[Made]:
    """So many files that are no papers: letters, slides, manuals, reports, invoices."""
    random = Random(seed + 1)
    return [OTHERS[number % len(OTHERS)](number, random) for number in range(n)]


def preprint_of(made: Made, seed: int = 0) -> bytes:
    """The same paper as a preprint, with other words in its sections."""
    random, venue = Random(seed), VENUES[0]
    assert made.year is not None
    references = [_plain_style(cited, place, venue, random) for place, cited in enumerate(made.references, 1)]
    return _preprint(Cited(made.title, made.authors, made.year), made.abstract, "", references, random)


def sentence(random: Random, words: int = 0) -> str:
    said = " ".join(random.choice(WORDS) for _ in range(words or random.randint(9, 22)))
    return f"{said[:1].upper()}{said[1:]}."


def prose(random: Random, sentences: int) -> str:
    return " ".join(sentence(random) for _ in range(sentences))


def _facts(random: Random) -> Cited:
    a, b = random.sample(SUBJECTS, 2)
    title = f"{random.choice(MANNERS)} {random.choice(WAYS).format(a=a.title(), b=b.title())}"
    people = [
        f"{random.choice(GIVEN)} {random.choice(FAMILY)}" for _ in range(random.choice((1, 2, 2, 3, 3, 4)))
    ]
    if random.random() < 0.2:
        people[0] = people[0].replace(" ", f" {random.choice('ABCDEJMRT')}. ", 1)
    return Cited(title, tuple(dict.fromkeys(people)), random.randint(1994, 2024))


# -- references ----------------------------------------------------------------------------------------------


def _initials(name: str) -> tuple[str, str]:
    *given, family = name.split()
    return family, " ".join(f"{part[0]}." for part in given)


def _pages(random: Random) -> str:
    first = random.randint(1, 400)
    return f"{first}-{first + random.randint(5, 20)}"


def _plain_style(cited: Cited, number: int, venue: str, random: Random) -> str:
    people = [" ".join(reversed(_initials(name))) for name in cited.authors]
    volume = f"{random.randint(1, 40)}({random.randint(1, 6)})"
    where = f"{venue}, pages {_pages(random)}" if "Proc" in venue else f"{venue}, {volume}:{_pages(random)}"
    end = f"{where}, {cited.year}."
    return f"[{number}] {_and(people)}. {_low(cited.title)}. {'In ' if 'Proc' in venue else ''}{end}"


def _ieee_style(cited: Cited, number: int, venue: str, random: Random) -> str:
    people = [" ".join(reversed(_initials(name))) for name in cited.authors]
    return (
        f"[{number}] {_and(people)}, “{_low(cited.title)},” {'in ' if 'Proc' in venue else ''}{venue}, "
        f"vol. {random.randint(1, 40)}, pp. {_pages(random)}, {cited.year}."
    )


def _apa_style(cited: Cited, number: int, venue: str, random: Random) -> str:
    people = [", ".join(_initials(name)) for name in cited.authors]
    listed = people[0] if len(people) == 1 else f"{', '.join(people[:-1])}, & {people[-1]}"
    return (
        f"{listed} ({cited.year}). {_low(cited.title)}. {venue}, {random.randint(1, 40)}, {_pages(random)}."
    )


def _acl_style(cited: Cited, number: int, venue: str, random: Random) -> str:
    return f"{_and(cited.authors)}. {cited.year}. {cited.title}. In {venue}, pages {_pages(random)}."


def _lncs_style(cited: Cited, number: int, venue: str, random: Random) -> str:
    people = ", ".join(", ".join(_initials(name)) for name in cited.authors)
    return (
        f"{number}. {people}: {cited.title}. {venue} {random.randint(1, 40)}, {_pages(random)} ({cited.year})"
    )


STYLES = (_plain_style, _ieee_style, _apa_style, _acl_style, _lncs_style)
BY_NAME = (_apa_style, _acl_style)
"""Styles without numbers, in the order of names."""


def _and(people: Sequence[str]) -> str:
    if len(people) < 3:
        return " and ".join(people)
    return f"{', '.join(people[:-1])}, and {people[-1]}"


def _low(title: str) -> str:
    """As many styles write titles: capitals only at the beginning."""
    return f"{title[:1]}{title[1:].lower()}"


# -- papers --------------------------------------------------------------------------------------------------


def _paper(number: int, facts: Sequence[Cited], random: Random) -> Made:
    own = facts[number]
    style = STYLES[number % len(STYLES)]
    layout = LAYOUTS[number // len(STYLES) % len(LAYOUTS)]
    others = [fact for place, fact in enumerate(facts) if place != number and fact.year <= own.year]
    cited = random.sample(others, min(len(others), random.randint(6, 16)))
    if style in BY_NAME:
        cited.sort(key=lambda one: one.authors[0].split()[-1])
    venue = random.choice(VENUES)
    references = [style(one, place, random.choice(VENUES), random) for place, one in enumerate(cited, 1)]
    abstract = prose(random, random.randint(4, 7))
    shows_year = random.random() < 0.7
    body = layout(own, abstract, venue if shows_year else "", references, random)
    return Made(
        name=f"paper-{number:03}.pdf",
        body=body,
        is_paper=True,
        title=own.title,
        authors=own.authors,
        abstract=abstract,
        year=own.year,
        venue=venue if shows_year and layout in (_two_columns, _letter) else "",
        references=tuple(cited),
    )


def _sections(flow: Flow, references: Sequence[str], size: float, random: Random) -> None:
    hyphens = random.random() < 0.5
    heads = ["Introduction", "Related Work", "Method", "Experiments", "Conclusions"]
    for number, head in enumerate(heads, 1):
        flow.down(size)
        flow.put(f"{number} {head}" if random.random() < 0.9 else head, size + 2, "bold", after=3)
        for _ in range(random.randint(2, 5)):
            flow.put(prose(random, random.randint(3, 7)), size, first=10, hyphens=hyphens)
    flow.down(size)
    flow.put(random.choice(("References", "REFERENCES", "Bibliography")), size + 2, "bold", after=3)
    space = random.choice((0.0, 3.0))
    for reference in references:
        flow.put(reference, size - 1, hang=12, after=space, hyphens=hyphens)


def _said(own: Cited, random: Random) -> dict[str, str]:
    """Metadata: right, wrong, or none."""
    match random.randint(0, 3):
        case 0:
            return {
                "Title": own.title,
                "Author": ", ".join(own.authors),
                "CreationDate": f"D:{own.year}0510120000Z",
            }
        case 1:
            return {"Title": "Microsoft Word - final version.doc", "Author": "Administrator"}
        case 2:
            return {"Producer": "tests"}
        case _:
            return {"Title": "Proceedings Template - WORD", "CreationDate": "D:20240101120000"}


def _head(flow: Flow, text: str, size: float, face: str = "bold") -> None:
    flow.put(text, size, face, centred=True, after=6)


def _article(own: Cited, abstract: str, venue: str, references: Sequence[str], random: Random) -> bytes:
    """One column; authors in a line, with figures for where they work; the year below the abstract."""
    paper = Print()
    flow = Flow(paper, top=90, margin=110)
    _head(flow, own.title, 17, random.choice(("roman", "bold")))
    _head(flow, ", ".join(f"{name}{number}" for number, name in enumerate(own.authors, 1)), 12, "roman")
    for number, _ in enumerate(own.authors, 1):
        _head(flow, f"{number} {random.choice(PLACES)}", 10, "italic")
    if venue:
        _head(
            flow,
            f"{random.choice(('May', 'June', 'October'))} {random.randint(1, 28)}, {own.year}",
            11,
            "roman",
        )
    flow.down(10)
    _head(flow, "Abstract", 10)
    flow.put(abstract, 9, first=10, after=8)
    _sections(flow, references, 10, random)
    return paper.bytes(**_said(own, random))


def _two_columns(own: Cited, abstract: str, venue: str, references: Sequence[str], random: Random) -> bytes:
    """Authors side by side above two columns, the venue at the foot of the first page."""
    paper = Print()
    flow = Flow(paper, top=80, margin=54)
    _head(flow, own.title, 18)
    flow.down(14)
    wide = (612 - 108) / len(own.authors)
    place = random.choice(PLACES)
    for number, name in enumerate(own.authors):
        middle = 54 + wide * (number + 0.5)
        email = f"{name.split()[-1].lower()}@example.org"
        for row, text in enumerate((name, place.split(",")[0], email)):
            shown = text if len(own.authors) < 4 or row != 1 else text[:18]
            paper.text(middle - width(shown, 10) / 2, flow.base + 12 * row, shown, 11 if row == 0 else 9)
    base = flow.base + 50
    if venue:
        paper.text(54, 750, f"{venue}, pages {_pages(random)},", 8)
        paper.text(54, 760, f"Iowa City, June {own.year}. © {own.year} The Association", 8)
    body = Flow(paper, 2, top=base, margin=54, gap=random.choice((16.0, 22.0)))
    body.put(random.choice(("ABSTRACT", "Abstract")), 11, "bold", after=3, centred=random.random() < 0.5)
    body.put(abstract, 9, after=8, hyphens=random.random() < 0.5)
    _sections(body, references, 9.5, random)
    return paper.bytes(**_said(own, random))


def _letter(own: Cited, abstract: str, venue: str, references: Sequence[str], random: Random) -> bytes:
    """A journal's: its name in large type above, the abstract over both columns, “Abstract—” before it."""
    paper = Print()
    if venue:
        paper.text(
            54,
            40,
            f"{venue.upper()}, VOL. {random.randint(2, 40)}, NO. {random.randint(1, 6)}, {own.year}",
            8,
        )
    flow = Flow(paper, top=70, margin=54)
    _head(flow, own.title, 22, "roman")
    _head(flow, _and(own.authors), 11, "roman")
    flow.down(8)
    flow.put(f"Abstract— {abstract}", 9, "bold", after=4)
    flow.put(f"Index Terms— {', '.join(random.sample(SUBJECTS, 4))}.", 9, "bold", after=10)
    body = Flow(paper, 2, top=flow.base + 10, margin=54, gap=14)
    _sections(body, references, 10, random)
    return paper.bytes(**_said(own, random))


def _preprint(own: Cited, abstract: str, venue: str, references: Sequence[str], random: Random) -> bytes:
    """One author a line with place and address, and a stamp in the margin."""
    paper = Print(595, 842)
    if venue:
        paper.upwards(
            24,
            600,
            f"arXiv:0{random.randint(100, 900)}.{random.randint(1000, 9000)}v1 [cs.IR] 3 Mar {own.year}",
            18,
        )
    flow = Flow(paper, top=100, margin=80)
    _head(flow, own.title.upper() if random.random() < 0.5 else own.title, 16)
    for name in own.authors:
        _head(flow, name, 11, "roman")
        _head(flow, f"{random.choice(PLACES)}, {name.split()[0].lower()}@example.org", 9, "italic")
    flow.down(6)
    flow.put("Abstract.", 10, "bold")
    flow.put(abstract, 10, after=6)
    if random.random() < 0.5:
        flow.put(f"Keywords: {', '.join(random.sample(SUBJECTS, 3))}", 10, after=8)
    _sections(flow, references, 11, random)
    return paper.bytes(**_said(own, random))


LAYOUTS = (_article, _two_columns, _letter, _preprint)


# -- what is no paper ----------------------------------------------------------------------------------------


def _other(number: int, kind: str, title: str, paper: Print) -> Made:
    return Made(name=f"{kind}-{number:03}.pdf", body=paper.bytes(Title=title), is_paper=False, title=title)


def _a_letter(number: int, random: Random) -> Made:
    paper = Print()
    flow = Flow(paper)
    flow.put(f"{random.choice(PLACES)}", 10, after=20)
    flow.put(f"Dear {random.choice(GIVEN)} {random.choice(FAMILY)},", 11, after=10)
    for _ in range(3):
        flow.put(prose(random, 5), 11, after=8)
    flow.put("Yours sincerely,", 11)
    return _other(number, "letter", "Letter", paper)


def _slides(number: int, random: Random) -> Made:
    paper = Print(720, 540)
    title = f"{random.choice(MANNERS)} {random.choice(SUBJECTS)}".title()
    for page in range(9):
        paper.text(60, 80, title if page == 0 else random.choice(SUBJECTS).title(), 32, "bold")
        for row in range(5):
            paper.text(80, 160 + 50 * row, "• " + sentence(random, 6), 20)
        paper.new_page()
    return _other(number, "slides", title, paper)


def _manual(number: int, random: Random) -> Made:
    paper = Print()
    flow = Flow(paper)
    title = f"{random.choice(SUBJECTS).title()} User Manual"
    flow.put(title, 24, "bold", after=20)
    flow.put("Contents", 14, "bold", after=4)
    for chapter in range(1, 9):
        flow.put(f"{chapter} {random.choice(SUBJECTS).title()} {'. ' * 20} {chapter * 3}", 10)
    for chapter in range(1, 9):
        flow.put(f"{chapter} {random.choice(SUBJECTS).title()}", 14, "bold", after=4)
        for _ in range(6):
            flow.put(prose(random, 6), 10, first=10)
    return _other(number, "manual", title, paper)


def _report(number: int, random: Random) -> Made:
    """A firm's, with a summary and sources: nearest to a paper."""
    paper = Print()
    flow = Flow(paper)
    title = f"Annual Report {random.randint(1995, 2024)}"
    flow.put(title, 26, "bold", after=30)
    flow.put("Executive Summary", 14, "bold", after=4)
    flow.put(prose(random, 9), 10, after=10)
    for _ in range(5):
        flow.put(random.choice(SUBJECTS).title(), 13, "bold", after=4)
        for _ in range(5):
            flow.put(prose(random, 6), 10, after=6)
    return _other(number, "report", title, paper)


def _invoice(number: int, random: Random) -> Made:
    paper = Print()
    paper.text(72, 80, "INVOICE", 24, "bold")
    for row in range(18):
        paper.text(72, 140 + 20 * row, random.choice(WORDS), 10)
        paper.text(400, 140 + 20 * row, f"{random.randint(1, 900)}.00", 10)
    return _other(number, "invoice", "Invoice", paper)


OTHERS: Sequence[Callable[[int, Random], Made]] = (_a_letter, _slides, _manual, _report, _invoice)


def url(made: Made) -> str:
    return f"{HOME}{made.name}"


def recorded(folder: Path, files: Sequence[Made], more: Sequence[tuple[str, bytes]] = ()) -> Path:
    """A web of a page that links to all files."""
    archive = WarcArchive.open(folder, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    every = [(url(made), made.body) for made in files] + [*more]
    links = "".join(f'<p><a href="{at}">a paper on crawling</a></p>' for at, _ in every)
    for at, kind, body in [
        (HOME, "text/html", f"<title>Papers on crawling</title><p>link pages</p>{links}".encode()),
        *((at, "application/pdf", body) for at, body in every),
    ]:
        answer = Response(
            url=Url(at),
            status=200,
            headers=(("Content-Type", kind),),
            body=body,
            fetched_at=Millis(1_000_000),
        )
        archive.write(answer)
    archive.close()
    return folder

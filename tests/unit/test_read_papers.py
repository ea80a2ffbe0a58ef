"""Parts of papers: names, references, what a paper is, and who cites whom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.made_papers import Made, made_others, made_papers
from tests.prints import Flow, Print, printed_lines

from lycosa.read.citing import citations, originals_of
from lycosa.read.names import family_of, folded, is_name, names_in, same_people
from lycosa.read.papers import CitedWork, Manuscript, manuscript
from lycosa.read.pdf import printed
from lycosa.read.printed import joiner
from lycosa.read.references import parsed, references_of
from lycosa.read.rules import RIGHT, confidence

# -- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Gautam Pant1 , Filippo Menczer3,4 , and Padmini Das", ["Gautam Pant", "Filippo Menczer", "Padmini Das"]),
        ("Pant, G., Srinivasan, P. and Menczer, F.", ["G. Pant", "P. Srinivasan", "F. Menczer"]),
        ("Ludwig van Beethoven & Emily Prud'hommeaux∗†", ["Ludwig van Beethoven", "Emily Prud'hommeaux"]),
        ("JÜRGEN MÜLLER; A.-B. Nilsson", ["JÜRGEN MÜLLER", "A.-B. Nilsson"]),
        ("University of Turin, Italy", []),
        ("Seattle, WA 98195", []),
        ("jane.doe@example.org", []),
        ("a method for the crawling of pages", []),
        ("", []),
    ],
)  # fmt: skip
def test_names_in_a_list(text: str, names: list[str]) -> None:
    assert names_in(text)[0] == names


def test_what_is_no_name() -> None:
    assert not any(
        map(is_name, ["Menczer", "WEB CRAWLING 2004", "Iowa City IA", "the Web", "A. B.", "x" * 60])
    )


def test_family_names() -> None:
    assert [family_of(name) for name in ("Hans Müller", "O. J. Simpson Jr.", "M. Paşca")] == [
        "muller",
        "simpson",
        "pasca",
    ]
    assert same_people(["G. Pant", "F. Menczer"], ["Gautam Pant", "Filippo Menczer"])
    assert not same_people(["G. Pant"], ["Gautam Pant", "Filippo Menczer"])


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@given(st.text(max_size=300))
def test_any_text_can_be_parsed(text: str) -> None:
    found = parsed(text)
    assert found.year is None or 1900 <= found.year < 2100
    names_in(text)


# -- references ----------------------------------------------------------------------------------------------

PANT = ("G. Pant", "F. Menczer")
TITLE = "Topical crawling for business intelligence"


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (f"[12] G. Pant and F. Menczer. {TITLE}. In Proc. ECDL, pages 233–244, 2003.", "sentences"),
        (f"G. Pant and F. Menczer. 2003. {TITLE}. In Proceedings of ECDL, Trondheim.", "year first"),
        (f"Pant, G., & Menczer, F. (2003). {TITLE}. Lecture Notes 2769, 233-244.", "year first"),
        (f"[3] G. Pant, F. Menczer, “{TITLE},” in Proc. ECDL, 2003, pp. 233–244.", "quoted"),
        (f"7. Pant, G., Menczer, F.: {TITLE}. LNCS 2769, 233-244 (2003)", "colon"),
        (f"Pant, G. and Menczer, F. {TITLE}. In ECDL, 2003.", "initials"),
        (f"Pant G, Menczer F. {TITLE}. Lect. Notes. 2003; 2769: 233.", "initials"),
        (f"[4] G. Pant, F. Menczer, {TITLE}, Lecture Notes 2769 (2003) 233–244.", "commas"),
    ],
)
def test_a_reference_in_each_style(text: str, how: str) -> None:
    found = parsed(text)
    assert (found.how, found.title, found.year) == (how, TITLE, 2003)
    assert same_people(found.authors, PANT)


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("The HTML standard. http://www.w3.org/TR/html", None),
        ("P. Fallahi et al., Phys. Rev. Lett. 105, 2572 (2010)", 2010),
    ],
)
def test_a_reference_without_a_title(text: str, year: int | None) -> None:
    assert (parsed(text).how, parsed(text).title, parsed(text).year) == ("none", "", year)


def test_titles_may_end_with_a_question_and_have_points() -> None:
    assert parsed("A. Ng. 2001. What is I.Q. anyway? In Minds.").title == "What is I.Q. anyway?"


def listed(
    heading: str, references: list[str], *, hang: float = 0.0, first: float = 0.0, after: float = 0.0
) -> bytes:
    paper = Print()
    flow = Flow(paper, 2, margin=54)
    for _ in range(6):
        flow.put(
            "Words of the paper that stand before its references, in a paragraph of several rows.",
            10,
            after=6,
        )
    flow.put(heading, 12, "bold", after=4)
    for reference in references:
        flow.put(reference, 9, hang=hang, first=first, after=after)
    return paper.bytes()


LISTED = [
    f"{name} and B. Beta. On the crawling of pages that nobody links to, part {part}. In Proceedings of a Conference "
    f"whose name takes more than a row, pages {part}1–{part}9, {1990 + part}."
    for part, name in enumerate(["A. Alpha", "C. Gamma", "D. Delta", "E. Epsilon", "Z. Zeta"], 1)
]


@pytest.mark.parametrize("heading", ["References", "7 REFERENCES", "Bibliography", "Literatur"])
def test_references_are_parted_by_what_begins_them(heading: str) -> None:
    ways = [
        listed(heading, [f"[{n}] {text}" for n, text in enumerate(LISTED, 1)]),
        listed(heading, [f"{n}. {text}" for n, text in enumerate(LISTED, 1)], hang=10),
        listed(heading, LISTED, hang=12),
        listed(heading, LISTED, after=5),
        listed(heading, LISTED),
    ]
    for body in ways:
        file = printed(body)
        found = references_of(file.sheets, joiner(file))
        assert [reference.text for reference in found] == LISTED
        assert [reference.year for reference in found] == [1991, 1992, 1993, 1994, 1995]


def test_what_follows_references_is_none() -> None:
    paper = Print()
    flow = Flow(paper)
    flow.put("References", 12, "bold", after=4)
    for n, text in enumerate(LISTED, 1):
        flow.put(f"[{n}] {text}", 10)
    flow.put("Appendix A", 12, "bold", after=4)
    flow.put("Words of the appendix.", 10)
    file = printed(paper.bytes())
    assert len(references_of(file.sheets, joiner(file))) == len(LISTED)


# -- papers --------------------------------------------------------------------------------------------------


def read(made: Made) -> Manuscript:
    return manuscript(printed(made.body))


def test_papers_of_all_layouts_and_styles() -> None:
    """20 papers: each layout with each style."""
    papers = made_papers(20, seed=3)
    found = [read(made) for made in papers]
    assert [one.title.casefold() for one in found] == [made.title.casefold() for made in papers]
    assert [one.authors for one in found] == [made.authors for made in papers]
    assert sum(one.abstract == made.abstract for one, made in zip(found, papers, strict=True)) >= 19
    assert sum(one.confidence["paper"] > 0.9 for one in found) >= 16
    assert all(one.confidence["paper"] > 0.7 for one in found)
    pairs = [
        (one, cited)
        for paper, made in zip(found, papers, strict=True)
        for one, cited in zip(paper.references, made.references, strict=True)
    ]
    right = sum(
        one.title.casefold() == cited.title.casefold() and one.year == cited.year for one, cited in pairs
    )
    assert right >= 0.95 * len(pairs)


def test_other_files_are_no_papers() -> None:
    assert all(read(made).confidence["paper"] < 0.1 for made in made_others(10, seed=3))


def test_confidences_name_what_was_found_and_nothing_else() -> None:
    bare = manuscript(printed(printed_lines(["nothing to see"])))
    assert set(bare.confidence) == {"paper"}
    for made in made_papers(4, seed=5):
        found = read(made)
        told = {
            part
            for part in ("title", "authors", "abstract", "year", "venue", "references")
            if getattr(found, part)
        }
        assert set(found.confidence) == {"paper", *told}
        assert all(0 < chance < 1 for chance in found.confidence.values())
        assert all(0 < reference.confidence < 1 for reference in found.references)


def test_a_paper_is_not_older_than_what_it_cites() -> None:
    paper = Print()
    flow = Flow(paper)
    flow.put("Journal of Web Studies, vol. 3, March 1988", 9, after=10)
    flow.put("Crawling of Pages that Nobody Links to", 18, "bold", after=10)
    flow.put("References", 12, "bold", after=4)
    for n, text in enumerate(LISTED, 1):
        flow.put(f"[{n}] {text}", 10)
    found = manuscript(printed(paper.bytes()))
    assert (found.year, found.rules["year"]) == (1995, "youngest reference")


def test_the_chance_of_a_rule_is_that_of_laplace() -> None:
    right, of = RIGHT["title: both"]
    assert confidence("title", "both") == round((right + 1) / (of + 2), 3)
    assert confidence("title", "a rule of which nothing is known") == 0.5


# -- who cites whom ------------------------------------------------------------------------------------------


def paper(
    title: str, *cites: str, authors: tuple[str, ...] = ("Gautam Pant",), year: int | None = 2003
) -> Manuscript:
    return Manuscript(title=title, authors=authors, year=year, references=tuple(map(cited, cites)))


def cited(text: str) -> CitedWork:
    found = parsed(text)
    return CitedWork(text=text, authors=found.authors, title=found.title, year=found.year)


def pairs_of(papers: list[Manuscript]) -> list[tuple[int, int, str]]:
    return [(each.citing, each.cited, each.rule) for each in citations(papers)]


def test_a_citation_needs_the_title_and_author_or_year() -> None:
    papers = [
        paper(TITLE),
        paper("The first that cites", f"G. Pant and F. Menczer. {TITLE}. In ECDL, 2003."),
        paper("The second that cites", f"G. Pant. {TITLE}. Techn. report, 1998."),
        paper("The third that cites", f"Anonymous, {TITLE}, 2004"),
        paper("The fourth that cites", f"F. Menczer. {TITLE}. In ECDL, 1990."),
        paper("The fifth that cites", "G. Pant. Topical crawling. In ECDL, 2003."),
    ]
    assert pairs_of(papers) == [
        (1, 0, "title, author, year"),
        (2, 0, "title, author"),
        (3, 0, "title in the text, year"),
    ]


def test_a_hyphen_at_the_end_of_a_row_does_not_matter() -> None:
    papers = [
        paper("Co-citation and Web-crawling"),
        paper("Another paper", "G. Pant. Cocitation and webcrawling. 2003."),
    ]
    assert [(citing, cited) for citing, cited, _ in pairs_of(papers)] in ([(1, 0)], [])


def test_of_titles_within_titles_the_longest_is_meant() -> None:
    papers = [
        paper("Topical web crawlers"),
        paper("Topical web crawlers: Evaluating adaptive algorithms"),
        paper("One that cites", "G. Pant. Topical Web Crawlers: Evaluating Adaptive Algorithms. 2003."),
    ]
    assert [(citing, cited) for citing, cited, _ in pairs_of(papers)] == [(2, 1)]


def test_no_paper_cites_itself_and_copies_count_once() -> None:
    text = f"G. Pant. {TITLE}. 2003."
    papers = [paper(TITLE, text), paper(TITLE.upper(), text), paper("One that cites", text, text)]
    assert originals_of(papers) == [0, 0, 2]
    assert [(citing, cited) for citing, cited, _ in pairs_of(papers)] == [(2, 0)]


@given(st.lists(st.tuples(st.text(max_size=40), st.lists(st.text(max_size=80), max_size=3)), max_size=5))
def test_each_pair_is_told_once(drawn: list[tuple[str, list[str]]]) -> None:
    papers = [paper(title, *cites) for title, cites in drawn]
    pairs = [(each.citing, each.cited) for each in citations(papers)]
    assert len(pairs) == len(set(pairs))
    assert all(citing != cited for citing, cited in pairs)

"""What words name a subject, and not a page, a time or a kind of people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lycosa.scoring.words.terms import counts

_FORMS = """
    home page homepage homepages welcome index link links bookmark bookmarks list lists listing listings menu map
    main overview introduction intro about info information general misc miscellaneous other others untitled
    default document documents file files folder directory table contents content faq help search sitemap site
    sites web www http html server online navigational personal my his her our your official new news latest
    current recent past former upcoming today archive archives archived blog post posts tag category author feed
    photo photos photograph picture pictures gallery image images caption captions album icon slides video videos
    readme edit start draft moved permanently redirect error test example examples stuff things cool hot favorite
    favourite interesting interest interests fun complete useful important related various selected started
    getting section sections part chapter appendix lecture lectures week day days month year semester quarter term
    session spring summer fall autumn winter january february march april may june july august september october
    november december monday tuesday wednesday thursday friday saturday sunday date dates time schedule calendar
    event events announcement announcements meeting meetings agenda minutes contact address office hours phone
    email mail mailto hotlist resume cv vita bio biography academics work employment life thoughts notes questions
    answers version release releases download downloads src click here back next previous top abstract abstracts
    summary report reports reference references bibliography receives received awarded award awards wins won
    pursues celebrates honors recognizes serves joins announces launches hosts visits named featured introducing
    retirement reception spotlight winner winners sponsors sponsorship uncategorized update updates accepted
    taking directs matters letter recommendation candidate level high low grain design implementation based multi
    speed foundations special issue technical frequently asked advanced problem problems set sets final
    examination vol pp proc proceedings int acm ieee trans transactions dr mr mrs ms prof phd jr iii ii iv vi vii
    viii ix xi xii xiii xiv nav ta tas cs cse ece uw
"""

_KINDS = """
    people person staff member members contributor contributors participant participants personnel team crew
    faculty professor professors researcher researchers colleague colleagues collaborator collaborators student
    students grad grads graduate graduates undergraduate undergraduates alumni instructor instructors course
    courses class classes seminar seminars talk talks workshop workshops teaching curriculum admissions program
    programs homework homeworks assignment assignments exam exams solution solutions handout handouts project
    projects research publication publications paper papers book books journal conference conferences software
    resource resources tools facilities services policies requirements department departments school schools
    college colleges university universities institute center centers group groups lab labs laboratory area areas
    topic topics field fields society association assistant associate senior junior state activities opportunities
    profiles career careers affiliates
"""

FORMS = frozenset(term for word in _FORMS.split() for term in counts(word))
"""Stems of words that say what a page is, where it leads or from when it is."""

KINDS = frozenset(term for word in _KINDS.split() for term in counts(word))
"""Stems of words that say what kind of thing a page is about: with another word they make a subject, alone none."""


def without_forms(words: Iterable[str]) -> tuple[str, ...]:
    """The words without those of pages as such, without numbers, and without a possessive's ending."""
    bare = (word.removesuffix("'s").removesuffix("’s") for word in words)
    return tuple(word for word in bare if (terms := counts(word)) and not FORMS.issuperset(terms))


def is_subject(words: Sequence[str]) -> bool:
    """Whether one of the words says more than what kind of thing it is about."""
    return any(not KINDS.issuperset(counts(word)) for word in words)

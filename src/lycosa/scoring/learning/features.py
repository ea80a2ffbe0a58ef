"""What classifiers see of a page: its terms, weighted by where they stand."""

from __future__ import annotations

from lycosa.model.records import Page, Record
from lycosa.model.url import host_of
from lycosa.scoring.words.terms import counts


class Fields(Record, frozen=True, kw_only=True):
    """How much a word counts by where it stands; none below 0. A word of the body counts once.

    The defaults are those of `scoring.terms.FIELD_WEIGHTS`; a page does not keep the rank of its headings, so all of
    them count like second ones. With 1, 1, 0, 0, 0 a page is the plain counts of its title and text. The anchor is
    that of the link by which the page was found, which is part of the page's record: judging stays a function of it.
    """

    title: float = 4.0
    heading: float = 2.0
    description: float = 1.0
    external_anchor: float = 3.0
    internal_anchor: float = 1.0


PLAIN_FIELDS = Fields(title=1.0, heading=1.0, description=0.0, external_anchor=0.0, internal_anchor=0.0)


def features(page: Page, fields: Fields = Fields()) -> dict[str, float]:  # noqa: B008 - frozen
    """tf'(k) = Σ_field w_field · tf_field(k), terms without weight left out. (Küçük 2009, section 2.1.4)"""
    total: dict[str, float] = dict(page.terms)
    _add(total, page.title, fields.title - 1.0)  # title and headings are in the text already
    _add(total, "\n".join(page.headings), fields.heading - 1.0)
    _add(total, page.description, fields.description)
    if (via := page.request.via) is not None:
        is_external = host_of(via.source) != host_of(page.request.url)
        _add(total, via.anchor, fields.external_anchor if is_external else fields.internal_anchor)
    return total


def _add(total: dict[str, float], text: str, weight: float) -> None:
    if weight and text:
        for term, n in counts(text).items():
            if (sum_ := total.get(term, 0.0) + weight * n) > 0.0:
                total[term] = sum_
            else:
                total.pop(term, None)

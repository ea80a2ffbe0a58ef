"""What holds of classes of any kind, on any page."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import made_page, u

from lycosa.model.records import Page, Request
from lycosa.scoring.learning.bayes import NaiveBayes, every_word, root_of_words
from lycosa.scoring.learning.class_training import KINDS, learned
from lycosa.scoring.learning.classes import Classes, ClassKind, Rules, loaded, saved
from lycosa.scoring.words.terms import together

TEXTS = {
    "jazz": [{"jazz": 2, "home": 1}, {"swing": 1, "page": 3}, {"jazz": 1, "swing": 1, "link": 1}],
    "cars": [{"wheel": 2, "home": 1}, {"brake": 1, "page": 3}, {"wheel": 1, "brake": 1, "link": 1}],
    "food": [{"bread": 2, "home": 1}, {"soup": 1, "page": 3}, {"bread": 1, "soup": 1, "link": 1}],
}
RULES = Rules(least=3, short="cars", gate="words", english=100)


@cache
def model_of(kind: ClassKind) -> Classes:
    return Classes(learned(kind, TEXTS), RULES)


words = st.sampled_from(
    ["jazz", "swing", "home", "page", "wheel", "brake", "bread", "soup", "link", "xylophone"]
)
counted = st.dictionaries(words, st.integers(1, 10_000))
texts = st.sampled_from(["they would have been there", "sie wären dort gewesen", ""])


@st.composite
def pages(draw: st.DrawFn) -> Page:
    text, terms = draw(texts), draw(counted)
    return msgspec.structs.replace(made_page(Request(url=u("a"), order=1), text=text), terms=terms)


@pytest.mark.parametrize("kind", KINDS)
@given(pages(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=trials(25))
def test_the_order_of_words_does_not_matter(kind: ClassKind, page: Page, chance: object) -> None:
    pairs = list(page.terms.items())
    chance.shuffle(pairs)  # type: ignore[attr-defined]
    turned = msgspec.structs.replace(page, terms=dict(pairs))
    assert model_of(kind).of(turned) == model_of(kind).of(page)
    assert model_of(kind).posterior(turned) == model_of(kind).posterior(page)


@pytest.mark.parametrize("kind", KINDS)
@given(pages())
@settings(deadline=None, max_examples=trials(40))
def test_one_digest_one_answer(kind: ClassKind, page: Page) -> None:
    model = model_of(kind)
    again = loaded(msgspec.json.decode(msgspec.json.encode(saved(model))))
    assert again.digest == model.digest
    assert (again.of(page), again.posterior(page)) == (model.of(page), model.posterior(page))


@pytest.mark.parametrize("kind", KINDS)
@given(pages())
@settings(deadline=None, max_examples=trials(60))
def test_the_likeliest_is_told(kind: ClassKind, page: Page) -> None:
    shares, of = model_of(kind).posterior(page), model_of(kind).of(page)
    assert len(shares) == len(model_of(kind).names)
    assert sum(shares) == pytest.approx(1.0)
    assert min(shares) >= 0.0
    assert of is None or shares[of] == max(shares)


@pytest.mark.parametrize(("kind", "length"), [("nb", every_word), ("nb-root", root_of_words)])
@given(st.dictionaries(words, st.integers(1, 20), min_size=1))
@settings(deadline=None, max_examples=trials(60))
def test_naive_bayes_in_whole_numbers_is_naive_bayes(
    kind: ClassKind, length: object, terms: dict[str, int]
) -> None:
    model = Classes(learned(kind, TEXTS), Rules(least=0))
    twin = NaiveBayes(
        [together(TEXTS[name]) for name in model.names],
        vocabulary=model.learned.terms,
        effective_length=length,  # type: ignore[arg-type]
    )
    page = made_page(Request(url=u("a"), order=1), terms=terms)
    assert model.posterior(page) == pytest.approx(twin.posterior(terms), abs=5e-3)

"""Invariants of judging rights."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawl.preferences import dictionary, signals, usage
from lycosa.crawl.rights import NEEDS, refused
from lycosa.model.rights import Rights, Rule, rule

USES = ("archive", "search", "ai-input", "ai-train", "mining")


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    vocabulary = draw(st.sampled_from(["AIPREF", "Content Signals", "robots", "TDMRep"]))
    place = draw(st.sampled_from(["robots.txt", "well-known", "header", "meta"]))
    use = draw(st.sampled_from(USES))
    return rule(vocabulary, place, "as written", (use,), draw(st.sampled_from([True, False, None])))


RIGHTS = st.lists(rules(), max_size=6).map(tuple)
PURPOSES = st.sampled_from(sorted(NEEDS))


@given(RIGHTS, PURPOSES)
def test_silence(rights: Rights, purpose: str) -> None:
    assert refused(rights, None) is None
    assert refused((), purpose) is None  # type: ignore[arg-type]


@given(RIGHTS, RIGHTS, PURPOSES)
def test_stricter(rights: Rights, more: Rights, purpose: str) -> None:
    others = tuple(each for each in more if each.vocabulary != "TDMRep")
    if refused(rights, purpose):  # type: ignore[arg-type]
        assert refused(rights + others, purpose)  # type: ignore[arg-type]


@given(st.text(max_size=200))
def test_no_statement_is_a_fault(statement: str) -> None:
    dictionary(statement)
    assert all(each.allowed is not None for each in usage(statement, "header") + signals(statement, "header"))

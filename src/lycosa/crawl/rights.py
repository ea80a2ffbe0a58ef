"""What the purpose of a crawl makes of the rights of a page: refused, or recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lycosa.model.rights import Place, Purpose, Rights, Rule, Use

NEEDS: Final[Mapping[Purpose, frozenset[Use]]] = {
    "archive": frozenset({"archive"}),
    "search": frozenset({"search"}),
    "research": frozenset(),
    "ai-input": frozenset({"ai-input", "mining"}),
    "ai-train": frozenset({"ai-train", "mining"}),
}
"""The uses that a purpose makes of a page. Research makes none that is spoken of: a reservation of mining does not bind
research organisations (directive (EU) 2019/790, article 3), and no vocabulary has a word for others."""

_NEARER: Final[Mapping[Place, int]] = {"well-known": 0, "header": 1, "meta": 2}


def refused(rights: Rights, purpose: Purpose | None) -> Rule | None:
    """The first rule by which a page may not be used for a purpose; None if there is none, or no purpose is told.

    Within TDMRep the place that is nearest to the page counts ("Processing priority"). Otherwise, whatever the
    vocabularies, one that disallows outweighs any that allow (draft-ietf-aipref-vocab, 7.1, "the most restrictive
    preference applies").

    Invariants, each the name of a property test:

    * silence: without rules, and without a purpose, nothing is refused.
    * stricter: rules of other vocabularies never make allowed what one rule disallows.
    """
    if purpose is None or not rights:
        return None
    needs = NEEDS[purpose]
    return next(
        (each for each in in_force(rights) if each.allowed is False and not needs.isdisjoint(each.uses)), None
    )


def settled(rights: Rights) -> Rights:
    """Of the rules of a site, those that its pages cannot answer. What tdmrep.json says, their headers and metadata
    supersede (TDMRep, "Processing priority"): before a page is fetched, that is open."""
    return tuple(each for each in rights if each.vocabulary != "TDMRep" or each.place != "well-known")


def in_force(rights: Rights) -> Rights:
    """The rules without those of TDMRep that a nearer one replaces."""
    tdm = [each for each in rights if each.vocabulary == "TDMRep" and each.uses]
    nearest = max((_NEARER.get(each.place, 0) for each in tdm), default=0)
    return tuple(
        each
        for each in rights
        if each.vocabulary != "TDMRep" or not each.uses or _NEARER.get(each.place, 0) == nearest
    )


def quoted(rule: Rule) -> str:
    """A rule for people: what it says, where it stood, and in whose words."""
    return f"{rule.place}: {rule.written} ({rule.vocabulary}, {rule.version})"

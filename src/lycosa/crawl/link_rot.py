"""What is likely dead: the chance that a link leads to no page, from what became of its siblings.

Siblings are the URLs of one host, of its first directory, of the same directory, and of the same kind of name there;
and the other links of the page that refers to it. Links die together: a host goes, a directory is moved, a list of
references grows old.

Each group is a Beta-binomial whose prior is the rate of the group around it, so few cases hardly change what the larger
group says, and many outweigh it:

    p(g) = (dead(g) + K p(parent of g)) / (n(g) + K)

from all links of the crawl to the host, …, the kind of name, and at last the referring page. What `p` costs a score is
the share of the value that is left, 1 - p, as far as it is less than with the doubt that every link deserves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lycosa.model.records import Failure, Page, Reason, Visit
from lycosa.model.url import Url, host_of

STRENGTH: Final = 5.0
"""K: cases that the group around is worth."""
PRIOR: Final = 0.05
"""The share of dead links before any was tried, worth `STRENGTH` cases."""
DOUBT: Final = 0.25
"""A chance up to here costs nothing; that of all links of the crawl counts up to here."""
STEP: Final = 0.75
"""A link that waits is put further behind once it is worth so much less than when it was placed."""
MOST: Final = 200_000
"""Groups, and links placed behind others, that are remembered: each some 200 bytes. The oldest go."""

GONE: Final = frozenset({404, 410})
DEAD: Final = frozenset({Reason.DNS, Reason.NOT_TEXT, Reason.SOFT_404, Reason.PARKED})
"""What says that there is no page, besides the statuses in `GONE`. Time-outs, 429 and the like pass: see `Pace`."""

_DIGITS: Final = re.compile(r"\d+")


def fate(visit: Visit) -> bool | None:
    """Whether a visit shows that its URL is dead (True), or a page (False); None if it shows neither.

    A link deep into a host that is sent to the front page of that host is dead too (Bar-Yossef et al., 2004).
    """
    if isinstance(visit, Page):
        return False
    if visit.reason in DEAD or (visit.reason is Reason.STATUS and visit.status in GONE):
        return True
    return True if visit.reason is Reason.ALREADY_KNOWN and _is_sent_home(visit) else None


def _is_sent_home(failure: Failure) -> bool:
    final = failure.final_url
    if final is None or host_of(final) != host_of(failure.url):
        return False
    return final.split("/", 3)[3] == "" and failure.url.count("/") > 3 and not failure.url.endswith("/")


class LinkRot:
    """Counts dead links by group, and knows which waiting links were placed behind others for that.

    Invariants, each the name of a property test:

    * a chance: in [0, 1], and of a group without dead links never more than `DOUBT`.
    * more dead means less: one dead sibling more never lowers a chance, one living sibling more never raises it.
    * nothing dead costs nothing: where no sibling died the factor is 1.
    * load restores: `load(save())` restores every answer.
    """

    def __init__(self) -> None:
        self._all = [0, 0]  # dead links, and all that were tried
        self._groups: dict[str, list[int]] = {}  # the same by group; the one that was touched last at the end
        self._placed: dict[Url, float] = {}  # factors below 1 with which links wait

    def seen(self, visit: Visit, via: Url | None) -> None:
        """Take in what became of a link for good, and the page that referred to it."""
        self._placed.pop(visit.url, None)
        dead = fate(visit)
        if dead is None or visit.request.depth == 0:
            return
        _count(self._all, dead)
        referrer = () if via is None else (f"<{via}",)
        for name in (*referrer, *reversed([*_groups_of(visit.url)])):
            counts = self._groups.pop(name, None) or [0, 0]
            _count(counts, dead)
            self._groups[name] = counts
        while len(self._groups) > MOST:
            del self._groups[next(iter(self._groups))]

    @property
    def met_dead(self) -> bool:
        """Whether any link was dead. Where none was, each counts in full."""
        return self._all[0] > 0

    def chance(self, url: Url, via: Url | None = None) -> float:
        """That the link is dead."""
        chance, groups = min(_shrunk(self._all, PRIOR), DOUBT), self._groups
        for name in _groups_of(url):
            if (counts := groups.get(name)) is None:
                break  # and none within it: a group is remembered at least as long as those within
            chance = _shrunk(counts, chance)
        if via is not None and (counts := groups.get(f"<{via}")) is not None:
            chance = _shrunk(counts, chance)
        return chance

    def factor(self, url: Url, via: Url | None = None) -> float:
        """What is left of a score, in (0, 1]."""
        groups = self._groups
        host = groups.get(host_of(url))
        if (host is None or not host[0]) and not (via and groups.get(f"<{via}", _NOTHING)[0]):
            return 1.0  # most links, so this has to be quick
        return min(1.0, (1.0 - self.chance(url, via)) / (1.0 - DOUBT))

    # -- links that wait -------------------------------------------------------------------------------------

    def place(self, url: Url, factor: float) -> None:
        """Note with which factor a link waits."""
        self._placed.pop(url, None)
        if factor < 1.0:
            self._placed[url] = factor
            if len(self._placed) > MOST:
                del self._placed[next(iter(self._placed))]

    def placed(self, url: Url) -> float:
        """The factor with which a link waits."""
        return self._placed.get(url, 1.0)

    def says(self, url: Url, via: Url | None) -> str:
        """In how much doubt a link is, as part of a sentence; empty if it is in none."""
        if self.factor(url, via) == 1.0:
            return ""
        dead, tried = self._groups.get(host_of(url), _NOTHING)
        return (
            f"likely dead, by {100 * self.chance(url, via):.0f} % (of {tried:,} links to its host that were tried "
            f"{dead:,} were)"
        )

    def save(self) -> Mapping[str, Any]:
        groups = {name: list(counts) for name, counts in self._groups.items()}
        return {"all": list(self._all), "groups": groups, "placed": dict(self._placed)}

    def load(self, saved: Mapping[str, Any]) -> None:
        self._all = list(saved["all"])
        self._groups = {name: list(counts) for name, counts in saved["groups"].items()}
        self._placed = {Url(url): factor for url, factor in saved["placed"].items()}


_NOTHING: Final = [0, 0]


def _count(counts: list[int], dead: bool) -> None:
    counts[0] += dead
    counts[1] += 1


def _shrunk(counts: list[int], prior: float) -> float:
    dead, tried = counts
    return (dead + STRENGTH * prior) / (tried + STRENGTH)


def _groups_of(url: Url) -> Iterator[str]:
    """The groups of a URL, each within the one before: host, first directory, directory, kind of name there.

    Names that differ in digits only are of one kind, and so are those without digits that end alike.
    """
    _, _, host, path = url.split("/", 3)
    yield host
    path, asks, _ = path.partition("?")
    directory, _, name = path.rpartition("/")
    first = f"{host}/{directory.partition('/')[0]}/"
    yield first
    whole = f"{host}/{directory}/"
    if whole != first:
        yield whole
    kind, digits = _DIGITS.subn("0", name)
    if not digits:
        _, dot, ending = name.rpartition(".")
        kind = f"*{dot}{ending if dot else ''}"
    yield f"{whole}{kind}{asks}"

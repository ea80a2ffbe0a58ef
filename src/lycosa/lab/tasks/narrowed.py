"""Categories narrowed by the phrases that their pages share: of "faculty" those that are about "machine learning"."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from lycosa.lab.tasks.hubs import mean_cosine
from lycosa.lab.tasks.subjects import FORMS, KINDS
from lycosa.lab.webs.link_graph import Library
from lycosa.model.records import Record
from lycosa.model.url import Host, host_of
from lycosa.scoring.words.stopwords import ENGLISH
from lycosa.scoring.words.terms import stem, tokens
from lycosa.sources.labels import Label

Phrase = tuple[str, str]
"""Two stems."""


class NarrowRules(Record, frozen=True, kw_only=True):
    """Which phrases are subjects, and which pages are about one."""

    times: int = 2
    """A page is about a phrase that it has so often, or that its title has."""
    pages: tuple[int, int] = (6, 60)
    """Pages of a category about a phrase that make a narrower one, at least and at most."""
    hosts: int = 4
    """Hosts of these pages, at least: what few hosts write is the name of a place."""
    titled: int = 1
    """Hosts that have a page with the phrase in its title, at least: what names no page is a way of speaking."""
    bound: float = 0.1
    """The share of all pages that are about the phrase, over the product of the shares that have its words, at least:
    words that everybody uses meet by chance."""
    cohesion: tuple[float, float] = (0.06, 0.5)
    """Mean TF-IDF cosine of two of the pages, as for hubs."""


def narrowed(labels: Iterable[Label], library: Library, rules: NarrowRules | None = None) -> list[Label]:
    """A category below each of the labels for each phrase that enough of its pages are about, the most cohesive first.

    A phrase is two words next to each other, function words apart, of which neither tells what kind of page it is. Its
    name is the form that most pages use. Pages to which no link leads are left out, as nobody could find them.
    """
    return list(_Narrowing(library, rules or NarrowRules()).of(labels))


class _Narrowing:
    def __init__(self, library: Library, rules: NarrowRules) -> None:
        self._library, self._rules, self._graph = library, rules, library.graph()
        self._stems = _Stems()
        self._titled: dict[Phrase, set[Host]] = defaultdict(set)
        self._forms: dict[Phrase, Counter[str]] = defaultdict(Counter)
        """How each phrase is written, and on how many pages."""
        self._frequencies = library.frequencies()

    def of(self, labels: Iterable[Label]) -> Iterator[Label]:
        about = {label: self._about(label) for label in labels}
        found = {
            self._below(label, phrase, pages): pages
            for label, by_phrase in about.items()
            for phrase, pages in by_phrase.items()
            if self._is_subject(phrase, pages)
        }
        cohesion = {label: self._cohesion(pages) for label, pages in found.items()}
        for label in sorted(found, key=lambda label: (-cohesion[label], label.name)):
            if self._rules.cohesion[0] <= cohesion[label] <= self._rules.cohesion[1]:
                yield label

    def _about(self, label: Label) -> dict[Phrase, list[int]]:
        """The pages of a label about each phrase."""
        into, about = self._graph.backwards.indptr, defaultdict[Phrase, list[int]](list)
        for number in dict.fromkeys(map(self._library.index, label.pages)):
            if number is not None and into[number + 1] > into[number]:
                for phrase in self._noted(number):
                    about[phrase].append(number)
        return about

    def _noted(self, number: int) -> Iterator[Phrase]:
        """The phrases that a page is about, each once."""
        host = host_of(self._graph.urls[number])
        in_title = self._phrases(self._library.title(number))
        in_text = self._phrases(self._library.text(number))
        for phrase, (times, form) in (in_text | in_title).items():
            if phrase in in_title:
                self._titled[phrase].add(host)
            elif times < self._rules.times:
                continue
            self._forms[phrase][form] += 1
            yield phrase

    def _phrases(self, text: str) -> dict[Phrase, tuple[int, str]]:
        """All pairs of words that stand next to each other: how often, and the first of their forms by the alphabet."""
        found: dict[Phrase, tuple[int, str]] = {}
        stems = self._stems
        for pair, times in Counter(pairwise([word for word in tokens(text) if stems[word]])).items():
            phrase = stems[pair[0]], stems[pair[1]]
            if phrase[0] != phrase[1] and _NO_SUBJECTS.isdisjoint(phrase):
                form = " ".join(pair)
                before, least = found.get(phrase, (0, form))
                found[phrase] = before + times, min(form, least)
        return found

    def _is_subject(self, phrase: Phrase, pages: Sequence[int]) -> bool:
        rules = self._rules
        return (
            rules.pages[0] <= len(pages) <= rules.pages[1]
            and len(self._titled.get(phrase, ())) >= rules.titled
            and self._binds(phrase) >= rules.bound
            and len({host_of(self._graph.urls[number]) for number in pages}) >= rules.hosts
        )

    def _below(self, label: Label, phrase: Phrase, pages: Sequence[int]) -> Label:
        forms = self._forms[phrase]
        name = min(forms, key=lambda form: (-forms[form], form))
        return Label(path=(*label.path, name), pages=tuple(self._graph.urls[number] for number in pages))

    def _binds(self, phrase: Phrase) -> float:
        """P(one and other side by side) / (P(one) P(other))."""
        one, other = (self._frequencies.get(word, 1) for word in phrase)
        return self._forms[phrase].total() * len(self._graph) / (one * other)

    def _cohesion(self, pages: Sequence[int]) -> float:
        texts = [self._library.page(number).terms for number in pages]
        return mean_cosine(texts, self._frequencies, len(self._graph))


class _Stems(dict[str, str]):
    """Words with their stems, of function words an empty one; each is worked out once."""

    def __missing__(self, word: str) -> str:
        found = self[word] = "" if word in ENGLISH else stem(word)
        return found


_NO_SUBJECTS = FORMS | KINDS

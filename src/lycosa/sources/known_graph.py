"""Known graphs: pages of earlier crawls or recorded webs, what each is worth, and what links between them say."""

from __future__ import annotations

from array import array
from contextlib import ExitStack
from pathlib import Path

from lycosa.crawl.inputs import KnownGraph, KnownLink
from lycosa.model.errors import InputError
from lycosa.model.records import Page
from lycosa.model.url import Url
from lycosa.scoring.links.link_text import LinkTexts
from lycosa.scoring.words.terms import Counts
from lycosa.sources.earlier import Earlier, opened
from lycosa.sources.reading import Reading, is_url
from lycosa.spec.derived import start_url
from lycosa.strategies.parts.ledger import links_out

LINK_TEXTS = 100_000
"""Links whose words are kept, at most; of more every second one, every fourth, and so on. All links are kept."""


async def read_known_graph(reading: Reading) -> KnownGraph | None:
    """The graph of what `--learn-from` names; None if it names nothing.

    A page's reward is its relevance by the crawl's own topic model, 1 for a page that is given as an example. Raises
    `InputError` where no page with a reward is linked to.
    """
    places = reading.topic.learn_from
    if not places:
        return None
    survey = GraphSurvey(reading)
    with ExitStack() as open_places:
        earlier = [open_places.enter_context(opened(Path(place))) for place in places]
        for each in earlier:
            survey.expect(each)
        for each in earlier:
            survey.take_in(each)
    graph = survey.known_graph()
    if not any(graph.rewards[link.target] for link in graph.links):
        raise InputError(
            f"{', '.join(places)}: no page about the topic is linked to from another page there, so there is nothing "
            "to learn; name an earlier crawl that found some"
        )
    return graph


class GraphSurvey:
    """Pages, rewards and the links between pages, gathered one page after the other."""

    def __init__(self, reading: Reading) -> None:
        self._model = reading.model
        self._examples = {start_url(example) for example in reading.topic.examples if is_url(example)}
        self._numbers: dict[Url, int] = {}
        self._rewards: dict[int, float] = {}
        self._sources, self._targets = array("i"), array("i")
        self._texts: dict[int, Counts] = {}
        self._stride = 1

    def expect(self, earlier: Earlier) -> None:
        """Learn which URLs are pages, so that links to others can be passed over."""
        for url in earlier.urls():
            self._numbers.setdefault(url, len(self._numbers))
        for url, end in earlier.aliases():
            if end in self._numbers:
                self._numbers[url] = self._numbers[end]

    def take_in(self, earlier: Earlier) -> None:
        for page in earlier.pages():
            number = self._numbers[page.final_url]
            if number not in self._rewards:
                self._rewards[number] = self._reward(page)
                self._take_links(page, number)

    def _reward(self, page: Page) -> float:
        if page.url in self._examples or page.final_url in self._examples:
            return 1.0
        return self._model.relevance(page) if self._model is not None else 0.0

    def _take_links(self, page: Page, number: int) -> None:
        texts = LinkTexts(page)
        met = {number}
        for url, link in links_out(page).items():
            target = self._numbers.get(url)
            if target is None or target in met:
                continue
            met.add(target)
            place = len(self._sources)
            self._sources.append(number)
            self._targets.append(target)
            if place % self._stride == 0:
                self._texts[place] = texts.terms(link)
                if len(self._texts) > LINK_TEXTS:
                    self._stride *= 2
                    self._texts = {at: terms for at, terms in self._texts.items() if at % self._stride == 0}

    def known_graph(self) -> KnownGraph:
        """Pages in the order in which they became known; links to what turned out to be no page are left out."""
        urls = {number: url for url, number in reversed(self._numbers.items())}
        place = {number: at for at, number in enumerate(sorted(self._rewards))}
        return KnownGraph(
            pages=tuple(urls[number] for number in place),
            rewards=tuple(self._rewards[number] for number in place),
            links=tuple(
                KnownLink(source=place[source], target=place[target], terms=self._texts.get(at, {}))
                for at, (source, target) in enumerate(zip(self._sources, self._targets, strict=True))
                if target in place
            ),
        )

"""A crawl's topic: made from words and example pages once, kept in the folder as what it was made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from lycosa.build import start_url
from lycosa.crawl.inputs import Examples, Input, Query
from lycosa.crawl.ports import Clock, Web
from lycosa.crawl.topic import TopicModel
from lycosa.drive.page import page_of
from lycosa.drive.visit import Robots, Visitor
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Millis, Page, Record, Request, Response
from lycosa.model.url import Url, host_of
from lycosa.paths import folder_name
from lycosa.scoring.terms import query_terms
from lycosa.scoring.topic import topic_model
from lycosa.spec import CrawlSpec, TopicSpec, write_whole

MEDIA_TYPES = {".txt": "text/plain", ".md": "text/plain", ".xml": "application/xml"}


class TopicSource(Record, frozen=True, kw_only=True):
    """All that a topic model is made of: examples as term counts, so that no page has to be fetched again."""

    keywords: str = ""
    description: str = ""
    examples: tuple[Mapping[str, int], ...] = ()
    languages: tuple[str, ...] = ()

    def model(self) -> TopicModel:
        """Raises `InputError` if there is nothing to go by."""
        model = topic_model(self.keywords, self.description, self.examples)
        return InLanguages(model, self.languages) if self.languages else model

    def inputs(self) -> tuple[Input, ...]:
        """What the topic offers to strategies that need more than a page's relevance."""
        words = query_terms(self.keywords) or query_terms(self.description)
        query = (Query(terms=words),) if words else ()
        return (*query, Examples(pages=self.examples)) if self.examples else query


class InLanguages:
    """A topic for pages in given languages: a page in any other has relevance 0, one in an unknown is judged."""

    def __init__(self, topic: TopicModel, languages: tuple[str, ...]) -> None:
        self._topic, self._languages = topic, frozenset(languages)

    def relevance(self, page: Page) -> float:
        return self._topic.relevance(page) if self._fits(page) else 0.0

    def explain(self, page: Page) -> Mapping[str, float]:
        return self._topic.explain(page) if self._fits(page) else {f"language {page.language}": 0.0}

    def _fits(self, page: Page) -> bool:
        return not page.language or page.language in self._languages


async def topic_source(topic: TopicSpec, web: Web, robots: Robots | None, clock: Clock) -> TopicSource:
    """Read the examples, from files or from the web. Raises `InputError` for one that cannot be had."""
    examples = [await _example(example, web, robots, clock) for example in topic.examples]
    for example, page in zip(topic.examples, examples, strict=True):
        if not page.terms:
            raise InputError(f"example page {example}: has no words to go by")
    return TopicSource(
        keywords=" ".join(topic.keywords),
        description=topic.description,
        examples=tuple(dict(page.terms) for page in examples),
        languages=topic.languages,
    )


async def _example(example: str, web: Web, robots: Robots | None, clock: Clock) -> Page:
    if not example.startswith(("http://", "https://")):
        return _file(Path(example))
    visitor = Visitor(web, robots, None, lambda request, url: None, clock)
    visit = await visitor(Request(url=start_url(example), order=0))
    if isinstance(visit, Page):
        return visit
    raise InputError(f"example page {example}: cannot be fetched ({visit.reason.value}: {visit.detail})")


def _file(path: Path) -> Page:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"example page {path}: cannot be read: {error.strerror}") from None
    url = Url("http://example.invalid/")
    media_type = MEDIA_TYPES.get(path.suffix.lower(), "text/html")
    headers = (("Content-Type", media_type),)
    response = Response(url=url, status=200, headers=headers, body=body, fetched_at=Millis(0))
    return page_of(Request(url=url, order=0), response, None)


def save_topic(source: TopicSource, path: Path) -> None:
    write_whole(path, msgspec.json.format(msgspec.json.encode(source), indent=1))


def load_topic(path: Path) -> TopicSource:
    try:
        return msgspec.json.decode(path.read_bytes(), type=TopicSource)
    except (OSError, msgspec.MsgspecError) as error:
        raise FolderError(f"{path}: the crawl's topic cannot be read: {error}") from None


def default_folder(spec: CrawlSpec) -> Path:
    """Where a crawl goes that was told no place: a folder of the current one, named after the topic's words, else after
    the host of its first start page."""
    words = " ".join(spec.topic.keywords) or spec.topic.description
    return Path(folder_name(words or (host_of(start_url(spec.seeds[0])) if spec.seeds else "")))


def topic_words(spec: CrawlSpec) -> str:
    """The topic in a few words, for people."""
    topic = spec.topic
    likes = (f"pages like {example}" for example in topic.examples)
    return next((part for part in (" ".join(topic.keywords), topic.description, *likes) if part), "")

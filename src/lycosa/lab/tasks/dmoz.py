"""Tasks from a web directory in the RDF format of the Open Directory Project (DMOZ).

Two files, as they were published: ``content.rdf.u8`` has the sites of each topic with their editors' titles and
descriptions, ``structure.rdf.u8`` the hierarchy. The first is enough; the second tells leaves more surely. Both may be
packed with gzip. They are read as a stream: memory holds the topics that are kept, not the file.

After Menczer, Pant and Srinivasan, ACM TOIT 4(4), 2004, section 2.4: leaves with five or more external links, the words
of the hierarchy as keywords, the links as targets, the editors' texts as the hidden description.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError, iterparse

from lycosa.lab.tasks.labelled import keywords_of, slug
from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.link_graph import Library
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url, canonical

_CHILDREN = ("narrow", "narrow1", "narrow2")


class Site(Record, frozen=True, kw_only=True):
    """An external link of a topic, as an editor described it."""

    url: Url
    title: str = ""
    description: str = ""


class Leaf(Record, frozen=True, kw_only=True):
    """A topic of the directory without topics below it."""

    path: tuple[str, ...]
    """From below the top of the directory down."""
    sites: tuple[Site, ...]


class DmozRules(Record, frozen=True, kw_only=True):
    """Which topics of a directory make a task."""

    least: int = 5
    """External links of a topic that are in the web, at least."""
    below: str = ""
    """Only topics below this one, such as ``Top/Sports``."""
    prefix: str = ""


def read_directory(files: Sequence[Path], below: str = "") -> list[Leaf]:
    """The leaves of a directory, in the order of the file. Raises `InputError` that names file and line."""
    sites: dict[str, list[Site]] = {}
    inner: set[str] = set()
    for file in files:
        for element in _elements(file):
            if _local(element.tag) == "ExternalPage":
                _take_site(element, sites, below)
            else:
                _take_topic(element, inner)
    for topic in list(sites):
        parts = topic.split("/")
        inner.update("/".join(parts[:n]) for n in range(1, len(parts)))
    found = [
        Leaf(path=_path(topic), sites=tuple(listed)) for topic, listed in sites.items() if topic not in inner
    ]
    if not found:
        raise InputError(
            f"{', '.join(map(str, files))}: no topic with external links{' below ' + below if below else ''}"
        )
    return found


def from_directory(
    leaves: Iterable[Leaf], library: Library, rules: DmozRules | None = None
) -> Iterator[Task]:
    """A task for each leaf with enough sites in the web, without start pages (see `with_seeds`).

    Targets are the sites that the web holds; the description has the texts about all of them.
    """
    rules = rules or DmozRules()
    urls = library.graph().urls
    for leaf in leaves:
        numbers = (library.index(site.url) for site in leaf.sites)
        targets = tuple(dict.fromkeys(urls[number] for number in numbers if number is not None))
        words = keywords_of(part.replace("_", " ") for part in leaf.path)
        if len(targets) >= rules.least and words:
            yield Task(
                id=slug(" ".join((rules.prefix, *leaf.path))),
                keywords=words,
                description=" ".join(filter(None, (t for s in leaf.sites for t in (s.title, s.description)))),
                targets=targets,
            )


def _elements(file: Path) -> Iterator[Element]:
    """Topics and external pages one by one, each forgotten before the next."""
    try:
        with _opened(file) as stream:
            root: Element | None = None
            for event, element in iterparse(stream, ("start", "end")):
                if root is None:
                    root = element
                if event == "end" and _local(element.tag) in ("ExternalPage", "Topic"):
                    yield element
                    root.clear()
    except ParseError as error:
        line, column = error.position
        raise InputError(f"{file}, line {line}: no sound RDF at column {column + 1}: {error}") from None
    except (OSError, EOFError) as error:
        raise InputError(f"{file}: the directory cannot be read: {error}") from None


def _opened(file: Path) -> IO[bytes]:
    return gzip.open(file) if file.suffix == ".gz" else file.open("rb")  # type: ignore[return-value]


def _take_site(element: Element, sites: dict[str, list[Site]], below: str) -> None:
    texts = {_local(child.tag): " ".join((child.text or "").split()) for child in element}
    topic = texts.get("topic", "")
    if not topic or (below and topic != below and not topic.startswith(below.rstrip("/") + "/")):
        return
    try:
        url = canonical(_attribute(element, "about"))
    except InputError:  # editors listed ftp and news addresses too
        return
    listed = sites.setdefault(topic, [])
    if all(site.url != url for site in listed):
        listed.append(Site(url=url, title=texts.get("Title", ""), description=texts.get("Description", "")))


def _take_topic(element: Element, inner: set[str]) -> None:
    if any(_local(child.tag) in _CHILDREN for child in element):
        inner.add(_attribute(element, "id"))


def _path(topic: str) -> tuple[str, ...]:
    parts = tuple(filter(None, topic.split("/")))
    return parts[1:] if parts[:1] == ("Top",) else parts


def _local(name: str) -> str:
    """A name without its namespace: editions of the directory differ in those."""
    return name.rpartition("}")[2].rpartition(":")[2]


def _attribute(element: Element, name: str) -> str:
    return next((value for key, value in element.attrib.items() if _local(key) == name), "")

"""A map for other programs: JSON and GraphML."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

import msgspec

from lycosa.report.wording import clean
from lycosa.uses.map.places import Place, SiteMap

GRAPHML_KEYS = (
    ("url", "node", "string"),
    ("title", "node", "string"),
    ("relevance", "node", "double"),
    ("relevant", "node", "boolean"),
    ("step", "node", "int"),
    ("depth", "node", "int"),
    ("tree", "edge", "boolean"),
    ("anchor", "edge", "string"),
)


def as_json(site: SiteMap) -> bytes:
    """`nodes` with url, title, relevance, relevant, step, depth, parent (a node's id or null) and anchor; `links` with
    source, target and `tree`: whether it is the link by which the target was found."""
    nodes = [
        {
            "id": number,
            "url": place.url,
            "title": place.title,
            "relevance": place.relevance,
            "relevant": place.relevance >= site.relevant_from,
            "step": place.step,
            "depth": place.depth,
            "parent": place.parent,
            "anchor": place.anchor,
        }
        for number, place in enumerate(site.places)
    ]
    links = [{"source": source, "target": target, "tree": tree} for source, target, tree in _edges(site)]
    head = {"topic": site.topic, "site": site.site, "relevant_from": site.relevant_from, "pages": site.pages}
    return msgspec.json.encode({**head, "nodes": nodes, "links": links}) + b"\n"


def as_graphml(site: SiteMap) -> bytes:
    """GraphML (http://graphml.graphdrawing.org), as yEd, Gephi and networkx read it."""
    return "".join(line + "\n" for line in _graphml(site)).encode("utf-8", "replace")


def _graphml(site: SiteMap) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for name, of, kind in GRAPHML_KEYS:
        yield f'<key id="{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>'
    yield f'<graph id={quoteattr(_writable(site.topic) or "map")} edgedefault="directed">'
    for number, place in enumerate(site.places):
        yield f'<node id="n{number}">{_node(place, place.relevance >= site.relevant_from)}</node>'
    for source, target, tree in _edges(site):
        anchor = _fields(anchor=site.places[target].anchor) if tree else ""
        yield f'<edge source="n{source}" target="n{target}">{_fields(tree=_spelt(tree))}{anchor}</edge>'
    yield "</graph>"
    yield "</graphml>"


def _node(place: Place, relevant: bool) -> str:
    return _fields(
        url=place.url,
        title=place.title,
        relevance=f"{place.relevance:.6g}",
        relevant=_spelt(relevant),
        step=str(place.step),
        depth=str(place.depth),
    )


def _fields(**values: str) -> str:
    return "".join(
        f'<data key="{key}">{escape(_writable(value))}</data>' for key, value in values.items() if value
    )


def _spelt(truth: bool) -> str:
    return "true" if truth else "false"


def _edges(site: SiteMap) -> Iterator[tuple[int, int, bool]]:
    """Source, target, and whether the link is one of the tree. A link of the tree is told even if the page has changed
    since, and if it leads over pages that are not on the map."""
    for number, place in enumerate(site.places):
        if place.parent is not None:
            yield place.parent, number, True
    for number, place in enumerate(site.places):
        for target in place.links:
            if site.places[target].parent != number:
                yield number, target, False


def _writable(text: str) -> str:
    """Without what XML 1.0 cannot hold: control characters and the two non-characters at the end of the first plane."""
    return clean(text.replace("\ufffe", "").replace("\uffff", ""))

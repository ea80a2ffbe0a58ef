"""Taxonomies from JSON, TOML or folders of example pages."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from lycosa.crawl.inputs import Category, Taxonomy
from lycosa.model.decoding import from_json
from lycosa.model.errors import InputError
from lycosa.scoring.topics.taxonomy import ROOT, is_at_or_below, lineage
from lycosa.scoring.words.terms import Counts
from lycosa.sources.reading import Reading, evenly, is_url
from lycosa.spec.files import parse
from lycosa.spec.tree import Part

EXAMPLES = 30
"""Pages of one category that are read, evenly chosen from a longer list: more hardly change its word counts."""

ENOUGH = 2
"""Example pages that a good category has at least: of one alone its chance words would be the topic."""

NAMED = 5


class Node(Part, frozen=True, kw_only=True):
    """One category of a nested taxonomy."""

    name: str
    path: str = ""
    """Not looked at: names make the path. Other programs write it."""
    pages: tuple[str, ...] = ()
    """URLs or files of pages that belong to it."""
    children: tuple[Node, ...] = ()
    good: bool = False


class TaxonomyFile(Part, frozen=True, kw_only=True):
    """What a taxonomy file may hold: a tree of nodes, or a table of paths, or both.

    The outermost node is the root, whose name does not matter. Files are found from where the taxonomy lies.
    """

    name: str = ""
    path: str = ""
    pages: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()
    categories: Mapping[str, tuple[str, ...]] = {}
    """Pages by the path of their category, as in `"Sports/Cycling" = ["https://…", "tour.html"]`."""
    good: tuple[str, ...] = ()
    """Paths of the categories that the crawl is for."""
    builds_on: str = ""
    """Another taxonomy, to which this one adds."""
    features: Annotated[int, msgspec.Meta(ge=1)] | None = None
    selection: Literal["fisher", "information-gain"] | None = None
    textbook: bool | None = None


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """A taxonomy whose pages are not read yet."""

    pages: Mapping[str, tuple[str, ...]]
    """URLs and files by path, parents first, the root first of all."""
    good: tuple[str, ...] = ()
    settings: Mapping[str, int | str | bool] = {}


async def read_taxonomy(reading: Reading) -> Taxonomy | None:
    """The taxonomy that a topic names, with its good categories: those of the topic, else those of the file.

    Raises `InputError` for one that cannot be read, or by which nothing could be told apart.
    """
    place = reading.topic.taxonomy
    if not place:
        if reading.topic.good:
            raise InputError("categories are marked as good, but of which taxonomy? give it with --taxonomy")
        return None
    outline = outline_in(Path(place))
    good = checked_good(reading.topic.good or outline.good, outline.pages, place)
    taxonomy = await filled(_without_held_out(outline, reading, good), reading, good, place)
    _check_filled(taxonomy, place)
    return taxonomy


def _without_held_out(outline: Outline, reading: Reading, good: Sequence[str]) -> Outline:
    """Without the pages of good categories that are set aside to see whether the crawl finds them."""
    marked = [path for path in outline.pages if any(is_at_or_below(path, each) for each in good)]
    reading.told([page for path in marked for page in outline.pages[path]], reading.topic.hold_out)
    aside = frozenset(reading.set_aside)
    pages = {path: tuple(page for page in each if page not in aside) for path, each in outline.pages.items()}
    return msgspec.structs.replace(outline, pages=pages)


async def filled(outline: Outline, reading: Reading, good: Sequence[str], place: str) -> Taxonomy:
    """Read the pages of a taxonomy. What cannot be had is left out, and noted."""
    known: dict[str, Counts | None] = {}
    categories = []
    for path, pages in outline.pages.items():
        for page in evenly(pages, EXAMPLES):
            if page not in known:
                known[page] = await _terms(page, reading)
        found = (known[page] for page in evenly(pages, EXAMPLES))
        categories.append(Category(path=path, examples=tuple(terms for terms in found if terms is not None)))
    taxonomy = Taxonomy(categories=tuple(categories), good=tuple(good), **outline.settings)  # type: ignore[arg-type]
    reading.notes += _remarks(taxonomy, [page for page, terms in known.items() if terms is None], place)
    return taxonomy


async def _terms(page: str, reading: Reading) -> Counts | None:
    try:
        return dict((await reading.page(page)).terms)
    except InputError:
        return None


# -- what is written ---------------------------------------------------------------------------------------------


def outline_in(place: Path) -> Outline:
    """The categories of a file or folder, and which pages each has. Raises `InputError`."""
    if place.is_dir():
        pages = dict(_in_folders(place))
        if len(pages) < 2:
            raise InputError(
                f"taxonomy {place}: has no folders; make one for each category, with pages in it"
            )
        return Outline(pages=pages)
    return _in_file(place, ())


def _in_folders(top: Path, path: str = ROOT) -> Iterator[tuple[str, tuple[str, ...]]]:
    here = top / path
    inside = sorted(each for each in here.iterdir() if not each.name.startswith("."))
    yield path, tuple(str(each) for each in inside if each.is_file()) if path else ()
    for folder in filter(Path.is_dir, inside):
        yield from _in_folders(top, _below(path, folder.name))


def _in_file(place: Path, above: tuple[Path, ...]) -> Outline:
    if place.resolve() in above:
        raise InputError(f"taxonomy {place}: builds on itself; name another one in `builds_on`")
    file = _file(place)
    base = Outline(pages={ROOT: ()})
    if file.builds_on:
        below = place.parent / file.builds_on
        base = outline_in(below) if below.is_dir() else _in_file(below, (*above, place.resolve()))
    pages: dict[str, dict[str, None]] = {path: dict.fromkeys(each) for path, each in base.pages.items()}
    good = dict.fromkeys(base.good)
    for path, named, is_good in _written(file, place):
        for node in lineage(path):
            pages.setdefault(node, {})
        pages[path].update((page if is_url(page) else str(place.parent / page), None) for page in named)
        if is_good:
            good[path] = None
    settings = {name: getattr(file, name) for name in ("features", "selection", "textbook")}
    chosen = {name: value for name, value in settings.items() if value is not None}
    return Outline(
        pages={path: tuple(each) for path, each in pages.items()},
        good=tuple(dict.fromkeys(file.good)) or tuple(good),
        settings={**base.settings, **chosen},
    )


def _file(place: Path) -> TaxonomyFile:
    try:
        text = place.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"taxonomy {place}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"taxonomy {place}: is not UTF-8 text (byte {error.start})") from None
    if place.suffix.lower() == ".toml":
        return parse(text, TaxonomyFile, f"taxonomy {place}")
    try:
        return from_json(text, TaxonomyFile)
    except msgspec.MsgspecError as error:
        raise InputError(f"taxonomy {place}: {error}") from None


def _written(file: TaxonomyFile, place: Path) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Paths with their pages, and whether they are marked as good where they stand."""
    yield ROOT, file.pages, False
    waiting = [(ROOT, node) for node in reversed(file.children)]
    while waiting:
        above, node = waiting.pop()
        if not node.name or "/" in node.name:
            raise InputError(
                f"taxonomy {place}: a category below {above or 'the root'!r} is named {node.name!r}; "
                "give it a name without a slash"
            )
        path = _below(above, node.name)
        yield path, node.pages, node.good
        waiting += [(path, child) for child in reversed(node.children)]
    for path, pages in file.categories.items():
        yield path.strip("/"), pages, False


def _below(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


# -- what is asked of it -----------------------------------------------------------------------------------------


def checked_good(good: Iterable[str], paths: Collection[str], place: str) -> tuple[str, ...]:
    """The marked categories, each once. Raises `InputError` for none, an unknown one, or one above another."""
    marked = tuple(dict.fromkeys(path.strip("/") for path in good))
    if not marked:
        raise InputError(
            f"taxonomy {place}: no category is marked as good; mark what the crawl is for with --good"
        )
    for path in marked:
        if path not in paths:
            raise InputError(f"taxonomy {place}: there is no category {path!r}{closest_path(path, paths)}")
    for top in marked:
        for path in marked:
            if path != top and is_at_or_below(path, top):
                raise InputError(
                    f"taxonomy {place}: of the good categories {top or 'root'!r} lies above {path!r}; mark one of them"
                )
    return marked


def closest_path(path: str, paths: Collection[str]) -> str:
    """A suggestion, as the end of an error's sentence. What a category is called counts more than where it lies."""
    names: dict[str, str] = {}
    for known in paths:
        names.setdefault(known.lower(), known)
        names.setdefault(known.rpartition("/")[2].lower(), known)
    for asked in (path.lower(), path.rpartition("/")[2].lower()):
        if close := difflib.get_close_matches(asked, names, n=1, cutoff=0.6):
            return f"; did you mean {names[close[0]]!r}?"
    tops = [known for known in paths if known and "/" not in known]
    return f"; at the top there are: {', '.join(tops[:12])}{' …' if len(tops) > 12 else ''}"


def _check_filled(taxonomy: Taxonomy, place: str) -> None:
    counted = examples_below(taxonomy)
    for path in taxonomy.good:
        if (n := counted[path]) < ENOUGH:
            raise InputError(
                f"taxonomy {place}: the good category {path or 'root'!r} has {n or 'no'} example page"
                f"{'' if n == 1 else 's'}; give at least {ENOUGH}"
            )
    others = [c for c in taxonomy.categories if c.examples]
    if all(any(is_at_or_below(c.path, top) for top in taxonomy.good) for c in others):
        raise InputError(
            f"taxonomy {place}: all pages are in good categories, so there is nothing to tell these from; "
            "add categories of what the crawl is not for"
        )


def examples_below(taxonomy: Taxonomy) -> dict[str, int]:
    """Example pages at each category or below it."""
    counted: dict[str, int] = {}
    for category in taxonomy.categories:
        for path in lineage(category.path):
            counted[path] = counted.get(path, 0) + len(category.examples)
    return counted


def _remarks(taxonomy: Taxonomy, lost: Sequence[str], place: str) -> list[str]:
    counted = examples_below(taxonomy)
    told = []
    for what, paths in (
        ("no example page and are left out", [path for path, n in counted.items() if n == 0]),
        ("one example page only, which tells little", [path for path, n in counted.items() if n == 1]),
    ):
        if paths:
            told.append(f"taxonomy {place}: these categories have {what}: {_some(paths)}")
    if lost:
        told.append(f"taxonomy {place}: these example pages could not be had: {_some(lost)}")
    return told


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")

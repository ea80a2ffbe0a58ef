"""lycosa: a topical web crawler.

    >>> import lycosa
    >>> folder = lycosa.crawl("dinosaur fossil", ["http://schools.wiki.example/wp/Biosphere.html"],
    ...                       web="recorded:examples/sample-web", pages=60, out="dinosaurs")  # doctest: +SKIP
    >>> [page.title for page in folder.best(3)]  # doctest: +SKIP
    ['Dinosaur', 'Fossil', 'Feathered dinosaurs']

Importing this package is cheap: the parts are loaded when they are first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import lycosa.crawl as _room

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lycosa.api import acrawl as acrawl
    from lycosa.api import crawl as crawl
    from lycosa.api import go_on as resume
    from lycosa.api import open_folder as open
    from lycosa.folder import CrawlFolder as CrawlFolder
    from lycosa.spec import CrawlSpec as CrawlSpec

__all__ = ["CrawlFolder", "CrawlSpec", "__version__", "acrawl", "crawl", "open", "resume"]

_WHERE = {
    "CrawlFolder": ("lycosa.folder", "CrawlFolder"),
    "CrawlSpec": ("lycosa.spec", "CrawlSpec"),
    "acrawl": ("lycosa.api", "acrawl"),
    "open": ("lycosa.api", "open_folder"),
    "resume": ("lycosa.api", "go_on"),
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'lycosa' has no attribute {name!r}")
    module, attribute = _WHERE[name]
    return getattr(import_module(module), attribute)


class _CrawlRoom(ModuleType):
    """`lycosa.crawl` is the room where crawls think, and, called, the function that runs one."""

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        return import_module("lycosa.api").crawl(*arguments, **settings)


sys.modules[_room.__name__].__class__ = _CrawlRoom

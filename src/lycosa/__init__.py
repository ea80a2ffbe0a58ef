"""lycosa: a topical web crawler.

    >>> import lycosa
    >>> folder = lycosa.crawl("dinosaur fossil", ["http://schools.wiki.example/wp/Biosphere.html"],
    ...                       web="recorded:examples/sample-web", pages=60, out="dinosaurs")  # doctest: +SKIP
    >>> [page.title for page in folder.best(3)]  # doctest: +SKIP
    ['Dinosaur', 'Fossil', 'Feathered dinosaurs']

Importing this package is cheap: the parts are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lycosa.api import acrawl as acrawl
    from lycosa.api import aresume as aresume
    from lycosa.api import crawl as crawl
    from lycosa.api import open as open
    from lycosa.api import refresh as refresh
    from lycosa.api import resume as resume
    from lycosa.api import serve as serve
    from lycosa.crawls.folder import CrawlFolder as CrawlFolder
    from lycosa.crawls.interface import Folder as Folder
    from lycosa.crawls.start_pages import start_pages as start_pages
    from lycosa.spec.tree import CrawlSpec as CrawlSpec

__all__ = [
    "CrawlFolder",
    "CrawlSpec",
    "Folder",
    "__version__",
    "acrawl",
    "aresume",
    "crawl",
    "open",
    "refresh",
    "resume",
    "serve",
    "start_pages",
]

_WHERE = {
    "CrawlFolder": "lycosa.crawls.folder",
    "CrawlSpec": "lycosa.spec.tree",
    "Folder": "lycosa.crawls.interface",
    "acrawl": "lycosa.api",
    "aresume": "lycosa.api",
    "crawl": "lycosa.api",
    "open": "lycosa.api",
    "refresh": "lycosa.api",
    "resume": "lycosa.api",
    "serve": "lycosa.api",
    "start_pages": "lycosa.crawls.start_pages",
}

# Importing the room `lycosa.crawl` puts it here, under the name that the function is called by, but only the first
# time: from now on `lycosa.crawl` is looked up below, and who imports from the room finds it in `sys.modules`.
_room = import_module("lycosa.crawl")
globals().pop("crawl", None)

if not TYPE_CHECKING:  # type checkers read the imports above, and so report names that are not there

    def __getattr__(name: str) -> Any:
        if name not in _WHERE:
            raise AttributeError(f"module 'lycosa' has no attribute {name!r}")
        found = getattr(import_module(_WHERE[name]), name)
        if name == "crawl":  # the function has the room's names, for `import lycosa.crawl.strategy as s`
            found.__dict__ = _room.__dict__
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""What a strategy may need to be given besides its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lycosa.model.records import Record


class Input(Record, frozen=True, kw_only=True):
    """Base of all inputs. A strategy asks for one by a parameter of its constructor of that type (or that type or
    None, if it can do without); the crawl gives what the user's topic offers."""

    name: ClassVar[str] = ""
    """How the user knows it."""
    remedy: ClassVar[str] = ""
    """What to do when it is missing."""


class Query(Input, frozen=True, kw_only=True):
    """The topic in words: counts of their stems, stop words left out."""

    name: ClassVar[str] = "keywords"
    remedy: ClassVar[str] = "give the topic in words"

    terms: Mapping[str, int]


class Examples(Input, frozen=True, kw_only=True):
    """Pages about the topic, each as the counts of its terms."""

    name: ClassVar[str] = "examples"
    remedy: ClassVar[str] = "give pages about the topic with --like"

    pages: tuple[Mapping[str, int], ...]

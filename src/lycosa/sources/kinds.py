"""Which kinds of input there are besides words and examples, who reads each, and which of them judge pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from lycosa.crawl.inputs import (
    ContextGraph,
    Experience,
    Input,
    KnownGraph,
    Ontology,
    PageDatabase,
    Pickled,
    Predicate,
    PythonFunction,
    Ranking,
    Taxonomy,
    TrainedModel,
    UsageLog,
    WordFrequencies,
)
from lycosa.crawl.topic import TopicModel
from lycosa.model.decoding import from_msgpack
from lycosa.model.errors import FolderError
from lycosa.sources.reading import Reading
from lycosa.sources.trust import is_vouched_for
from lycosa.spec.files import write_whole

Reader = Callable[[Reading], Awaitable[Input | None]]
"""Reads what the topic names; None if it names nothing of the kind. Raises `InputError` for what cannot be used."""

Judge = Callable[[Any], TopicModel]
"""Makes a topic model of an input."""


class Kind(NamedTuple):
    """Where to find, as `module:function`, the reader of a kind and the maker of its topic model, if it judges."""

    reader: str
    judge: str = ""


KINDS: Mapping[type[Input], Kind] = {
    TrainedModel: Kind("lycosa.sources.models:read_model", "lycosa.scoring.topics.trained:topic_of"),
    Pickled: Kind("lycosa.sources.models:read_pickled", "lycosa.scoring.topics.users_own:pickled_topic"),
    Predicate: Kind(
        "lycosa.sources.models:read_predicate", "lycosa.scoring.topics.predicate:predicate_topic"
    ),
    PythonFunction: Kind(
        "lycosa.sources.models:read_function", "lycosa.scoring.topics.users_own:function_topic"
    ),
    Ontology: Kind("lycosa.sources.ontology:read_ontology", "lycosa.scoring.topics.ontology:topic_of"),
    WordFrequencies: Kind("lycosa.sources.words:read_word_frequencies"),
    Experience: Kind("lycosa.sources.experience:read_experience"),
    UsageLog: Kind("lycosa.sources.logs:read_usage_log"),
    PageDatabase: Kind("lycosa.sources.page_database:read_page_database"),
    Ranking: Kind("lycosa.sources.ranking:read_ranking"),
    Taxonomy: Kind("lycosa.sources.taxonomy:read_taxonomy", "lycosa.scoring.topics.taxonomy:topic_of"),
    ContextGraph: Kind("lycosa.sources.back_links:read_context_graph"),
    KnownGraph: Kind("lycosa.sources.known_graph:read_known_graph"),
}


async def read_inputs(
    reading: Reading, kinds: Iterable[type[Input]], table: Mapping[type[Input], Kind] = KINDS
) -> list[Input]:
    """The inputs of these kinds that the topic offers, in the table's order."""
    wanted = set(kinds)
    found = []
    for kind, where in table.items():
        if kind in wanted:
            read = cast("Reader", _at(where.reader))
            if (given := await read(reading)) is not None:
                found.append(given)
    return found


def judging_kinds(table: Mapping[type[Input], Kind] = KINDS) -> list[type[Input]]:
    return [kind for kind, where in table.items() if where.judge]


def judges(inputs: Iterable[Input], table: Mapping[type[Input], Kind] = KINDS) -> dict[str, TopicModel]:
    """The topic models that the inputs make, by the names of their kinds."""
    made = {}
    for given in inputs:
        where = table.get(type(given))
        if where is not None and where.judge:
            made[given.name] = cast("Judge", _at(where.judge))(given)
    return made


def save_inputs(inputs: Iterable[Input], folder: Path) -> None:
    """Keep inputs in a crawl's folder, one file a kind. Raises `OSError`."""
    for given in inputs:
        folder.mkdir(exist_ok=True)
        write_whole(_file(folder, type(given)), msgspec.msgpack.encode(given))


def load_inputs(folder: Path, table: Mapping[type[Input], Kind] = KINDS) -> list[Input]:
    """What `save_inputs` kept. Raises `FolderError` for a file that cannot be read."""
    found: list[Input] = []
    for kind in table:
        path = _file(folder, kind)
        try:
            if path.exists():
                found.append(_vouched_for(from_msgpack(path.read_bytes(), kind), path))
        except (OSError, msgspec.MsgspecError) as error:
            raise FolderError(f"{path}: the crawl's {kind.name} cannot be read: {error}") from None
    return found


def _vouched_for(given: Input, path: Path) -> Input:
    """The input, if loading it does nothing that the user has not agreed to."""
    if isinstance(given, Pickled) and not is_vouched_for(given):
        raise FolderError(
            f"{path}: is a pickled model, and loading it runs what is in it; "
            "nobody has vouched for it on this machine: "
            "begin a crawl of your own with --model and --trust-model if you know who made it"
        )
    return given


def _file(folder: Path, kind: type[Input]) -> Path:
    return folder / f"{kind.name.replace(' ', '-')}.msgpack"


def _at(place: str) -> object:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)

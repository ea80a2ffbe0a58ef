"""Readers of what judges pages by itself: trained and pickled models, predicates, functions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from lycosa.crawl.inputs import Pickled, Predicate, PythonFunction, TrainedModel
from lycosa.model.errors import InputError
from lycosa.scoring.topics.predicate import PredicateTopic, models_named
from lycosa.scoring.topics.trained import checked
from lycosa.scoring.topics.users_own import PickledTopic, function_at
from lycosa.sources.reading import Reading
from lycosa.sources.trust import vouch


async def read_model(reading: Reading) -> TrainedModel | None:
    """A model of `lycosa topic train`; None if the topic names none, or a file of another kind."""
    if not reading.topic.model:
        return None
    content = _json_in(body := _bytes_of(reading.topic.model))
    if content is None and not is_pickle(body):
        raise InputError(f"{reading.topic.model}: is no topic model; make one with lycosa topic train")
    return None if content is None else TrainedModel(content=checked(content, reading.topic.model))


async def read_pickled(reading: Reading) -> Pickled | None:
    """A pickled pipeline, if the user said that it can be trusted; None if the topic names none."""
    file = reading.topic.model
    if not file or not is_pickle(body := _bytes_of(file)):
        return None
    if not reading.topic.trust_model:
        raise InputError(
            f"{file}: is a pickled model, and loading it runs what is in it; "
            "give --trust-model if you know who made it"
        )
    given = Pickled(file=file, content=body)
    PickledTopic(given)
    vouch(given)
    return given


async def read_predicate(reading: Reading) -> Predicate | None:
    """The predicate with the contents of the models that it names."""
    expression = reading.topic.predicate
    if not expression:
        return None
    given = Predicate(
        expression=expression, models={file: model_in(file) for file in models_named(expression)}
    )
    PredicateTopic(given.expression, given.models)
    return given


async def read_function(reading: Reading) -> PythonFunction | None:
    if not reading.topic.function:
        return None
    function_at(reading.topic.function)
    return PythonFunction(dotted=reading.topic.function)


def model_in(file: str) -> Mapping[str, Any]:
    """The content of a file that `lycosa topic train` wrote. Raises `InputError`."""
    content = _json_in(_bytes_of(file))
    if content is None:
        raise InputError(f"{file}: is no topic model; make one with lycosa topic train")
    return checked(content, file)


def is_pickle(body: bytes) -> bool:
    """A pickle of protocol 2 or later, or one that joblib compressed (zlib, gzip, bz2, xz, lzma, lz4)."""
    return body.startswith(
        (b"\x80", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"\x1f\x8b", b"BZ", b"\xfd7zXZ", b"]\x00")
    )


def _bytes_of(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"{file}: the model cannot be read: {error.strerror}") from None


def _json_in(body: bytes) -> Any:
    """None for what is no JSON."""
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        return None

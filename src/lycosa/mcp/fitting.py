"""No answer is longer than an agent can bear, whatever it asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json

CAP: Final = 20_000
"""Characters of an answer, as text and as structure: each for itself."""

Answer = TypeVar("Answer", bound=BaseModel)


def length(answer: BaseModel) -> int:
    """The characters of an answer, written as the protocol's text."""
    return len(to_json(answer, indent=2).decode())


def fitted(most: int, answer: Callable[[int], Answer], cap: int = CAP) -> Answer:
    """The answer with as much as there is room for: with `most` items or characters, or the largest number below with
    which it is no longer than `cap`. `answer` gets longer with its number, and is short with 0."""
    whole = answer(most)
    if length(whole) <= cap:
        return whole
    fits, too_much = 0, most
    while too_much - fits > 1:
        middle = (fits + too_much) // 2
        if length(answer(middle)) <= cap:
            fits = middle
        else:
            too_much = middle
    return answer(fits)

"""What comes of a question to a language model. Apart from what asks: that takes aiohttp, a quarter of a second."""

from __future__ import annotations

from lycosa.model.records import Record


class Reply(Record, frozen=True, kw_only=True):
    """What a model said."""

    text: str
    tokens: int
    """That the call took, question and answer."""


class Unanswered(Record, frozen=True, kw_only=True):
    """A call that brought nothing."""

    why: str
    began: bool
    """Whether the model may have set to work: such a call may cost something."""

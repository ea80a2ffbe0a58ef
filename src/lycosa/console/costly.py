"""Answers that take long to make, kept for everybody who asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from threading import Lock, Thread
from typing import Final, Generic, NamedTuple, TypeVar

KEPT: Final = 8
"""Answers, the last that were asked for."""
SHARE: Final = 10
"""So many times as long as it took to make it an answer is kept, though there may be a newer one."""

Made = TypeVar("Made")


class _Answer(NamedTuple, Generic[Made]):
    version: Hashable
    made_at: float
    took: float
    answer: Made


class Costly(Generic[Made]):
    """Makes an answer again when what it is made of has changed; yet to make it takes at most a tenth of the time, so
    what is told may be out of date by some seconds. Nothing is made twice at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._answers: dict[Hashable, _Answer[Made]] = {}
        self._making: dict[Hashable, Lock] = {}
        self._makers: dict[Hashable, Thread] = {}
        self._faults: dict[Hashable, Exception] = {}
        self._lock = Lock()

    def of(self, key: Hashable, version: Hashable, make: Callable[[], Made]) -> Made:
        """The answer to what `key` names; `version` tells whether what it is made of has changed."""
        with self._lock:
            making = self._making.setdefault(key, Lock())
        with making:
            kept = self._answers.get(key)
            if kept is None or not self._holds(kept, version):
                began = self._clock()
                made = make()
                now = self._clock()
                kept = _Answer(version, now, now - began, made)
            self._keep(key, kept)
            return kept.answer

    def soon(self, key: Hashable, version: Hashable, make: Callable[[], Made], wait: float) -> Made | None:
        """The same if it is there within so many seconds; else what was there before, or None. It goes on being made,
        for whoever asks again, and if that fails it is they who are told."""
        kept = self._answers.get(key)
        if kept is not None and self._holds(kept, version):
            return kept.answer
        with self._lock:
            maker = self._makers.get(key)
            if maker is None or not maker.is_alive():
                if key in self._faults:
                    raise self._faults.pop(key)
                maker = Thread(target=self._made, args=(key, version, make), daemon=True)
                self._makers[key] = maker
                maker.start()
        maker.join(wait)
        kept = self._answers.get(key)
        return None if kept is None else kept.answer

    def _made(self, key: Hashable, version: Hashable, make: Callable[[], Made]) -> None:
        try:
            self.of(key, version, make)
        except Exception as fault:
            self._faults[key] = fault

    def _holds(self, kept: _Answer[Made], version: Hashable) -> bool:
        return kept.version == version or self._clock() - kept.made_at < SHARE * kept.took

    def _keep(self, key: Hashable, answer: _Answer[Made]) -> None:
        with self._lock:
            self._answers.pop(key, None)
            self._answers[key] = answer  # the last asked is the last to go
            while len(self._answers) > KEPT:
                gone = next(iter(self._answers))
                del self._answers[gone]
                if (making := self._making.get(gone)) is not None and not making.locked():
                    del self._making[gone]

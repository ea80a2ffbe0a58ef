"""What can go wrong in a way that a person must hear of. Each message says what, where and what to do."""

from __future__ import annotations


class LycosaError(Exception):
    """Base of all errors that lycosa raises on purpose; its text is one line for a person to read."""


class InputError(LycosaError):
    """Something the user gave cannot be used: an option, a file, a URL, a folder."""


class StrategyError(LycosaError):
    """A strategy raised or answered nonsense. The crawl halted before the step and can resume after the fix."""

    def __init__(self, step: int, what: str) -> None:
        super().__init__(f"the strategy failed at step {step}: {what}; nothing of that step was kept")
        self.step = step


class TopicError(LycosaError):
    """A page could not be judged, and the crawl was told to halt then. It can resume after the fix."""


class FolderError(LycosaError):
    """A crawl folder cannot be opened or written: missing, in use, of a newer version, out of space."""


class ArchiveError(LycosaError):
    """An archive elsewhere that a crawl goes by cannot be asked. The crawl halted, and can resume later."""

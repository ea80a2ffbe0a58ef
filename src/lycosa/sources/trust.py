"""Which pickled models this user has vouched for on this machine.

Loading a pickle runs what is in it. `--trust-model` is the user's word when a crawl begins; its folder keeps the model,
but not the word: a folder can come from anybody.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from lycosa.crawl.inputs import Pickled
from lycosa.model.errors import FolderError


def vouch(model: Pickled) -> None:
    """Keep the user's word for a model. Raises `FolderError` where that cannot be written."""
    place = _place()
    if not is_vouched_for(model):
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("a", encoding="ascii") as file:
                file.write(_digest(model) + "\n")
        except OSError as error:
            raise FolderError(f"{place}: cannot be written: {error.strerror}") from None


def is_vouched_for(model: Pickled) -> bool:
    """Whether this user has vouched for exactly this model."""
    try:
        return _digest(model) in _place().read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return False


def _digest(model: Pickled) -> str:
    return hashlib.sha256(model.content).hexdigest()


def _place() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "lycosa" / "trusted-models"

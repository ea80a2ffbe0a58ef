"""How often what chance decides is tried: a few times in `make test`, many more in a long night.

HYPOTHESIS_PROFILE=thorough python -m pytest tests/properties
"""

from __future__ import annotations

import os

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


def trials(few: int) -> int:
    """So many, or twenty times as many where time does not matter."""
    return 20 * few if THOROUGH else few

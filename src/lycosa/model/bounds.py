"""Numbers with bounds, as parameters and the specification have them."""

from __future__ import annotations

from typing import Annotated

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""From 0 to 1."""

ENDLESS = 1 << 40
"""A budget of pages that nothing uses up."""

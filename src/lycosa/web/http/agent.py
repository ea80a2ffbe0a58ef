"""What a crawler calls itself. Apart from `live`: a crawl of a recorded web has a name too, and no use for aiohttp,
which takes a quarter of a second to import."""

from __future__ import annotations

import re

from lycosa import __version__
from lycosa.model.errors import InputError

_TOKEN = re.compile(r"[A-Za-z_-]+")


def user_agent(contact: str = "", agent: str = f"lycosa/{__version__}") -> str:
    """The User-Agent: ``lycosa/0.1.0 (+https://example.org/bot; topical crawler)``.

    `agent` begins with the product token that robots.txt groups are matched with, of letters, ``_`` and ``-``
    (RFC 9309 2.2.1). `contact` is a URL or mail address by which the one who runs the crawl can be reached;
    without one the text says so. InputError for characters that would break the header.
    """
    if not _TOKEN.match(agent):
        raise InputError(f"user agent {agent!r}: begin with a name of letters, '_' or '-', as in mybot/1.0")
    for text in (agent, contact):
        if any(not 32 <= ord(character) < 127 or character in "()" for character in text):
            raise InputError(f"user agent {text!r}: leave out brackets and characters outside ASCII")
    reach = f"+{contact}" if contact.startswith(("http://", "https://")) else contact
    return f"{agent} ({reach or 'no contact given'}; topical crawler)"


def product_token(agent: str) -> str:
    """The name in a User-Agent by which robots.txt groups are chosen: ``lycosa`` of ``lycosa/0.1.0 (…)``."""
    found = _TOKEN.match(agent)
    return found.group() if found else agent

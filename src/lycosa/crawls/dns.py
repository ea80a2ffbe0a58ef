"""What the DNS history of a crawl tells of one name or address."""

from __future__ import annotations

from lycosa.crawls.answers import DnsAnswer
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.web.http.dns_history import DnsHistory


def dns_answer(history: DnsHistory, asked: str, at: Millis | None) -> DnsAnswer:
    """Raises `InputError` for what the history does not know at all."""
    value = asked.strip().lower().strip("[]").rstrip(".")
    rows = history.rows_of(value)
    if not rows:
        raise InputError(f"{asked}: the crawl did not meet it; lycosa dns DIR lists all that it met")
    is_name = rows[0].kind != "address"
    return DnsAnswer(
        asked=value,
        at=at,
        canonical=history.canonical(value, at) if is_name else "",
        addresses=history.answer(value, at) if is_name else (),
        names=history.aliases(value, at) if is_name else history.names(value, at),
        rows=rows,
    )

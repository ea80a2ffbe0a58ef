"""A card as Markdown.

It begins with the metadata that Hugging Face reads of a data set (Hub documentation, "Dataset cards"): named README.md
and put beside the file, it makes a folder that `datasets.load_dataset` opens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import asdict

from lycosa.crawls.corpus.selection import WHOLE
from lycosa.report.card import NO_VALUE, OTHERS, Card
from lycosa.report.wording import clean, counted

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~!$])")
_SIZES: Final = (
    (10**3, "n<1K"),
    (10**4, "1K<n<10K"),
    (10**5, "10K<n<100K"),
    (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"),
)
_MANY: Final = "10M<n<100M"
_ALL: Final = "All words of each page, menus and footers too."
_ERRS: Final = (
    "It is found by rules, and they err: some pages lose a part of it, and some keep a part of a menu."
)
_TEXTS: Final = {
    False: "No texts: only what the journal of the crawl knows of each page.",
    True: _ALL,
    "all": _ALL,
    "main": f"The main text of each page, without menus and the like. {_ERRS}",
    "markdown": f"The main text of each page as Markdown, without menus and the like. {_ERRS}",
}
_NOTHING: Final = "None."


def as_markdown(card: Card) -> str:
    """The card for people, with front matter in YAML for the Hugging Face Hub. What pages say in it is escaped."""
    parts = (
        _front(card),
        _head(card),
        _how(card),
        _left_out(card),
        _contents(card),
        _columns(card),
        _use(card),
    )
    return "\n\n".join(parts) + "\n"


def _front(card: Card) -> str:
    languages = [code for code in card.languages if re.fullmatch(r"[a-z]{2,3}", code)]
    size = next((name for most, name in _SIZES if card.pages < most), _MANY)
    said = {
        "pretty_name": clean(f"Web pages on {card.crawl.topic}"),
        "language": languages,
        "license": "other",
        "size_categories": [size],
        "configs": [{"config_name": "default", "data_files": card.file.name}],
        "dataset_info": {"features": list(_features(card))},
    }
    # JSON is YAML: so nothing that a topic holds can end a value.
    lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in said.items())
    return "\n".join(["---", *lines, "---"])


def _features(card: Card) -> Iterator[Mapping[str, str]]:
    """Said, as else they are guessed from the first pages: a column that is empty there would have no type."""
    is_parquet = card.file.format == "parquet"
    for name, kind in card.types.items():
        if kind == "list<string>" and card.file.format in ("jsonl", "parquet"):
            yield {"name": name, "list": "string"}
        elif kind == "time" and is_parquet:
            yield {"name": name, "dtype": "timestamp[ms, tz=UTC]"}
        else:
            yield {"name": name, "dtype": kind if kind in ("int64", "float64") else "string"}


def _head(card: Card) -> str:
    file, crawl = card.file, card.crawl
    fetched = "" if card.fetched is None else f", fetched from {card.fetched[0]} to {card.fetched[1]}"
    return (
        f"# Web pages on {_escaped(crawl.topic)}\n\n"
        f"`{file.name}`: {counted(card.pages, 'page')} of {counted(card.number_of_hosts, 'host')}, "
        f"{counted(card.words, 'word')}, {counted(file.bytes, 'byte')}{fetched}.\n\n"
        f"{_TEXTS[card.selection.text]}\n\n"
        f"sha256 of the file: `{file.sha256}`"
    )


def _how(card: Card) -> str:
    crawl = card.crawl
    pairs = {
        "crawl": _escaped(crawl.name),
        "topic": _escaped(crawl.topic),
        "start pages": ", ".join(map(_escaped, crawl.start_pages[:20])),
        "strategy": _escaped(crawl.strategy),
        "web": _escaped(crawl.web),
        "time of the crawl": f"{crawl.began_at} to {crawl.ended_at}" if crawl.began_at else "",
        "pages of the crawl": f"{crawl.pages:,}",
        "crawled with": f"lycosa {_escaped(crawl.lycosa)}",
        "exported with": f"lycosa {_escaped(card.lycosa)}, {card.file.written_at}",
        "command": _escaped(card.command),
    }
    return "## How it came to be\n\n" + _table(
        ("", ""), ((name, told) for name, told in pairs.items() if told)
    )


def _left_out(card: Card) -> str:
    chosen, usual = asdict(card.selection), asdict(WHOLE)
    rules = [
        (name, _shown(value)) for name, value in chosen.items() if value != usual[name] and name != "text"
    ]
    asked = _table(("asked for", ""), rules) if rules else "Nothing was asked to be left out."
    out = (
        _table(("left out by", "pages"), card.left_out.items()) if card.left_out else "No page was left out."
    )
    copies = (
        _table(("named in the file", "pages"), card.copies.items())
        if card.copies
        else "No page is named a copy."
    )
    return f"## What was left out\n\n{asked}\n\n{out}\n\n{copies}"


def _contents(card: Card) -> str:
    tables = {
        "language": card.languages,
        "licence": card.licences,
        "rights": card.rights,
        "media type": card.media_types,
        "kind": card.kinds,
        "host": card.hosts,
    }
    known = {name: counts for name, counts in tables.items() if set(counts) - {NO_VALUE, OTHERS}}
    told = [_table((name, "pages"), counts.items()) for name, counts in known.items()]
    return "\n\n".join(["## What it holds", *told])


def _columns(card: Card) -> str:
    return "## Columns\n\n" + _table(("column", "meaning"), card.columns.items(), is_ours=True)


def _use(card: Card) -> str:
    unread = "\n".join(f"* {_escaped(line)}" for line in card.unread) or _NOTHING
    return (
        "## What is to be known before it is used\n\n"
        "The pages are other people's works. That a page could be fetched is no licence: the columns `licences` and "
        "`rights` tell what pages and their servers say, and most say nothing. Pages may hold personal data, and texts "
        "that are wrong or hostile.\n\n"
        f"Records that could not be read:\n\n{unread}\n\n"
        "## How to cite it\n\n"
        f"{_escaped(card.cite)}\n\n"
        "One page is cited with the day on which it was read: `archive:20261120/http://example.org/`. The archive of "
        "the crawl answers to that."
    )


def _table(heads: tuple[str, str], rows: Iterable[tuple[str, Any]], *, is_ours: bool = False) -> str:
    """Two columns. Names are escaped unless they are ours; values are as they are to stand there."""
    lines = [f"| {heads[0]} | {heads[1]} |", "| --- | --- |"]
    for name, value in rows:
        shown = f"{value:,}" if isinstance(value, int) else value
        lines.append(f"| {f'`{name}`' if is_ours else _escaped(name)} | {shown} |")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    return ", ".join(map(_escaped, value)) if isinstance(value, (tuple, list)) else _escaped(str(value))


def _escaped(text: str) -> str:
    """Text in which Markdown sees none of its signs."""
    return _SPECIAL.sub(r"\\\1", clean(text)).replace("\\<", "&lt;")

"""The specification and its parts in TOML files: read with errors that a person can use, and written whole."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.spec.tree import FORMAT, CrawlSpec, Part, PartType, is_part


def load(path: Path, kind: type[PartType]) -> PartType:
    """Read a part from a TOML file. Raises `InputError` that names the file, the line and what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    if kind is CrawlSpec and (lacking := _lacking(text)):
        raise InputError(
            f"{path}: {lacking} is missing, so the file is cut or not a crawl's; bring back a copy of it"
        )
    return parse(text, kind, str(path))


YOUNGER = ("stop", "dead", "judge", "revisit", "cluster", "render", "requisites", "archives")
"""Parts that came later, in this order: specifications of earlier versions lack them."""


def _lacking(text: str) -> str:
    """Which of the parts is not there that are written of every crawl, empty if all are or if it is no TOML at all.

    Without this an empty file would be a specification: of another crawl, on the live web.
    """
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return ""
    parts = [field.name for field in msgspec.structs.fields(CrawlSpec) if is_part(field.type)]
    parts = [name for name in parts if name not in YOUNGER]
    if any(name in tree for name in YOUNGER):
        parts.append("stop")
    if absent := [name for name in ("format", "lycosa", "seeds", *parts) if name not in tree]:
        return absent[0]
    last, line = ("stop", "after") if "stop" in tree else ("archive", "revisit_records")
    part = tree[last]
    return "" if not isinstance(part, dict) or line in part else f"{last}.{line}"  # the last line of all


def parse(text: str, kind: type[PartType], name: str) -> PartType:
    """Read a part from TOML text; `name` says in errors where the text came from."""
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: is not TOML: {error}") from None
    if (version := tree.get("format", FORMAT)) != FORMAT and kind is CrawlSpec:
        raise InputError(
            f"{name}: written in format {version}, this lycosa reads {FORMAT}; use a newer lycosa"
        )
    try:
        return converted(tree, kind)
    except msgspec.ValidationError as error:
        raise InputError(_explain(str(error), text, kind, name)) from None


def save(spec: Part, path: Path) -> None:
    """Write a part as TOML, all values spelt out; what is None is left out."""
    write_whole(path, tomli_w.dumps(_without_none(msgspec.to_builtins(spec))).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write a small file so that a crash, at whatever moment, leaves the old one or the new one."""
    new = unfinished(path)
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def unfinished(path: Path) -> Path:
    """Where a file is written before it takes its place."""
    return path.with_name(f".{path.name}.new")


def _without_none(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _without_none(value) for key, value in tree.items() if value is not None}
    return list(tree) if isinstance(tree, tuple) else tree


def _explain(message: str, text: str, kind: type[Part], name: str) -> str:
    """msgspec names the place by a path such as `$.scope.hosts[0]`; a person looks for a line."""
    what, _, where = message.partition(" - at `$")
    path = [part for part in re.split(r"[.\[\]`]+", where) if part and not part.isdigit() and part != "..."]
    if unknown := re.search(r"unknown field `(.*?)`", what):
        key = unknown[1]
        what = f"there is no key {key!r} here{_closest(key, _fields_at(kind, path))}"
        path = [*path, key]
    line = _line_of(path, text)
    return (
        f"{name}{f', line {line}' if line else ''}: {f'{path[-1]}: ' if path and not unknown else ''}{what}"
    )


def _fields_at(kind: type[Part], path: list[str]) -> list[str]:
    for step in path:
        types = {field.name: field.type for field in msgspec.structs.fields(kind)}
        if not is_part(types.get(step)):
            return []
        kind = types[step]
    return [field.name for field in msgspec.structs.fields(kind)]


def _line_of(path: list[str], text: str) -> int | None:
    """The line on which a key of a table is set."""
    table, wanted = "", (".".join(path[:-1]), path[-1] if path else "")
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
            table = header[1].replace('"', "").replace(" ", "")
            if table == ".".join(path):
                return number
        elif (key := re.match(r"\s*([\w.\"'-]+)\s*=", line)) and (
            (table, key[1].strip("\"'")) == wanted or f"{table}.{key[1]}".lstrip(".") == ".".join(path)
        ):
            return number
    return None


def _closest(name: str, among: list[str]) -> str:
    close = difflib.get_close_matches(name, among, n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""

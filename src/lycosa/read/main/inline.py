"""The words of one block as Markdown: emphasis, code, links and line breaks (CommonMark 0.31, chapter 6)."""

from __future__ import annotations

import re
from typing import Final

from lycosa.read.boxes.outline import BREAK, CODE_END, LINK, LINK_END, STYLES, Run
from lycosa.read.resolve import LinkResolver

_MARKS = re.compile("(\0.)")
_SPECIAL = re.compile(r"[\\`*_\[\]<>~|]|&(?=[#A-Za-z])|!(?=\[|$)")
_BEGINS_BLOCK = re.compile(r"(?=[#+=-])|\d{1,9}(?=[.)](?:\s|$))")
_BLANKS = re.compile(r"\s+")
_SIGNS: Final = {"em": "*", "strong": "**", "code": "`"}


def inline(run: Run, resolver: LinkResolver) -> list[str]:
    """The lines of a run, at least one. Links are absolute; those that lead nowhere else are mere words."""
    if "\0" not in run.raw:
        return [safe(escaped(run.text))]
    lines = (" ".join(line.split()) for line in _Pieces(run, resolver).written().split("\n"))
    return [safe(line) for line in lines if line] or [""]


def escaped(text: str) -> str:
    """Text in which no sign means anything to Markdown, unless it begins a line."""
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)


def safe(line: str) -> str:
    """A line that begins no heading, list, rule or underlining."""
    found = _BEGINS_BLOCK.match(line)
    return f"{line[: found.end()]}\\{line[found.end() :]}" if found else line


def fence(text: str, least: int) -> str:
    """Backticks, more than the text has in a row."""
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))


class _Pieces:
    """Writes what stands between the marks, and closes what they open. Marks that overlap mean nothing."""

    def __init__(self, run: Run, resolver: LinkResolver) -> None:
        self._raw = run.raw
        self._hrefs = iter(run.hrefs)
        self._resolver = resolver
        self._out: list[str] = []
        self._open: list[tuple[str, str, int]] = []
        """The mark that closes it, the sign or the URL that it is written with, and where in `_out` it began."""

    def written(self) -> str:
        for piece in filter(None, _MARKS.split(self._raw)):
            if piece[:1] != "\0":
                words = _BLANKS.sub(" ", piece)
                self._out.append(words if self._in_code else escaped(words))
            elif piece == BREAK:
                self._out.append(" " if self._open else "\n")
            elif piece == LINK:
                url = self._resolver.resolve(next(self._hrefs, "")) or ""
                self._open.append((LINK_END, "" if self._in_code else url, len(self._out)))
            elif piece in STYLES:
                name, end = STYLES[piece]
                self._open.append((end, "" if self._in_code else _SIGNS[name], len(self._out)))
            elif self._open and self._open[-1][0] == piece:
                self._close()
        while self._open:
            self._close()
        return "".join(self._out)

    @property
    def _in_code(self) -> bool:
        return any(end == CODE_END for end, _, _ in self._open)

    def _close(self) -> None:
        _, sign, since = self._open.pop()
        inside = "".join(self._out[since:])
        del self._out[since:]
        if words := inside.strip():
            start = inside.index(words[0])
            before = "".join(self._out[-1:]) if start == 0 else ""
            self._out.append(f"{inside[:start]}{_signed(words, sign, before)}{inside[start + len(words) :]}")
        else:
            self._out.append(inside)


def _signed(words: str, sign: str, before: str) -> str:
    """Words between signs, or as a link. Signs next to such signs would be taken for one, so they are left out; and
    emphasis that does not begin and end with letters would not always count as such."""
    if not sign:
        return words
    touches = before[-1:] == sign[0]
    if sign == "`":
        ticks = fence(words, 1)
        edge = " " if "`" in (words[0], words[-1]) else ""
        return escaped(words) if touches else f"{ticks}{edge}{words}{edge}{ticks}"
    if sign in ("*", "**"):
        return f"{sign}{words}{sign}" if words[0].isalnum() and words[-1].isalnum() and not touches else words
    url = sign.replace("|", "%7C")
    return f"[{words}](<{url}>)" if "(" in url or ")" in url else f"[{words}]({url})"

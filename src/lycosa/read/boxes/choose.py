"""Which runs of a page are its main text."""

from __future__ import annotations

from lycosa.read.boxes.hints import CONTENT, CUT
from lycosa.read.boxes.outline import Box, Run, outline
from lycosa.read.markup import parse

LONG = 25
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def main_of(markup: str) -> str:
    """The main text of a page: one block a line."""
    return "\n".join(run.text for run in choose(outline(parse(markup).root)))


def choose(page: Box) -> list[Run]:
    runs = list(page.runs())
    _measure(page)
    total = page.prose
    for box in page.boxes():
        above = box.above
        if (above is not None and above.cut) or (box.hint == CUT and not (total and box.prose > 0.4 * total)):
            box.cut = True
    _weigh(page)
    top = _top(page)
    chosen = [run for run in top.runs() if not run.box.cut and not _linky(run, top)]
    return chosen or [run for run in runs if not run.box.cut] or runs


def _weight(run: Run) -> float:
    length = len(run.text)
    if length < LONG or run.box.tag in HEADINGS:
        return 0.0
    free = 1 - run.linked / length
    return free * free * (1 + min(length / 100, 3.0) + min(run.text.count(","), 5) * 0.5)


def _measure(page: Box) -> None:
    for box in reversed(list(page.boxes())):
        for item in box.items:
            if isinstance(item, Run):
                length = len(item.text)
                box.letters += length
                box.linked += item.linked
                if length >= 80 and item.linked < 0.4 * length:
                    box.prose += length
            else:
                box.letters += item.letters
                box.linked += item.linked
                box.prose += item.prose


def _weigh(page: Box) -> None:
    for box in page.boxes():
        if box.cut:
            continue
        for item in box.items:
            if isinstance(item, Run):
                w = _weight(item)
                at: Box | None = box
                share = 1.0
                if box.tag in ("p", "li", "blockquote", "pre", "td") and box.above:
                    at = box.above
                while at is not None and share > 0.1:
                    at.weight += w * share
                    share *= 0.6
                    at = at.above


def _top(page: Box) -> Box:
    best = page
    most = 0.0
    for box in page.boxes():
        if box.cut or not box.letters or box.tag in ("tr", "tbody"):
            continue
        score = box.weight * (1 - box.linked / box.letters) * (1.3 if box.hint == CONTENT else 1)
        if score > most:
            best, most = box, score
    return best


def _linky(run: Run, top: Box) -> bool:
    return (
        run.linked > 0.6 * len(run.text) and run.box is not top and run.box.tag in ("li", "div", "p", "span")
    )

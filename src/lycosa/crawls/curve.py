"""How the frontier grew: a curve of bounded size, kept while the crawl goes on."""

from __future__ import annotations

import msgspec

from lycosa.model.decoding import from_json

MOST = 512
"""Points kept. Beyond that every other one goes, and from then on half as many are taken."""


class Curve:
    """Samples of how many URLs wait, by the number of pages fetched.

    Invariants, each the name of a property test:

    * bounded: never more than `MOST` points, however many pages.
    * even: neighbouring points are `stride` pages apart, and the first is the first page's.
    """

    def __init__(self, stride: int = 1, points: list[tuple[int, int]] | None = None) -> None:
        self.stride = stride
        self.points: list[tuple[int, int]] = [] if points is None else points

    @classmethod
    def load(cls, saved: str | None) -> Curve:
        """The curve that `save` wrote; a new one if there is none."""
        if not saved:
            return cls()
        stride, points = from_json(saved, tuple[int, list[tuple[int, int]]])
        return cls(stride, points)

    def save(self) -> str:
        return msgspec.json.encode((self.stride, self.points)).decode()

    def add(self, pages: int, waiting: int) -> None:
        """Take a sample if one is due. A page that was counted already is passed over."""
        if pages < 1 or (pages - 1) % self.stride or (self.points and pages <= self.points[-1][0]):
            return
        self.points.append((pages, waiting))
        if len(self.points) > MOST:
            del self.points[1::2]
            self.stride *= 2

"""How like many texts are to a few queries, of which most texts hold no word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.links.smoothing import Floats, Ints, begins, greatest_by_owner
from lycosa.strategies.hunter.hunting import HUNTING
from lycosa.strategies.hunter.texts import SomeTexts, TextRows, Texts, joined
from lycosa.strategies.parts.columns import SparseTable, bytes_of, room_for, with_column

Taken = tuple[Texts | SomeTexts, Ints | int, SparseTable]
"""New texts, which table takes what they are alike to, and where: see `take_alike`."""
_LEAST = 1e-9
_ALL = slice(None)
BLOCK = 1 << 20
"""Terms of texts from which on it is told first which of them count at all."""
AT_ONCE = 1 << 16
"""Terms that are unpacked at once: as many as stay near the processor."""


class Queries:
    """Weights of terms in several columns, nearly all of them 0, and the cosines of texts with each column.

    A term counts in texts by its rarity. Terms that came after the rarities are in no column, and as rare as any.
    Memory: 12 bytes a term, and 8 for each column of a term that is in some.

    Invariant, the name of a property test:

    * no shortcut shows: the cosines are those that whole matrices give.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.weigh(np.zeros(0))

    def weigh(self, rarity: Floats) -> None:
        """Terms count by these rarities, by number, from now on. All columns are empty."""
        self._weighed = len(rarity)
        self._rarest = float(rarity.max()) if len(rarity) else 1.0
        self._rarity = np.append(rarity, self._rarest)
        self._rows = np.zeros(
            len(rarity) + 1, dtype=np.int32
        )  # of each term its row in the table; 0: in no column
        self._table = np.zeros((1, self.columns))

    def grow_to(self, terms: int) -> None:
        """Room for so many terms."""
        self._rarity = room_for(terms + 1, self._rarity, self._rarest)
        self._rows = room_for(terms + 1, self._rows)

    @property
    def rarity(self) -> Floats:
        """Of the terms that were weighed."""
        return self._rarity[: self._weighed]

    def put(self, column: int, weights: Floats) -> None:
        """Set an empty column: the weight of each term that was weighed."""
        terms = np.flatnonzero(weights)
        self.put_some(column, terms, weights[terms])

    def put_some(self, column: int, terms: Ints, weights: Floats) -> None:
        """Set an empty column: the weights of these terms, which ascend; all others weigh nothing."""
        new = terms[self._rows[terms] == 0]
        self._rows[new] = np.arange(len(self._table), len(self._table) + len(new), dtype=np.int32)
        self._table = np.concatenate([self._table, np.zeros((len(new), self.columns))])
        self._table[self._rows[terms], column] = weights

    def insert(self, column: int) -> None:
        """Have one more column, an empty one, before those from this place on."""
        self.columns += 1
        self._table = with_column(self._table, column)

    def column(self, column: int) -> Floats:
        """The weight of each term."""
        found: Floats = self._table[self._rows[: self._weighed], column]
        return found

    def save(self) -> Mapping[str, Any]:
        return {
            "rarity": bytes_of(self.rarity),
            "rows": bytes_of(self._rows[: self._weighed]),
            "table": bytes_of(self._table),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.weigh(np.frombuffer(state["rarity"], dtype=np.float64))
        self._rows[: self._weighed] = np.frombuffer(state["rows"], dtype=np.int32)
        self._table = np.frombuffer(state["table"], dtype=np.float64).reshape(-1, self.columns).copy()

    def weighed(self, texts: Texts | TextRows, *, short: bool = False) -> WeighedTexts:
        """Texts whose terms count by these rarities; there must be room for all of them."""
        return WeighedTexts(texts, short=short)

    def cosines(self, texts: WeighedTexts, part: slice = _ALL) -> tuple[Ints, Floats]:
        """Of some texts those with a term of some columns, ascending, and the cosines of each with these columns.

        Σ_t x_t w_t q_t / √Σ_t (x_t w_t)² for a text x, rarities w and a column q of length 1.
        """
        strict = part != _ALL or texts.is_long
        if HUNTING is not None:
            first, end, _ = part.indices(self.columns)
            given = texts.whole, self._rarity, self._rows, self._table, texts.known
            in_bytes = HUNTING.cosines(*given, self.columns, first, end, strict)
            return np.frombuffer(in_bytes[0], np.int64), np.frombuffer(in_bytes[1]).reshape(-1, end - first)
        table = self._table[:, part]
        wanted = (table != 0).any(axis=1)[self._rows] if strict else self._rows
        found = []
        for some in texts.blocks():
            known = np.zeros(some.stop - some.start) if texts.known is None else texts.known[some]
            like, cosines = self._of_some(texts.between(some), known, table, wanted)
            found.append((like + some.start, cosines))
        return np.concatenate([like for like, _ in found]), np.concatenate([cosines for _, cosines in found])

    def _of_some(
        self, texts: Texts, known: Floats, table: Floats, wanted: NDArray[Any]
    ) -> tuple[Ints, Floats]:
        (hits,) = wanted[texts.terms].nonzero()
        if not len(hits):
            return hits, np.zeros((0, table.shape[1]))
        owners = texts.bounds.searchsorted(hits, side="right") - 1
        firsts = begins(owners)
        like, terms = owners[firsts], texts.terms[hits]
        products = (texts.weights[hits] * self._rarity[terms])[:, None] * table[self._rows[terms]]
        lengths = self._lengths(texts, known, like)
        return like, np.add.reduceat(products, firsts, axis=0) / lengths[:, None]

    def _lengths(self, texts: Texts, known: Floats, places: Ints) -> Floats:
        """√Σ_t (x_t w_t)² of some texts, none of them empty. Each is worked out once, and then `known`."""
        new = places[known[places] == 0]
        bounds = texts.bounds
        if 2 * len(new) > len(known):
            filled = (bounds[1:] > bounds[:-1]).nonzero()[0]
            known[filled] = self._worked_out(texts.terms, texts.weights, bounds[filled])
        elif len(new):
            counts = bounds[new + 1] - bounds[new]
            starts = np.cumsum(counts) - counts
            whole = np.repeat(bounds[new] - starts, counts) + np.arange(counts.sum())
            known[new] = self._worked_out(texts.terms[whole], texts.weights[whole], starts)
        return known[places]

    def _worked_out(self, terms: Ints, weights: NDArray[np.floating[Any]], starts: Ints) -> Floats:
        values = self._rarity[terms]
        values *= weights
        squares = np.add.reduceat(np.square(values, out=values), starts)
        found: Floats = np.maximum(np.sqrt(squares), _LEAST)
        return found

    def take(self, own: Sequence[Texts | SomeTexts], others: Sequence[Taken]) -> list[Floats]:
        """The cosines of `own` texts, of each those that are alike with all columns; of all others tables take them.

        All are worked out together: for few texts the calls take longer than the work.
        """
        if HUNTING is None:
            alike = self._cosines_of([*own, *(texts for texts, _, _ in others)])
            for (_, owners, table), found in zip(others, alike[len(own) :], strict=True):
                take_alike(table, owners, *found)
            return [found for _, found in alike[: len(own)]]
        given: list[Any] = [(_packed(texts), None) for texts in own]
        given += [
            (_packed(texts), (owners, *table.taking(texts.how_many))) for texts, owners, table in others
        ]
        found = HUNTING.all_cosines(given, self._rarity, self._rows, self._table, self.columns)
        for (_, _, table), used in zip(others, found[len(own) :], strict=True):
            table.used = used
        return [np.frombuffer(cosines).reshape(-1, self.columns) for _, cosines in found[: len(own)]]

    def _cosines_of(self, several: Sequence[Texts | SomeTexts]) -> list[tuple[Ints, Floats]]:
        """`cosines` of each."""
        unpacked = [texts.unpacked() if isinstance(texts, SomeTexts) else texts for texts in several]
        like, found = self.cosines(self.weighed(joined(unpacked)))
        ends = np.cumsum([len(texts.bounds) - 1 for texts in unpacked])
        until = np.searchsorted(like, ends).tolist()
        parts = zip([0, *until], until, [0, *ends.tolist()], strict=False)
        return [(like[since:end] - start, found[since:end]) for since, end, start in parts]


def _packed(texts: Texts | SomeTexts) -> tuple[Any, ...]:
    """As the compiled form takes them."""
    return texts.packed() if isinstance(texts, SomeTexts) else texts


def take_alike(table: SparseTable, owners: Ints | int, like: Ints, values: Floats) -> None:
    """Take in the cosines of new texts, told by their places: they raise the rows of their `owners` to the greatest of
    what several hold; or each is the row of its own that is as far behind the first one. A table of fewer columns has
    the first ones, and those texts that hold nothing there are left out."""
    if values.shape[1] > table.width:
        values = values[:, : table.width]
        telling = values.any(axis=1)
        like, values = like[telling], values[telling]
    if isinstance(owners, int):
        table.put(like + owners, values)
    elif len(like):
        who, best = greatest_by_owner(values, like, owners)
        table.put(who, np.maximum(table[who], best))


class WeighedTexts:
    """Texts whose terms count by the same rarities from one question to the next."""

    def __init__(self, texts: Texts | TextRows, *, short: bool = False) -> None:
        self._texts, self._bounds = texts, texts.bounds
        self.known = None if short else np.zeros(len(self))
        """The lengths that were worked out; 0: not yet. Of short texts that takes no longer than to keep them."""

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @property
    def whole(self) -> tuple[Any, ...]:
        """All of them, as the compiled form takes them."""
        return self._texts.packed() if isinstance(self._texts, TextRows) else self._texts

    @property
    def is_long(self) -> bool:
        """Whether most of them are likely to have no word that counts."""
        return bool(self._bounds[-1] > BLOCK)

    def between(self, block: slice) -> Texts:
        """Those of a block."""
        return self._texts.between(block.start, block.stop)

    def blocks(self) -> list[slice]:
        """The places of texts of some `AT_ONCE` terms each: whatever there is, few are unpacked and weighed at once."""
        if self._bounds[-1] <= AT_ONCE:
            return [slice(0, len(self))]
        starts = np.unique(np.searchsorted(self._bounds[:-1], np.arange(0, self._bounds[-1], AT_ONCE)))
        ends = [*starts[1:].tolist(), len(self)]
        return [slice(start, end) for start, end in zip(starts.tolist(), ends, strict=True)]

"""Which machine a host name meant, and when: the DNS history of Burner, "Crawling towards Eternity", 1997."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from lycosa.model.records import Millis, Record

Kind = Literal["canonical", "alias", "address"]


class DnsRow(Record, frozen=True, kw_only=True, gc=False):
    """A name or an address was a machine's, from `entered` until `superseded` (None: it still is)."""

    value: str
    kind: Kind
    entered: Millis
    superseded: Millis | None
    machine: int

    def holds_at(self, when: Millis | None) -> bool:
        """Whether the row is valid at a time (None: now). The end does not belong to it."""
        if when is None:
            return self.superseded is None
        return self.entered <= when and (self.superseded is None or when < self.superseded)


class DnsHistory:
    """What names resolved to over time, kept as validity intervals.

    Names that share an address are one machine: the first name seen is its canonical name, later ones are
    aliases. A name that is found at another machine's address moves there. Only changes are kept, so
    observing the same answer again costs one comparison.

    Invariants, each the name of a property test:

    * no overlap: the intervals of a (value, kind) never overlap.
    * one canonical: a machine with any current row has exactly one current canonical name.
    * latest wins: `addresses(host)` holds an address of the latest observation of `host`.
    """

    def __init__(self, rows: Sequence[DnsRow] = ()) -> None:
        self._rows: list[DnsRow] = list(rows)
        self._of_value: dict[str, list[int]] = defaultdict(list)
        self._of_machine: dict[int, list[int]] = defaultdict(list)
        for at, row in enumerate(self._rows):
            self._of_value[row.value].append(at)
            self._of_machine[row.machine].append(at)
        self._latest: dict[str, tuple[str, ...]] = {}
        self._changed: dict[int, None] = {}

    def observe(self, host: str, addresses: Sequence[str], at: Millis) -> None:
        """Note that `host` resolved to `addresses`, at a time no earlier than any observation before."""
        seen = tuple(sorted(set(addresses)))
        if not seen or self._latest.get(host) == seen:
            return
        self._latest[host] = seen
        before = self._current_machine(host)
        machine = self._machine_at(seen, before)
        if machine != before:
            if before is not None:
                self._leave(host, before, at)
            named = next(self._current(machine, "canonical"), None) is not None
            self._enter(host, "alias" if named else "canonical", machine, at)
        self._set_addresses(machine, seen, at)

    def _machine_at(self, addresses: Sequence[str], before: int | None) -> int:
        """The machine that has the addresses: where the host was if it still answers there, else another one
        that is known by one of them, else the host's own with a new address, else a new one."""
        owners = [owner for owner in map(self._current_machine, addresses) if owner is not None]
        if before is not None and (before in owners or (not owners and self._sole_name(before))):
            return before
        return owners[0] if owners else len(self._of_machine) + 1

    def _sole_name(self, machine: int) -> bool:
        return next(self._current(machine, "alias"), None) is None

    def _leave(self, host: str, machine: int, at: Millis) -> None:
        row = next(i for i in self._of_value[host] if self._rows[i].superseded is None)
        was_canonical = self._rows[row].kind == "canonical"
        self._supersede(row, at)
        if not was_canonical:
            return
        heir = next(self._current(machine, "alias"), None)
        if heir is None:
            for address in list(self._current(machine, "address")):
                self._supersede(address, at)
            return
        self._supersede(heir, at)
        self._enter(self._rows[heir].value, "canonical", machine, at)

    def _set_addresses(self, machine: int, seen: Sequence[str], at: Millis) -> None:
        # Other names may still stand for the addresses that this answer lacks.
        if self._sole_name(machine):
            for row in list(self._current(machine, "address")):
                if self._rows[row].value not in seen:
                    self._supersede(row, at)
        for address in seen:
            if self._current_machine(address) is None:
                self._enter(address, "address", machine, at)

    def _enter(self, value: str, kind: Kind, machine: int, at: Millis) -> None:
        row = len(self._rows)
        self._rows.append(DnsRow(value=value, kind=kind, entered=at, superseded=None, machine=machine))
        self._changed[row] = None
        self._of_value[value].append(row)
        self._of_machine[machine].append(row)

    def _supersede(self, row: int, at: Millis) -> None:
        self._rows[row] = msgspec.structs.replace(self._rows[row], superseded=at)
        self._changed[row] = None

    def _current(self, machine: int, kind: Kind) -> Iterator[int]:
        rows = self._rows
        return (i for i in self._of_machine[machine] if rows[i].kind == kind and rows[i].superseded is None)

    def _current_machine(self, value: str) -> int | None:
        rows = (self._rows[i] for i in self._of_value.get(value, ()))
        return next((row.machine for row in rows if row.superseded is None), None)

    def addresses(self, host: str, at: Millis | None = None) -> tuple[str, ...]:
        """The addresses of the machine that a name stood for at a time (None: now); empty if unknown."""
        names = (self._rows[i] for i in self._of_value.get(host, ()))
        machine = next((n.machine for n in names if n.kind != "address" and n.holds_at(at)), None)
        if machine is None:
            return ()
        rows = (self._rows[i] for i in self._of_machine[machine])
        return tuple(row.value for row in rows if row.kind == "address" and row.holds_at(at))

    def names(self, address: str, at: Millis | None = None) -> tuple[str, ...]:
        """The names of the machine that had an address at a time (None: now), canonical name first."""
        owners = (self._rows[i] for i in self._of_value.get(address, ()))
        machine = next((o.machine for o in owners if o.kind == "address" and o.holds_at(at)), None)
        if machine is None:
            return ()
        rows = [self._rows[i] for i in self._of_machine[machine]]
        named = [row for row in rows if row.kind != "address" and row.holds_at(at)]
        return tuple(row.value for row in sorted(named, key=lambda row: row.kind != "canonical"))

    def changes(self) -> list[DnsRow]:
        """The rows that are new, or ended, since this was asked last, as they are now."""
        changed, self._changed = self._changed, {}
        return [self._rows[row] for row in changed]

    def export(self) -> tuple[DnsRow, ...]:
        """All rows, oldest first. `DnsHistory(rows)` continues from them."""
        return tuple(self._rows)

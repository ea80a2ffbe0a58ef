"""Which machine a host name meant, and when: the DNS history of Burner, "Crawling towards Eternity", 1997."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from lycosa.model.records import Millis, Record

Kind = Literal["canonical", "alias", "address"]


class DnsFact(Record, frozen=True, kw_only=True, gc=False):
    """What a name resolved to from a time on, until the next fact of the name."""

    host: str
    addresses: tuple[str, ...]
    """At least one; sorted, each once."""
    at: Millis


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
    """What names resolved to over time: the facts as they were observed, and Burner's rows, which follow from them.

    In the rows, names that share an address are one machine: the first name seen is its canonical name, later ones
    are aliases. A name that is found at another machine's address moves there. An address stays with its machine
    for as long as a name of the machine answers with it. Only changes are kept, so observing the same answer again
    costs one comparison.

    Invariants, each the name of a property test:

    * no overlap: the intervals of a (value, kind) never overlap.
    * one canonical: a machine with any current row has exactly one current canonical name.
    * every answer has an owner: an address that a name answers with now is one machine's, by one current row, and
      no other address has a current row.
    * latest wins: `addresses(host)` holds an address of the latest observation of `host`.
    * as it was: whatever is observed later, an answer as of a time stays what it was at that time.
    """

    def __init__(self, facts: Iterable[DnsFact] = ()) -> None:
        self._facts: list[DnsFact] = []
        self._rows: list[DnsRow] = []
        self._of_host: dict[str, list[DnsFact]] = defaultdict(list)
        self._ever_at: dict[str, dict[str, None]] = defaultdict(dict)  # names that have or had an address
        self._now_at: dict[str, dict[str, None]] = defaultdict(dict)  # names that have it
        self._names: dict[int, dict[int, None]] = defaultdict(dict)  # the current rows of a machine's names
        self._of_value: dict[str, list[int]] = defaultdict(list)
        self._of_machine: dict[int, list[int]] = defaultdict(list)
        for fact in facts:
            self.observe(fact.host, fact.addresses, fact.at)
        self._told = len(self._facts)

    # -- what is learned -------------------------------------------------------------------------------------

    def observe(self, host: str, addresses: Sequence[str], at: Millis) -> None:
        """Note that `host` resolved to `addresses`. A clock that was set back stands still until it caught up."""
        seen = tuple(sorted(set(addresses)))
        before = self.answer(host)
        if not seen or before == seen:
            return
        at = max(at, self._facts[-1].at) if self._facts else at
        fact = DnsFact(host=host, addresses=seen, at=at)
        self._facts.append(fact)
        self._of_host[host].append(fact)
        for address in before:
            del self._now_at[address][host]
        for address in seen:
            self._now_at[address][host] = self._ever_at[address][host] = None
        self._move(host, seen, at)
        for address in sorted({*before, *seen}):
            self._settle(address, at)

    def _move(self, host: str, seen: Sequence[str], at: Millis) -> None:
        before = self._current_machine(host)
        machine = self._machine_at(seen, before)
        if machine != before:
            if before is not None:
                self._leave(host, before, at)
            self._enter(host, "alias" if self._names[machine] else "canonical", machine, at)

    def _machine_at(self, addresses: Sequence[str], before: int | None) -> int:
        """The machine that has the addresses: where the host was if it still answers there, else another one
        that is known by one of them, else the host's own with a new address, else a new one."""
        owners = [owner for owner in map(self._current_machine, addresses) if owner is not None]
        if before is not None and (before in owners or (not owners and len(self._names[before]) == 1)):
            return before
        return owners[0] if owners else len(self._of_machine) + 1

    def _leave(self, host: str, machine: int, at: Millis) -> None:
        row = self._of_value[host][-1]
        self._supersede(row, at)
        heir = next(iter(self._names[machine]), None)
        if self._rows[row].kind == "canonical" and heir is not None:
            self._supersede(heir, at)
            self._enter(self._rows[heir].value, "canonical", machine, at)

    def _settle(self, address: str, at: Millis) -> None:
        """An address that no name of its machine answers with goes to the first name that does, or to nobody."""
        holders = map(self._current_machine, self._now_at[address])
        owner = self._current_machine(address)
        first = next(holders, None)
        if first is not None and (first == owner or owner in holders):
            return
        if owner is not None:
            self._supersede(self._of_value[address][-1], at)
        if first is not None:
            self._enter(address, "address", first, at)

    def _enter(self, value: str, kind: Kind, machine: int, at: Millis) -> None:
        row = len(self._rows)
        self._of_value[value].append(row)
        self._of_machine[machine].append(row)
        self._rows.append(DnsRow(value=value, kind=kind, entered=at, superseded=None, machine=machine))
        if kind != "address":
            self._names[machine][row] = None

    def _supersede(self, row: int, at: Millis) -> None:
        self._rows[row] = ended = msgspec.structs.replace(self._rows[row], superseded=at)
        self._names[ended.machine].pop(row, None)

    def _current_machine(self, value: str) -> int | None:
        """Where the value is now. Of its rows only the last can be current."""
        rows = self._of_value.get(value)
        last = self._rows[rows[-1]] if rows else None
        return last.machine if last is not None and last.superseded is None else None

    # -- what is answered ------------------------------------------------------------------------------------

    def answer(self, host: str, at: Millis | None = None) -> tuple[str, ...]:
        """What the name itself resolved to at a time (None: now); empty if unknown."""
        facts = self._of_host.get(host, [])
        end = len(facts) if at is None else bisect_right(facts, at, key=lambda fact: fact.at)
        return facts[end - 1].addresses if end else ()

    def addresses(self, host: str, at: Millis | None = None) -> tuple[str, ...]:
        """The addresses of the machine that a name stood for at a time (None: now); empty if unknown."""
        machine = self._machine_named(host, at)
        rows = (self._rows[i] for i in self._of_machine.get(machine or 0, ()))
        return tuple(row.value for row in rows if row.kind == "address" and row.holds_at(at))

    def canonical(self, host: str, at: Millis | None = None) -> str:
        """The canonical name of the machine that a name stood for at a time (None: now); empty if unknown."""
        machine = self._machine_named(host, at)
        rows = (self._rows[i] for i in self._of_machine.get(machine or 0, ()))
        return next((row.value for row in rows if row.kind == "canonical" and row.holds_at(at)), "")

    def names(self, address: str, at: Millis | None = None) -> tuple[str, ...]:
        """The names that answered with an address at a time (None: now), in the order in which they first did."""
        return tuple(self._hosts_of(address, at))

    def aliases(self, host: str, at: Millis | None = None) -> tuple[str, ...]:
        """The other names that had an address of this one at the same time (None: now)."""
        found = (name for address in self.answer(host, at) for name in self._hosts_of(address, at))
        return tuple(name for name in dict.fromkeys(found) if name != host)

    def rows_of(self, value: str) -> tuple[DnsRow, ...]:
        """Everything that a name or an address ever was, oldest first."""
        return tuple(self._rows[i] for i in self._of_value.get(value, ()))

    def _hosts_of(self, address: str, at: Millis | None) -> Iterator[str]:
        return (host for host in self._ever_at.get(address, ()) if address in self.answer(host, at))

    def _machine_named(self, host: str, at: Millis | None) -> int | None:
        names = (self._rows[i] for i in self._of_value.get(host, ()))
        return next((row.machine for row in names if row.kind != "address" and row.holds_at(at)), None)

    def news(self) -> list[DnsFact]:
        """The facts that were learned since this was asked last, and since the beginning."""
        told, self._told = self._told, len(self._facts)
        return self._facts[told:]

    def facts(self) -> tuple[DnsFact, ...]:
        """All facts in their order. `DnsHistory(facts)` continues from them."""
        return tuple(self._facts)

    def rows(self) -> tuple[DnsRow, ...]:
        """All rows, oldest first."""
        return tuple(self._rows)


def facts_of(rows: Sequence[DnsRow]) -> list[DnsFact]:
    """The facts that rows speak of: a name answered with whatever addresses its machine had.

    For histories of which only rows were kept. A name may have had fewer addresses than its machine.
    """
    of_machine = defaultdict(list)
    for row in rows:
        if row.kind == "address":
            of_machine[row.machine].append(row)
    found = []
    for row in rows:
        if row.kind == "address":
            continue
        addresses = of_machine[row.machine]
        ends = (each.superseded for each in addresses if each.superseded is not None)
        times = {row.entered, *(each.entered for each in addresses), *ends}
        for at in sorted(Millis(time) for time in times if row.holds_at(Millis(time))):
            held = tuple(sorted({each.value for each in addresses if each.holds_at(at)}))
            if held:
                found.append(DnsFact(host=row.value, addresses=held, at=at))
    return sorted(found, key=lambda fact: fact.at)

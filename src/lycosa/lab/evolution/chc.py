"""CHC, a genetic algorithm that keeps the best and mates only what differs.

Eshelman, "The CHC adaptive search algorithm", Foundations of Genetic Algorithms 1, 1991: cross-generational elitist
selection, heterogeneous recombination by half-uniform crossover, cataclysmic mutation.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Annotated

import msgspec

from lycosa.model.records import Record

Fitness = Callable[[int], float]
"""How good a chromosome is, its bits as an integer; higher is better. The same for the same bits."""


class Individual(Record, frozen=True, kw_only=True):
    bits: str
    """Hexadecimal: chromosomes are longer than the integers that JSON can be trusted with."""
    fitness: float

    @property
    def number(self) -> int:
        return int(self.bits, 16)


class Population(Record, frozen=True, kw_only=True):
    """One generation, the best first.

    Invariants, each the name of a property test:

    * never worse: the best fitness of a generation is at least that of the one before.
    * by seed: the same seed and fitness give the same generations, stopped and resumed or not.
    """

    individuals: tuple[Individual, ...]
    generation: int = 0
    threshold: float
    """Pairs mate that differ in more than twice as many bits."""
    restarts: int = 0

    @property
    def best(self) -> Individual:
        return self.individuals[0]


class Chc(Record, frozen=True, kw_only=True):
    """The algorithm with its numbers: a population of 50, a first threshold of a quarter of the length and 35 % flipped
    bits are Eshelman's own values, recalled; Johnson et al. (2003) cite him."""

    bits: int
    size: Annotated[int, msgspec.Meta(ge=2)] = 50
    seed: int = 0
    flip: float = 0.35
    """Share of the best one's bits that a restart flips in each of the others."""

    def first(self, fitness: Fitness) -> Population:
        """Chromosomes drawn at random."""
        rng = random.Random(f"{self.seed}/0")
        drawn = [self._judged(rng.getrandbits(self.bits), fitness) for _ in range(self.size)]
        return Population(individuals=_ranked(drawn), threshold=self.bits / 4)

    def next(self, before: Population, fitness: Fitness) -> Population:
        """Mate, keep the best of parents and children; where nothing new is found, mate closer kin, then restart."""
        rng = random.Random(f"{self.seed}/{before.generation + 1}")
        children = [self._judged(bits, fitness) for bits in self._children(before, rng)]
        kept = _ranked([*before.individuals, *children])[: self.size]
        threshold, restarts = before.threshold, before.restarts
        if kept == before.individuals:
            threshold -= 1
        if threshold < 0:
            kept = self._restarted(kept[0], fitness, rng)
            threshold, restarts = self.flip * (1 - self.flip) * self.bits, restarts + 1
        return Population(
            individuals=kept, generation=before.generation + 1, threshold=threshold, restarts=restarts
        )

    def _children(self, parents: Population, rng: random.Random) -> Iterator[int]:
        """Half-uniform crossover: of the bits in which two parents differ, exactly half are exchanged."""
        mates = [individual.number for individual in parents.individuals]
        rng.shuffle(mates)
        for one, other in zip(mates[::2], mates[1::2], strict=False):
            differing = one ^ other
            if differing.bit_count() / 2 > parents.threshold:
                places = [place for place in range(self.bits) if differing >> place & 1]
                swapped = sum(1 << place for place in rng.sample(places, len(places) // 2))
                yield one ^ swapped
                yield other ^ swapped

    def _restarted(self, best: Individual, fitness: Fitness, rng: random.Random) -> tuple[Individual, ...]:
        count = round(self.flip * self.bits)
        flipped = (
            best.number ^ sum(1 << place for place in rng.sample(range(self.bits), count))
            for _ in range(self.size - 1)
        )
        return _ranked([best, *(self._judged(bits, fitness) for bits in flipped)])

    def _judged(self, bits: int, fitness: Fitness) -> Individual:
        return Individual(bits=f"{bits:x}", fitness=fitness(bits))


def _ranked(individuals: list[Individual]) -> tuple[Individual, ...]:
    """The best first; of equals the older."""
    return tuple(sorted(individuals, key=lambda individual: -individual.fitness))

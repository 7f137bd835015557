"""From covering by tuples to l-diversity with one quasi column, where l grows with the table.

Sensitive values are the 3n elements and four more, and l = 3n + 1. A tuple becomes a class of l rows with the same
quasi value, one row of each sensitive value but those of its three elements. Every element has one more row, alone with
its quasi value. Such a lone row must be hidden, and a class is hidden as a whole or not at all. If the classes of c
tuples are hidden with the 3n lone rows, an element occurs 1 + c times less the tuples that cover it, and may occur
(3n + lc)/l = c + 3n/(3n+1) times: it must be covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kilt.hardness.instances.instance import Groups, Instance, Table, require_room
from kilt.hardness.problems.covers import TupleCover
from kilt.hardness.problems.problem import OptimaRelation
from kilt.hardness.problems.triples import Triples
from kilt.hardness.reductions.reduction import Reduction
from kilt.model.policy import Policy

EXTRA = 4  # values that no tuple covers; with fewer, lone rows alone would be diverse enough


@dataclass(frozen=True)
class CoverToDiversity(Reduction[Triples, Groups]):
    """A result of Dondi, Mauri and Zoppis 2012 (one column, l unbounded) by a construction of our own."""

    source: TupleCover

    @property
    def elements(self) -> int:
        """How many elements there are, which is also the number of lone rows."""
        return 3 * self.source.matching.size

    @property
    def diversity(self) -> int:
        """All values but three."""
        return self.elements + EXTRA - 3

    @cached_property
    def target(self) -> Instance:
        """The table: lone rows first, and then a class for each tuple."""
        matching = self.source.matching
        require_room(self.elements + self.diversity * len(matching.triples), 2)
        values = range(self.elements + EXTRA)
        rows = [(f"u{place + 1}", place) for place in range(self.elements)]
        for j, triple in enumerate(matching.triples):
            missing = set(matching.places(triple))
            rows += [(f"e{j + 1}", value) for value in values if value not in missing]
        quasi, sensitive = zip(*rows, strict=True)
        table = Table(("q",), tuple((cell,) for cell in quasi), tuple(str(value + 1) for value in sensitive))
        return Instance(table, Policy(l=self.diversity), self.elements + self.diversity * matching.size)

    def _class(self, number: int) -> tuple[int, ...]:
        start = self.elements + self.diversity * number
        return tuple(range(start, start + self.diversity))

    def forward(self, solution: Triples) -> Groups:
        """Hide the lone rows and the classes of the tuples, and show all other classes."""
        self.source.require(solution)
        triples = self.source.matching.triples
        hidden = [row for j, triple in enumerate(triples) if triple in solution for row in self._class(j)]
        shown = [self._class(j) for j, triple in enumerate(triples) if triple not in solution]
        return ((*range(self.elements), *hidden), *shown)

    def back(self, solution: Groups) -> Triples:
        """Take the tuples whose classes are not groups: the other groups together are legal too."""
        self.target.require(solution)
        groups = {frozenset(group) for group in solution}
        triples = enumerate(self.source.matching.triples)
        return frozenset(triple for j, triple in triples if frozenset(self._class(j)) not in groups)

    def claim(self) -> OptimaRelation:
        """A star for every lone row, and l for every tuple."""
        return OptimaRelation.between(self.source, self.target, self.diversity, self.elements)

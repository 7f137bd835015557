"""A value may become one of the ever wider labels of a taxonomy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kilt.model.ladders.domain import Domain
from kilt.model.ladders.path import Labels, PathLadder
from kilt.model.taxonomy import Taxonomy


@dataclass(frozen=True)
class Taxonomic(PathLadder):
    """A value may become one of ever wider labels. A missing value needs no line: it can only become the mark."""

    taxonomy: Taxonomy

    def names(self, domain: Domain) -> tuple[str, ...]:  # noqa: ARG002
        """Name the levels by their number."""
        return tuple(str(level) for level in range(1, self.taxonomy.height))

    def labels(self, domain: Domain) -> Sequence[Labels]:
        """Look them up."""
        paths = self._paths(domain)
        return [[path[level] for path in paths] for level in range(1, self.taxonomy.height)]

    def loss(self, level: int, first: int, size: int, domain: Domain) -> Fraction:
        """Count the values of the taxonomy under a label, whether they occur in the table or not."""
        del size
        below, leaves = domain.once(self, "leaves", lambda: self._leaves(domain))
        label = self._paths(domain)[first][level]
        return Fraction(max(1, below[level][label]) - 1, max(1, leaves - 1))

    def _leaves(self, domain: Domain) -> tuple[list[Counter[str | None]], int]:
        """Count the values of the taxonomy under each label, and in all; a missing value without a line is one."""
        paths: list[tuple[str | None, ...]] = [tuple(x or None for x in path) for path in self.taxonomy.paths.values()]
        below = [Counter(path[level] for path in paths) for level in range(self.taxonomy.height)]
        return below, len(paths) + (None in domain.values and "" not in self.taxonomy.paths)

    def _paths(self, domain: Domain) -> list[tuple[str | None, ...]]:
        return domain.once(self, "paths", lambda: self.taxonomy.paths_of(domain.values, domain.name))

    def __str__(self) -> str:
        return "taxonomy"

"""Least reduced costs of groups of one size, rounded down: values are divided, and the pieces are proved one by one.

A group of N rows has either no more rows of a value than are free (the value is *out*), or more (it is *in*). A tree
divides the groups value by value. At its ends the rows that are out are left out, those that must be in are in, and the
others are chosen as without a tree. Where every value is decided, the excess of a group is that of the values that are
in and a whole number of rows, so that less of it may be allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kilt.certificates.proof.evidence import PatternTrees
from kilt.certificates.proof.patterns import ProofPatterns
from kilt.certificates.proof.units import Lines, SizeShares, Units, cheapest, in_parts
from kilt.errors import InputError
from kilt.numbers import BoolArray, IntArray, max_abs, widen

LOWEST = -(1 << 62)  # no group has less, because multipliers are not that large
OPEN, OUT, IN = 0, 1, 2  # what is decided of a value


@dataclass(frozen=True)
class Ends:
    """Ends of trees of one size: the tree of each, whose pattern has so many rows of each value.

    ``decided`` has what is decided of each value, and ``theta`` what excess costs.
    """

    tree: IntArray
    decided: IntArray
    have: IntArray
    theta: IntArray

    def some(self, which: IntArray) -> Ends:
        """Return some of them."""
        return Ends(self.tree[which], self.decided[which], self.have[which], self.theta[which])


@dataclass(frozen=True)
class TreeProof:
    """What trees prove of groups of single sizes; ``value_of`` has the value of every sensitive class.

    A division by a value that no row has is left out: then more groups are at an end, and what is proved is true, too.
    """

    shares: SizeShares
    value_of: IntArray
    trees: PatternTrees

    def least(self, patterns: ProofPatterns, units: Units) -> dict[int, tuple[IntArray, IntArray]]:
        """Return for every size the patterns with a tree, and a lower bound on the reduced cost of a legal group."""
        place, by_size = patterns.places(self.trees.patterns), dict[int, dict[int, IntArray]]()
        for which in np.flatnonzero(place >= 0).tolist():
            size = int(self.trees.patterns.numbers[which, 0])
            if units.widths[place[which]] >= size:
                by_size.setdefault(size, {})[int(place[which])] = self._of_each[which]
        have = units.by_value(len(self.shares.totals)) if by_size else np.zeros((0, 0), dtype=np.int64)
        return {
            size: (np.array(list(trees)), self._of_size(trees, size, units, have)) for size, trees in by_size.items()
        }

    @cached_property
    def _of_each(self) -> list[IntArray]:
        return self.trees.of_each()

    def _of_size(self, trees: dict[int, IntArray], size: int, units: Units, have: IntArray) -> IntArray:
        """Return what the trees of a size prove: the least of their ends."""
        ends = self._ends(trees, have[list(trees)])
        units = units.some(np.array(list(trees))).up_to(self.shares.most(size))
        found = np.zeros(len(trees), dtype=np.int64)
        for part in in_parts(np.where(units.widths[ends.tree] >= size, units.widths[ends.tree], 0)):
            some = ends.some(part)
            proved = np.maximum(self._of_ends(some, units.lines(some.tree), size), LOWEST)
            np.minimum.at(found, some.tree, proved.astype(np.int64))
        return found

    def _ends(self, trees: dict[int, IntArray], have: IntArray) -> Ends:
        values = int(self.value_of.max(initial=0)) + 1
        found = [(i, *end) for i, nodes in enumerate(trees.values()) for end in _walk(nodes.tolist(), values)]
        tree, decided, theta = zip(*found, strict=True)
        states = np.frombuffer(b"".join(decided), dtype=np.int8).reshape(-1, values)
        return Ends(np.array(tree), states[:, self.value_of], have[list(tree)], np.array(theta))

    def _of_ends(self, ends: Ends, lines: Lines, size: int) -> IntArray:
        """Return a lower bound on the reduced cost of a legal group at each end; 0 if it has none."""
        rows, free = self.shares.rows, self.shares.free(size)
        state, above = np.take_along_axis(ends.decided, lines.value, axis=1), lines.rank - free[lines.value]
        usable = lines.inside & ~((state == OUT) & (above >= 0))
        forced = lines.inside & (state == IN) & (above <= 0)
        excess, allowed = self.shares.excess(lines, size), self._allowed(ends, size)
        is_legal = self._has_rows(ends, usable, forced, size)
        is_legal &= _with_forced(excess, usable, forced, size) <= allowed
        theta = widen(ends.theta, (max_abs(lines.reduced_costs) + max_abs(ends.theta)) * rows * size * 8)
        each = lines.reduced_costs * rows + theta[:, None] * excess
        total = _with_forced(each, usable, forced, size) - theta * allowed
        return np.where(is_legal, np.minimum(total // rows, 0), 0)

    def _has_rows(self, ends: Ends, usable: BoolArray, forced: BoolArray, size: int) -> BoolArray:
        """Say whether there are enough rows at each end, and all that must be in."""
        wanted = ((ends.decided == IN) * (self.shares.free(size) + 1)).sum(axis=1)
        return np.asarray((forced.sum(axis=1) == wanted) & (wanted <= size) & (usable.sum(axis=1) >= size))

    def _allowed(self, ends: Ends, size: int) -> IntArray:
        """Return how much excess is allowed at each end; less than nothing if values that are in have too much."""
        rows, allowed = self.shares.rows, self.shares.allowed(size)
        of_forced = ((ends.decided == IN) * self.shares.crossing(size)).sum(axis=1)
        all_decided = ((ends.decided != OPEN) | (ends.have <= self.shares.free(size))).all(axis=1)
        return np.where(all_decided, of_forced + (allowed - of_forced) // rows * rows, allowed)


def _with_forced(each: IntArray, usable: BoolArray, forced: BoolArray, number: int) -> IntArray:
    """Add up so many numbers of each line: those that are forced, and the least of the others that are usable."""
    near = int(each.min(initial=0)) - 1
    chosen = cheapest(np.where(forced, near, each), usable, number)
    return np.asarray(chosen + np.where(forced, each - near, 0).sum(axis=1))


def _walk(nodes: list[int], values: int) -> Iterator[tuple[bytes, int]]:
    """Yield the ends of a tree: what is decided of each value, and theta."""
    decided, path, is_whole = bytearray(values), list[int](), False
    for node in nodes:
        if is_whole or node >= values or (node >= 0 and decided[node] != OPEN):
            raise InputError("a tree of the proof is not in order")
        if node >= 0:
            decided[node] = OUT
            path.append(node)
            continue
        yield bytes(decided), -1 - node
        while path and decided[path[-1]] == IN:
            decided[path.pop()] = OPEN
        is_whole = not path
        if path:
            decided[path[-1]] = IN
    if not is_whole:
        raise InputError("a tree of the proof is not whole")

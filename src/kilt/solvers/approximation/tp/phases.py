"""How equivalence classes give rows to a residue until it is l-diverse, and stay so themselves (Xiao, Yi and Tao 2010).

The *height* of a group is how many rows its most frequent sensitive values have; these are its *pillars*. It is legal
if it has l times as many rows as its height. A class that has more is *fat*, and can spare any row; one that has just
as many is *thin*, and stays legal if it gives a row of each of its pillars, which are l at most.

*Phase 2*: as long as the residue is not legal it has fewer than l pillars, so that a fat class has a row that is no
pillar of it. Fat classes give such rows, and thin classes that share no pillar with it theirs: the residue grows, and
its height does not. *Phase 3*: where all classes are thin and share a pillar with the residue, one of them gives l rows
of different values: its pillars, and others that are rare in the residue. It is thin again. The residue is higher by
one, and needs as many rows as before; but it has fewer pillars, since some class lacks one of them. So after less than
l such steps a class can give again in phase 2.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

from kilt.numbers import BoolArray, IntArray
from kilt.run.stopping import StoppingRule


@dataclass
class ResiduePhases:
    """What every equivalence class keeps, and the residue: rows of each sensitive value."""

    l: int
    kept: IntArray
    residue: IntArray
    sizes: IntArray = field(init=False)
    heights: IntArray = field(init=False)
    pillars: BoolArray = field(init=False)

    def __post_init__(self) -> None:
        self.sizes, self.heights = self.kept.sum(axis=1), self.kept.max(axis=1, initial=0)
        self.pillars = (self.kept == self.heights[:, None]) & (self.kept > 0)

    @property
    def height(self) -> int:
        """How many rows the most frequent values of the residue have."""
        return int(self.residue.max())

    @property
    def missing(self) -> int:
        """How many rows the residue needs to be legal at its height; none if this is not above 0."""
        return self.l * self.height - int(self.residue.sum())

    def run(self, stop: StoppingRule) -> None:
        """Give rows until the residue is legal; when stopped, all of them, which is legal too."""
        self.second_phase()
        while self.missing > 0:
            if stop():
                self.residue = self.residue + self.kept.sum(axis=0)
                self.kept = np.zeros_like(self.kept)
                return
            self.third_phase()
            self.second_phase()

    def second_phase(self) -> None:
        """Give rows that do not make the residue higher, first from fat classes, until there are none or no need."""
        for each in np.flatnonzero(self.sizes > self.l * self.heights).tolist():
            self._spare(each)
        while self.missing > 0 and len(able := np.flatnonzero((self.sizes > 0) & (self._shared() == 0))):
            before = self._full()
            for each in able.tolist():
                self._drain(each)
                if self.missing <= 0 or (self._full() != before).any():
                    break

    def third_phase(self) -> None:
        """Let a class give l rows of different values: one that gives the fewest pillars of the residue."""
        common = np.where(self.sizes > 0, self._common(), len(self.residue) + 1)
        each = int(np.argmin(common * (self.l + 1) - self.pillars.sum(axis=1)))
        pillars = self.pillars[each]
        others = np.flatnonzero((self.kept[each] > 0) & ~pillars)
        rarest = others[np.argsort(self.residue[others], kind="stable")][: self.l - int(pillars.sum())]
        given = pillars.astype(np.int64)
        given[rarest] = 1
        self._give(each, given)

    def _common(self) -> IntArray:
        """Return how many pillars of the residue are among l values of each class: its pillars, and rare others."""
        others = ((self.kept > 0) & ~self.pillars)[:, ~self._full()].sum(axis=1)
        return np.asarray(self._shared() + np.maximum(0, self.l - self.pillars.sum(axis=1) - others))

    def _full(self) -> BoolArray:
        return np.asarray(self.residue == self.residue.max(), dtype=bool)

    def _shared(self) -> IntArray:
        """Return how many pillars each class has in common with the residue."""
        return np.asarray(self.pillars[:, self._full()].sum(axis=1))

    def _drain(self, each: int) -> None:
        """Let a class give its pillars, and what it can spare then, until they are pillars of the residue too."""
        while self.missing > 0 and self.sizes[each] and not (self.pillars[each] & self._full()).any():
            self._give(each, self.pillars[each] * self._steps(each))
            self._spare(each)

    def _spare(self, each: int) -> None:
        """Let a class give all that it has above l times its height, which may fall then, if it is needed."""
        while (wanted := min(self.missing, int(self.sizes[each] - self.l * self.heights[each]))) > 0:
            self._give(each, levelled(self.residue, self.kept[each], wanted))

    def _steps(self, each: int) -> int:
        """Return how often a class can give its pillars until it has others, they are full, or no more is needed."""
        pillars = self.pillars[each]
        room = self.height - int(self.residue[pillars].max())
        lower = int(self.kept[each][~pillars].max(initial=0))
        return min(room, int(self.heights[each]) - lower, -(-self.missing // int(pillars.sum())))

    def _give(self, each: int, rows: IntArray) -> None:
        kept = self.kept[each] - rows
        self.kept[each], self.residue = kept, self.residue + rows
        self.sizes[each], self.heights[each] = kept.sum(), kept.max()
        self.pillars[each] = (kept == kept.max()) & (kept > 0)


def levelled(residue: IntArray, available: IntArray, wanted: int) -> IntArray:
    """Take so many rows, the values that are rare in the residue first, and none above its height."""

    def up_to(level: int) -> IntArray:
        return np.asarray(np.clip(level - residue, 0, available))

    levels = range(int(residue.max()) + 1)
    level = bisect_right(levels, wanted, key=lambda each: int(up_to(each).sum())) - 1
    taken = up_to(level)
    if level < levels[-1]:
        more = np.flatnonzero(up_to(level + 1) > taken)
        taken[more[: wanted - int(taken.sum())]] += 1
    return taken

"""The greatest flow between two kinds of nodes, in integers, by Dinic's algorithm.

Every taker wants a number of units, and may take them from some givers, which have a number of units each. As many
units as possible change hands. Dinic, "Algorithm for solution of a problem of maximum flow in a network with power
estimation", Soviet Mathematics Doklady 11 (1970): shortest augmenting paths, all of one length at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


class Flow:
    """Units taken from givers: ``taken[taker][giver]`` is their number, ``wanted`` and ``left`` what remains."""

    def __init__(self, given: Sequence[int], wanted: Sequence[int], givers: Sequence[Sequence[int]]) -> None:
        self.left, self.wanted, self.givers = list(given), list(wanted), givers
        self.taken: list[dict[int, int]] = [{} for _ in wanted]
        self._takers: list[dict[int, None]] = [{} for _ in given]  # who has taken from a giver
        self._take_first()
        while self._measure():
            self._take_along_shortest()

    @property
    def missing(self) -> int:
        """How many units were wanted in vain."""
        return sum(self.wanted)

    def _take_first(self) -> None:
        """Take without a plan: those first that have the fewest givers, from those that have the fewest takers."""
        asked = [0] * len(self.left)
        for givers in self.givers:
            for giver in givers:
                asked[giver] += 1
        for taker in sorted(range(len(self.wanted)), key=lambda each: len(self.givers[each])):
            for giver in sorted(self.givers[taker], key=asked.__getitem__):
                if not self.wanted[taker]:
                    break
                units = min(self.wanted[taker], self.left[giver])
                if units:
                    self._move(taker, giver, units)
                    self.left[giver] -= units
                    self.wanted[taker] -= units

    def _move(self, taker: int, giver: int, units: int) -> None:
        """Change what a taker has from a giver."""
        now = self.taken[taker].get(giver, 0) + units
        if now:
            self.taken[taker][giver] = now
            self._takers[giver][taker] = None
        else:
            del self.taken[taker][giver]
            del self._takers[giver][taker]

    def _measure(self) -> bool:
        """Measure how far all are from takers that still want something; return whether a giver with units is reached.

        From a taker one comes to its givers, from a giver to those who have taken from it.
        """
        self._taker_level = [-1] * len(self.wanted)
        self._giver_level = [-1] * len(self.left)
        self._next_giver = [0] * len(self.wanted)
        self._open_takers: list[list[int] | None] = [None] * len(self.left)
        takers = [taker for taker, wanted in enumerate(self.wanted) if wanted]
        for taker in takers:
            self._taker_level[taker] = 0
        level = 0
        while takers:
            givers = self._reached([self.givers[taker] for taker in takers], self._giver_level, level)
            if any(self.left[giver] for giver in givers):
                return True
            level += 1
            takers = self._reached([list(self._takers[giver]) for giver in givers], self._taker_level, level)
        return False

    @staticmethod
    def _reached(neighbours: Sequence[Sequence[int]], levels: list[int], level: int) -> list[int]:
        """Give a level to those neighbours that have none yet, and return them."""
        found = []
        for each in neighbours:
            for node in each:
                if levels[node] < 0:
                    levels[node] = level
                    found.append(node)
        return found

    def _take_along_shortest(self) -> None:
        """Take along shortest paths until there are none left."""
        for first in [taker for taker, wanted in enumerate(self.wanted) if wanted]:
            while self.wanted[first] and (path := self._path(first)):
                self._take_along(path)

    def _path(self, first: int) -> list[tuple[int, int]] | None:
        """Return a shortest path as pairs (taker, giver), the last giver with units left; None if there is none."""
        path: list[tuple[int, int]] = []
        taker = first
        while True:
            giver = self._next(taker)
            if giver is None:
                if not path:
                    return None
                taker, before = path.pop()
                self._takers_of(before).pop()
                continue
            path.append((taker, giver))
            if self.left[giver]:
                return path
            taker = self._takers_of(giver)[-1]

    def _next(self, taker: int) -> int | None:
        """Return the giver of a taker from which a path may go on; None if there is none any more."""
        givers, level = self.givers[taker], self._taker_level[taker]
        while self._next_giver[taker] < len(givers):
            giver = givers[self._next_giver[taker]]
            if self._giver_level[giver] == level and (self.left[giver] or self._takers_of(giver)):
                return giver
            self._next_giver[taker] += 1
        return None

    def _takers_of(self, giver: int) -> list[int]:
        """Return those who have taken from a giver and are one step farther; the last one is where a path goes on."""
        takers = self._open_takers[giver]
        if takers is None:
            farther = self._giver_level[giver] + 1
            takers = [taker for taker in self._takers[giver] if self._taker_level[taker] == farther]
            self._open_takers[giver] = takers
        while takers and giver not in self.taken[takers[-1]]:
            takers.pop()
        return takers

    def _take_along(self, path: list[tuple[int, int]]) -> None:
        """Let every taker of a path take from its giver what the next one gives back."""
        units = min(self.wanted[path[0][0]], self.left[path[-1][1]])
        for (_, giver), (taker, _) in pairwise(path):
            units = min(units, self.taken[taker][giver])
        for taker, giver in path:
            self._move(taker, giver, units)
        for (_, giver), (taker, _) in pairwise(path):
            self._move(taker, giver, -units)
        self.wanted[path[0][0]] -= units
        self.left[path[-1][1]] -= units

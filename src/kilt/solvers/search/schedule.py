"""The schedule of a search: its parameters, and how far it is by its time or its moves."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kilt.run.stopping import StoppingRule


@dataclass(frozen=True)
class Params:
    """Shares of the time, temperatures and limits of a search; costs are in stars."""

    bounding_share: float = 0.65  # of the time is for the bound: the last proof is done when the search ends
    short_bounding_share: float = 0.85  # the same in a short time: nothing matters as much as multipliers then
    short_seconds: float = 6.0  # up to which a time is short
    min_filtering_seconds: float = 1.5  # that must be left for patterns to be filtered again after building
    building_share: float = 0.55  # of the time is for building a partition by multipliers
    greedy_share: float = 0.13  # of the time is for level greedy where more than a size is asked for,
    wide_greedy_share: float = 0.6  # and in wide tables of large groups, which swaps hardly make better,
    min_greedy_seconds: float = 0.4  # and at least so long: it is what a very short search hands over

    first_moves: int = 5_000  # of annealing where a search begins again and again, and so many more for a row type,
    first_moves_per_row_type: int = 10
    growth: float = 1.5  # of the moves, every second time
    subproblem_seconds: float = 0.4  # after which a subproblem is given up: the next one is smaller
    subproblems_period: int = 4  # of cycles in which subproblems are tried at least once, whether they helped or not
    chunks: int = 50  # of moves in which such an annealing gets colder

    multiplier_step: float = 0.02  # what is added to the multipliers of rows that are left after the first round,
    multiplier_growth: float = 0.1  # then this share of all that was added before, or more if time is short,
    max_multiplier_step: float = 1.0  # and so much at most from round to round
    multiplier_factors: tuple[float, float] = (0.85, 1.05)  # by which they differ from build to build in small tables
    max_multiplier_raise: float = 7.5  # and in all
    min_gain: float = 0.02  # the share of the cost that a round must save to be followed by another when time is over
    max_reduced_cost: float = 1.0  # of a pattern's best group, for the pattern to be kept
    loose_reduced_cost: float = 5.0  # the same when building under more than a size: the last rows need dear patterns
    loosest_reduced_cost: float = 12.0  # and where it is known of groups only whether they are large enough, or time is
    # too short to ask for more: early multipliers are too poor to tell which patterns matter
    min_patterns: int = 2_000  # patterns that are kept whatever their reduced cost
    max_extra_cost: float = 2.0  # that a row may pay in a pattern above what it pays now

    min_seconds_for_two: float = 20.0  # from which patterns on demand are annealed twice: multipliers get better
    max_built_cost: float = 1.15  # times the best so far: what was built by multipliers goes on further than that
    first_share: float = 0.35  # of the time is for the first one then
    closing_share: float = 0.2  # of the time that is left is for rows to change places in the end
    closing_t: tuple[float, float] = (0.3, 0.1)  # from and to these temperatures

    t_start: tuple[float, float] = (0.12, 1.0)  # first temperature: stars, times a power of the usual size of a group
    t_end: tuple[float, float] = (0.065, 0.5)  # last temperature, likewise
    max_classes: int = 1_000  # sensitive classes: with more, rows are swapped, as a choice among all takes too long
    by_sizes_share: float = 0.4  # of the time is for a search by sizes alone where there are more,
    by_sizes_seconds: float = 0.001  # and at most so much for each row type,
    min_legal_share: float = 0.5  # if so many of the groups are legal then,
    looked_at_groups: int = 200  # of so many,
    max_group_classes: int = 50_000_000  # and there is room for the counts of all groups by class
    min_usual_size: int = 5  # rows of a group below which it does not get colder
    n_workers: int = 2  # searches side by side where the same bytes must come out on any number of cores
    row_types_per_worker: int = 5_000  # with fewer, each worker would see too little
    groups_per_worker: int = 300
    chunk_moves: int = 10_000  # moves at a time where iterations are counted
    first_chunk_moves: int = 200  # moves of the first chunk where time is counted: it shows how long a move takes
    chunk_seconds: float = 0.1  # about how long a chunk takes where time is counted

    wide_level_vectors: int = 2_000  # from so many level vectors on,
    very_wide_level_vectors: int = 20_000  # or from so many on if a size or two sensitive classes are all that matters,
    wide_entries: int = 6_000_000  # and from so many row types times these, a table is wide
    large_groups: int = 30  # rows that a group must have for level greedy to be tried in wide tables, too
    wide_t_start: tuple[float, float] = (1.0, 2.0)  # first temperature in wide tables: from and to
    wide_moves_per_star: int = 300  # moves for each row type for which it is a star warmer at first
    wide_t_end: float = 0.35


class Schedule:
    """How much of a search is done, and how many moves come next."""

    def __init__(self, stop: StoppingRule, params: Params, chunk: int | None = None) -> None:
        self.stop, self.params, self.began = stop, params, stop.elapsed
        self.moves = 0
        self.next = chunk or (params.chunk_moves if stop.seconds is None else params.first_chunk_moves)

    def done(self) -> float:
        """Say how much of the search is done, from 0 to 1."""
        seconds, iterations = self.stop.seconds, self.stop.iterations
        time = 0.0 if seconds is None else (self.stop.elapsed - self.began) / max(1e-6, seconds - self.began)
        return max(time, 0.0 if iterations is None else self.moves / max(1, iterations))

    def chunk(self) -> int:
        """Return how many moves to try next: a fraction of a second's, or always as many if iterations are counted."""
        if self.stop.seconds is not None and self.moves:
            elapsed = max(1e-6, self.stop.elapsed - self.began)
            self.next = max(1, int(self.params.chunk_seconds * self.moves / elapsed))
        self.moves += self.next
        return self.next

    def total_moves(self, done: float) -> float:
        """Say about how many moves there will be in all, given how much is done."""
        most = math.inf if self.stop.iterations is None else self.stop.iterations
        return most if self.stop.seconds is None else min(most, self.moves / max(1e-6, done))


def cooled(t_start: float, t_end: float, done: float) -> float:
    """Return the temperature when so much is done: it falls by the same factor in equal times."""
    return float(t_start * (t_end / t_start) ** done)

"""Annealing over open patterns: patterns are opened and closed, and rows relocate, at falling temperatures.

Which patterns are open is what matters, as in facility location with lower bounds. Every move leaves legal groups, as
decided in integers.
"""

from __future__ import annotations

import cython
from cython.cimports.kilt.kernels.model.rules import CompiledRules
from cython.cimports.kilt.kernels.random import Random
from cython.cimports.kilt.kernels.search.assignment import Assignment, CoverIndex
from cython.cimports.kilt.kernels.search.chain_moves import ChainMoves
from cython.cimports.kilt.kernels.search.moves import Moves
from cython.cimports.kilt.kernels.search.offers import Offers
from cython.cimports.kilt.kernels.search.opening import Opening
from cython.cimports.libc.math import log

OPENINGS = cython.declare(cython.double, 0.5)  # the shares of moves; in the others rows relocate
CLOSINGS = cython.declare(cython.double, 0.1)
CHAINED = cython.declare(cython.longlong, 2)  # moves after which one by chains is tried, which takes much longer
MOST_CLASSES = cython.declare(cython.longlong, 128)  # sensitive classes with which that is worth its time
MOST_ENDS = cython.declare(cython.longlong, 20_000_000)  # patterns times sensitive classes for which chains have room
LONGEST = cython.declare(cython.longlong, 2_000)  # row types of a pattern that are looked at in a move


@cython.final
@cython.cclass
class Annealing:
    """The annealing of one worker: its moves, and the offers that they choose from."""

    index: CoverIndex
    assignment: Assignment
    rules: CompiledRules
    random: Random
    moves = cython.declare(Moves, visibility="readonly")
    opening: Opening
    offers = cython.declare(Offers, visibility="readonly")
    chains = cython.declare(ChainMoves, visibility="readonly")
    has_chains = cython.declare(cython.bint, visibility="readonly")
    tried: cython.longlong

    def __init__(self, index: CoverIndex, assignment: Assignment, rules: CompiledRules, random: Random) -> None:
        self.index, self.assignment, self.rules, self.random = index, assignment, rules, random
        self.moves = Moves(index, assignment, rules, random)
        self.offers = Offers(index, assignment, rules, random, 2 * LONGEST)
        self.opening = Opening(self.moves, self.offers)
        patterns, classes = assignment.by_class.of.shape[0], assignment.by_class.of.shape[1]
        self.has_chains = not rules.size_only and classes <= MOST_CLASSES and patterns * classes <= MOST_ENDS
        self.chains = ChainMoves(self.moves) if self.has_chains else None
        self.tried = 0

    def forget_all(self) -> None:
        """Forget what moves remember."""
        self.moves.forget_all()
        self.opening.forget_all()
        if self.has_chains:
            self.chains.forget_all()

    def anneal(
        self,
        patterns: cython.longlong[::1],
        row_types: cython.longlong[::1],
        moves: cython.longlong,
        temperature: cython.double,
        max_closed_size: cython.longlong,
    ) -> None:
        """Try so many moves of these patterns and row types; only groups of up to so many rows are closed.

        Each is kept if it costs at most a random accepted increase, which is larger at high temperatures.
        """
        if patterns.shape[0] == 0 or row_types.shape[0] == 0:
            return
        with cython.nogil:
            for _ in range(moves):
                self.tried += 1
                if self.has_chains and self.tried % CHAINED == 0:
                    self.chains.try_move(patterns, row_types, temperature, max_closed_size)
                    continue
                self.moves.stamp += 1
                self.assignment.logged = 0
                before = self.assignment.cost
                accepted_increase = -temperature * self.rules.unit * log(1.0 - self.random.draw())
                which = self.random.draw()
                if which < OPENINGS:
                    p = patterns[self.random.draw_below(patterns.shape[0])]
                    done = self.opening.open_pattern(p, max_closed_size, accepted_increase)
                else:
                    u = row_types[self.random.draw_below(row_types.shape[0])]
                    done = self.move_away(u, which < OPENINGS + CLOSINGS, max_closed_size, accepted_increase)
                if done and self.assignment.cost - before <= accepted_increase:
                    self.moves.forget()
                else:
                    self.assignment.undo()

    @cython.cfunc
    @cython.nogil
    def move_away(
        self,
        u: cython.Py_ssize_t,
        closing: cython.bint,
        max_closed_size: cython.longlong,
        accepted_increase: cython.double,
    ) -> cython.bint:
        """Close the first group of a row type, or relocate some of its copies; say whether it was done."""
        q = self.index.pattern_of[self.assignment.homes.head[u]]
        if self.index.cost[q] == 0:
            return False
        if not closing:
            return self.moves.relocate(u, accepted_increase)
        return (
            self.assignment.size[q] <= max_closed_size
            and self.moves.closing_cost(q) <= accepted_increase
            and self.moves.close(q)
        )

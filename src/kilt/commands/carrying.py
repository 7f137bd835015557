"""What was found under some policies, and what it says about others: releases and bounds are carried between them.

A release under a policy is one under every looser policy, and a bound under a policy holds under every stricter one.
So stars and bounds never fall from a policy to a stricter one. That a release is legal is not taken from the order of
the policies: it is decided again, in integers, by the rules of the policy that it is carried to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.errors import VerificationError
from kilt.model.partition import Partition
from kilt.model.policy import Policy
from kilt.model.problem import Problem
from kilt.model.rules import Rules
from kilt.model.strictness import strictness
from kilt.solvers.base import Solution


@dataclass(frozen=True)
class FoundRelease:
    """A partition, and the place of the policy under which it was found."""

    partition: Partition
    place: int

    @property
    def cost(self) -> int:
        """What it costs."""
        return self.partition.cost


@dataclass(frozen=True)
class FoundBound:
    """A bound, and the place of the policy under which it was found."""

    bound: Bound
    place: int


@dataclass(frozen=True)
class Known:
    """The best that is known of a policy: a release and a bound, its own or those of other policies."""

    release: FoundRelease
    bound: FoundBound | None


class Carrier:
    """The releases and bounds found so far under a list of policies, each of which is named by its place in it.

    Their problems are those of one table, and differ in nothing but their rules.
    """

    def __init__(self, policies: Sequence[Policy]) -> None:
        self._as_strict = strictness(policies)
        self._stricter = self._as_strict & ~self._as_strict.T
        self.problem: Problem | None = None  # one of those that were solved
        self._rules: dict[int, Rules] = {}
        self._releases: dict[int, FoundRelease] = {}
        self._bounds: dict[int, FoundBound] = {}

    def loosest_first(self) -> list[int]:
        """Return the places in an order in which every policy comes before those that are stricter.

        A policy is at least as strict as more policies than any that is looser.
        """
        return [int(place) for place in np.argsort(self._as_strict.sum(axis=1), kind="stable")]

    def start(self, place: int, problem: Problem) -> FoundRelease | None:
        """Return the cheapest release of the looser policies next to this one that happens to be legal under it."""
        looser = [other for other in self._releases if self._as_strict[place, other]]
        nearest = [self._releases[other] for other in looser if not self._stricter[looser, other].any()]
        legal = [found for found in nearest if _is_accepted(problem, found.partition)]
        return min(legal, key=lambda found: found.cost, default=None)

    def exact_bound(self, place: int) -> int:
        """Return the best bound of looser policies that was proved in integers."""
        exact = [found for found in self._bounds.values() if found.bound.arithmetic == "exact"]
        return max((found.bound.cost for found in exact if self._as_strict[place, found.place]), default=0)

    def add(self, place: int, problem: Problem, start: FoundRelease | None, solution: Solution | None) -> None:
        """Keep what was found under a policy: the start, if there was nothing to solve or nothing cheaper was found."""
        if solution is not None and (start is None or solution.cost <= start.cost):
            self._releases[place] = FoundRelease(solution.partition, place)
        elif start is not None:
            self._releases[place] = start
        if solution is not None and solution.bound is not None:
            self._bounds[place] = FoundBound(solution.bound, place)
        self.problem, self._rules[place] = problem, problem.rules

    def known(self) -> dict[int, Known]:
        """Carry releases to looser policies and bounds to stricter ones, and return the best of each policy."""
        releases = {place: self._cheapest(place) for place in self._releases}
        bounds = [found for found in self._bounds.values() if _stands(found.bound, releases[found.place])]
        return {place: Known(release, self._highest(place, bounds)) for place, release in releases.items()}

    def _cheapest(self, place: int) -> FoundRelease:
        """Return the policy's own release, or a cheaper one of a policy that is at least as strict."""
        own = self._releases[place]
        strict = [self._releases[other] for other in self._releases if self._as_strict[other, place]]
        cheaper = sorted((found for found in strict if found.cost < own.cost), key=lambda found: found.cost)
        if not cheaper or self.problem is None:
            return own
        problem = replace(self.problem, rules=self._rules[place])
        return next((found for found in cheaper if _is_accepted(problem, found.partition)), own)

    def _highest(self, place: int, bounds: Sequence[FoundBound]) -> FoundBound | None:
        """Return the policy's own bound, or a better one of a policy that it is at least as strict as."""
        looser = [found for found in bounds if self._as_strict[place, found.place]]
        return max(looser, key=lambda found: (found.bound.rank[:2], found.place == place), default=None)


def _is_accepted(problem: Problem, partition: Partition) -> bool:
    """Decide whether a partition of the same table may be released under the rules of a problem."""
    by_class = partition.by_class(problem)
    return bool(problem.is_legal(by_class).all()) and problem.rules.accepts(problem.groups(by_class))


def _stands(bound: Bound, release: FoundRelease) -> bool:
    """Say whether a bound stands beside the best release: one that was proved in floating point may be wrong."""
    if bound.cost <= release.cost:
        return True
    if bound.arithmetic == "exact":
        raise VerificationError("a release has fewer stars than was proved to be possible: this is an error in kilt")
    return False

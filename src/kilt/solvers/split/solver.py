"""Split: parts of a table are searched on their own, anywhere, and put together; then again, with other cuts.

In the first round row types are dealt out to parts that are legal themselves. In the later ones whole groups are, along
other columns, and each part goes on from its groups; so no round makes the release worse. The multipliers of the first
parts are multipliers of the whole table, where they are evaluated once: the bounds of the parts are none of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kilt.bounds.level_by_level import improve_multipliers
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.errors import InputError
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, Rules, SizeRule
from kilt.numbers import FloatArray, IntArray
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import StoppingRule
from kilt.run.threads import ALL_CORES
from kilt.solvers.base import Solution
from kilt.solvers.greedy.solver import Greedy
from kilt.solvers.search.solver import Search
from kilt.solvers.split.cuts import PARAMS as CUTS
from kilt.solvers.split.cuts import Items, draw_parts, hidden_shares
from kilt.solvers.split.part import PartAnswer, PartTask, solve_part
from kilt.solvers.split.whole_bound import Evaluate, joined, scaled_down

SolvePart = Callable[[bytes], bytes]
MapParts = Callable[[SolvePart, Iterable[bytes]], Iterable[bytes]]


@dataclass(frozen=True)
class Params:
    """Shares of the time, and sizes."""

    round_shares: tuple[float, ...] = (0.7, 0.3)  # of the time and the moves are for each round
    bounding_share: float = 0.15  # of the time is for the bound of the whole
    improving_share: float = 0.7  # of that is for improving its multipliers
    row_types_per_part: int = 200_000  # at most, if the number of parts is not given
    max_sampled: int = 100_000  # row types from which it is learned which columns are seldom hidden
    sampling_share: float = 0.05  # of the time is for that
    row_types_per_gigabyte: int = 350_000  # that a search holds


PARAMS = Params()


def map_in_threads(solve: SolvePart, tasks: Iterable[bytes]) -> Iterator[bytes]:
    """Solve parts by threads, one for each core; answers come in the order of the tasks."""
    with ThreadPoolExecutor(ALL_CORES) as threads:
        yield from threads.map(solve, tasks)


@dataclass(frozen=True)
class Split:
    """Any table, in so many parts.

    ``map_parts`` solves tasks wherever it likes, ``slots`` of them at a time, and returns the answers in their order.
    ``evaluate`` proves the bound of the whole table, whose multipliers are improved by ``steps`` before, under k alone;
    with no steps they are evaluated as they are.
    """

    seed: int = 0
    parts: int | None = None
    map_parts: MapParts = map_in_threads
    slots: int = ALL_CORES
    evaluate: Evaluate = evaluate_bound
    steps: int = 4

    name = "split"
    kind = "heuristic"
    brings_bound = True
    ends = False
    is_random = True

    def refuses(self, problem: Problem) -> str | None:
        """Refuse what the search refuses, and t-closeness: parts that are close to the whole table cost too much."""
        if any(isinstance(rule, ClosenessRule) for rule in problem.rules):
            return (
                "it does not divide tables under t-closeness, whose row types must fit on one machine, about "
                f"{PARAMS.row_types_per_gigabyte:,} for every gigabyte of memory: use --solver search"
            )
        return Search().refuses(problem)

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Search the parts of every round, and bound the whole by what the first parts found."""
        rounds = Rounds(self, problem, stop.share(1 - PARAMS.bounding_share), observer)
        number = self.parts or max(2, -(-len(problem.counts) // PARAMS.row_types_per_part))
        costs = _learned_costs(problem, stop, self.seed)
        partition, evidence, used = rounds.first(number, costs)
        for place in range(1, len(PARAMS.round_shares)):
            if stop() or partition.cost == problem.base_cost:
                break
            costs = hidden_shares(problem, partition) + CUTS.reuse_cost * used
            partition, used = rounds.again(place, partition, number, costs)
        return self._with_bound(problem, partition, evidence, stop, observer)

    def _with_bound(
        self,
        problem: Problem,
        partition: Partition,
        evidence: tuple[Evidence, ...] | None,
        stop: StoppingRule,
        observer: Observer,
    ) -> Solution:
        """Evaluate the bound of the whole table, unless interrupted."""
        if evidence is None or stop.interrupted():
            return Solution(partition, Bound(problem.base_cost) if stop.interrupted() else None)
        observer(Progress("bounding", None, problem.stars(partition.cost)))
        improving = stop.share(PARAMS.improving_share)
        if len(evidence) == 1 and problem.rules.is_k_anonymity:
            if self.steps:
                evidence = (improve_multipliers(problem, evidence[0], self.steps, improving),)
            bound = Bound(self.evaluate(problem, evidence), evidence)
        else:
            bound = scaled_down(problem, evidence, self.evaluate, improving)
        observer(Progress("solving", 1.0, problem.stars(partition.cost), problem.stars(bound.cost)))
        return Solution(partition, bound)


@dataclass(frozen=True)
class Rounds:
    """The rounds of a run."""

    split: Split
    problem: Problem
    stop: StoppingRule
    observer: Observer

    def first(self, parts: int, costs: FloatArray) -> tuple[Partition, tuple[Evidence, ...] | None, FloatArray]:
        """Deal out the row types; return what was found, its multipliers if they fit together, and what was cut."""
        problem = self.problem
        labels, used = draw_parts(problem, Items.of_row_types(problem), parts, costs)
        drawn = [np.flatnonzero(labels == part) for part in range(int(labels.max()) + 1)]
        if len(drawn) == 1 < parts and len(problem.counts) > PARAMS.row_types_per_part:
            raise InputError(
                "this table cannot be divided: no cut along values leaves two parts that both meet the policy. Its row "
                f"types must fit on one machine, about {PARAMS.row_types_per_gigabyte:,} for every gigabyte of memory: "
                "use --solver search there, or a looser policy"
            )
        tasks = [(problem.part(types, problem.counts[types]), None) for types in drawn]
        answers = self._solved(0, tasks)
        evidence = joined(problem, [(types, answer.evidence) for types, answer in zip(drawn, answers, strict=True)])
        return merged(problem, drawn, [answer.partition for answer in answers]), evidence, used.astype(np.float64)

    def again(self, place: int, partition: Partition, parts: int, costs: FloatArray) -> tuple[Partition, FloatArray]:
        """Deal out the groups, and let each part go on from its own; return what was found, and what was cut."""
        problem = self.problem
        labels, used = draw_parts(problem, Items.of_groups(problem, partition), parts, costs)
        drawn, tasks = [], []
        for part in range(int(labels.max()) + 1):
            mine = labels[partition.groups] == part
            types, where = np.unique(partition.types[mine], return_inverse=True)
            counts = partition.counts[mine]
            alone = problem.part(types, np.bincount(where, counts).astype(np.int64))
            drawn.append(types)
            tasks.append((alone, Partition.of(alone, where, partition.groups[mine], counts)))
        found = merged(problem, drawn, [answer.partition for answer in self._solved(place, tasks)])
        return min(partition, found, key=lambda each: each.cost), used.astype(np.float64)

    def _solved(self, place: int, tasks: Sequence[tuple[Problem, Partition | None]]) -> list[PartAnswer]:
        """Solve the parts of a round in its share of the time and the moves, each by its share of the row types."""
        shares = PARAMS.round_shares
        stop = self.stop.share(shares[place] / sum(shares[place:]))
        waves = -(-len(tasks) // self.split.slots)
        seconds = None if stop.seconds is None else max(0.0, stop.seconds - stop.elapsed) / waves
        total = sum(len(problem.counts) for problem, _ in tasks)

        def task(index: int, problem: Problem, start: Partition | None) -> bytes:
            iterations = stop.iterations
            if iterations is not None:
                iterations = int(iterations * shares[place] * len(problem.counts) / total)
            alone = replace(problem, type_of=None)
            seed = self.split.seed + place * len(tasks) + index
            return PartTask(alone, start, seed, seconds, stop.gap, iterations).to_bytes()

        solve = partial(solve_part, interrupted=stop.interrupted) if self._is_local else solve_part
        answers = []
        sent = (task(index, *each) for index, each in enumerate(tasks))
        for answer in self.split.map_parts(solve, sent):
            answers.append(PartAnswer.of_bytes(answer))
            self.observer(Progress("solving", (place + len(answers) / len(tasks)) / len(shares)))
        return answers

    @property
    def _is_local(self) -> bool:
        """Whether parts are solved in this process, where they can be interrupted."""
        return self.split.map_parts is map_in_threads


def merged(problem: Problem, drawn: Sequence[IntArray], parts: Sequence[Partition]) -> Partition:
    """Put the groups of all parts together; ``drawn`` are the row types of each."""
    before = np.cumsum([0, *(len(part) for part in parts)])
    return Partition.of(
        problem,
        np.concatenate([types[part.types] for types, part in zip(drawn, parts, strict=True)]),
        np.concatenate([part.groups + first for part, first in zip(parts, before[:-1], strict=True)]),
        np.concatenate([part.counts for part in parts]),
    )


def _learned_costs(problem: Problem, stop: StoppingRule, seed: int) -> FloatArray:
    """Return for every column the share of rows that level greedy hides in it, in a sample if the table is large.

    Sizes are all that it looks at: a sample need not be legal otherwise.
    """
    sizes = Rules((SizeRule(max(1, problem.rules.min_group_size)),))
    alike = replace(problem, rules=sizes, sensitive=problem.sensitive[:, :0], sizes=())
    if len(problem.counts) > PARAMS.max_sampled:
        chosen = np.random.default_rng(seed).choice(len(problem.counts), PARAMS.max_sampled, replace=False)
        types = np.sort(chosen)
        alike = alike.part(types, problem.counts[types])
    limit = stop.share(PARAMS.sampling_share)
    return hidden_shares(alike, Greedy().solve(alike, limit, silent).partition)

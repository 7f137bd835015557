"""The multipliers of parts of a table, put together: what they prove of the whole is another question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kilt.certificates.proof.evidence import CountingCuts, Evidence, PatternMultipliers, PatternTrees
from kilt.certificates.proof.patterns import is_joined
from kilt.model.problem import Problem
from kilt.numbers import IntArray


def join_evidence(problem: Problem, parts: Sequence[tuple[IntArray, Evidence]]) -> Evidence | None:
    """Return the evidence of disjoint parts, each with its row types; None if they do not fit together.

    They fit if they are about the same columns, on the same scale.
    """
    first = parts[0][1]
    if any(
        (part.columns, part.scale, part.largest) != (first.columns, first.scale, first.largest) for _, part in parts
    ):
        return None
    multipliers = np.zeros(len(problem.counts), dtype=np.int64)
    for types, part in parts:
        multipliers[types] = part.multipliers
    return Evidence(
        first.columns,
        multipliers,
        first.scale,
        first.largest,
        _joined_multipliers([(types, part.size_multipliers) for types, part in parts]),
        _joined_multipliers([(types, part.linear_multipliers) for types, part in parts]),
        _joined_multipliers([(types, part.tail_multipliers) for types, part in parts]),
        PatternTrees(
            _joined_multipliers([(types, part.trees.patterns) for types, part in parts]),
            np.concatenate([part.trees.nodes for _, part in parts]),
        ),
        _joined_multipliers([(types, part.own_largest) for types, part in parts]),
        CountingCuts() if is_joined(problem) else _joined_cuts([(types, part.counting) for types, part in parts]),
    )


def _joined_cuts(parts: Sequence[tuple[IntArray, CountingCuts]]) -> CountingCuts:
    """Name the sets of all parts by row types of the whole table."""
    return CountingCuts(
        np.concatenate([types[cuts.types] for types, cuts in parts]),
        np.concatenate([cuts.lengths for _, cuts in parts]),
        np.concatenate([cuts.multipliers for _, cuts in parts]),
    )


def _joined_multipliers(parts: Sequence[tuple[IntArray, PatternMultipliers]]) -> PatternMultipliers:
    """Name the patterns of all parts by row types of the whole table."""
    parts = [(types, part) for types, part in parts if len(part.first)]
    if not parts:
        return PatternMultipliers()
    vectors = tuple(dict.fromkeys(levels for _, part in parts for levels in part.vectors))
    place = {levels: index for index, levels in enumerate(vectors)}
    return PatternMultipliers(
        vectors,
        np.concatenate([np.array([place[levels] for levels in part.vectors])[part.vector] for _, part in parts]),
        np.concatenate([types[part.first] for types, part in parts]),
        np.concatenate([part.numbers for _, part in parts]),
    )

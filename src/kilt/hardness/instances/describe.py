"""What ``kilt instance`` says: of a table that it wrote, and of a release that it maps back."""

from __future__ import annotations

from typing import Any

from kilt.hardness.instances.instance import Groups
from kilt.hardness.problems.covers import TupleCover
from kilt.hardness.problems.graphs import Bisection, Clique, HalfClique
from kilt.hardness.problems.triples import Matching
from kilt.hardness.reductions.reduction import Reduction
from kilt.numbers import pluralize


def described(reduction: Reduction[Any, Groups]) -> dict[str, Any]:
    """Return what there is to say of an instance, as plain JSON values."""
    return {
        "rows": len(reduction.table.rows),
        "columns": len(reduction.table.columns),
        "policy": str(reduction.policy),
        "threshold": reduction.threshold,
        "claim": str(reduction.claim()),
        "solver": reduction.instance.exact_solver(),
    }


def described_text(reduction: Reduction[Any, Groups]) -> str:
    """Say it in two lines."""
    table = reduction.table
    size = f"{pluralize(len(table.rows), 'row')}, {pluralize(len(table.columns), 'quasi column')}, {reduction.policy}"
    return f"{size}\nthe optima: {reduction.claim()}"


def mapped(reduction: Reduction[Any, Groups], groups: Groups) -> dict[str, Any]:
    """Map the groups of a release back, and return what that says of the source, as plain JSON values."""
    solution = reduction.back(groups)
    source = reduction.source
    return {
        "stars": reduction.instance.value(groups),
        source.counts: source.value(solution),
        "accepted": None if source.goal is None else source.accepts(solution),
        "solution": listed(reduction, solution),
    }


def mapped_text(reduction: Reduction[Any, Groups], groups: Groups) -> str:
    """Say what a release says of the source."""
    found, source = mapped(reduction, groups), reduction.source
    lines = [f"{found['stars']:,} stars, {source.counts} {found[source.counts]:,}: {_names(found['solution'])}"]
    if found["accepted"]:
        lines.append("the answer is yes")
    elif source.goal is not None:
        lines.append("this is no solution; if the stars are the fewest, the answer is no")
    return "\n".join(lines)


def listed(reduction: Reduction[Any, Groups], solution: Any) -> list[Any]:
    """Return a solution in the order of the source's nodes or tuples."""
    source = reduction.source
    if isinstance(source, TupleCover):
        return [list(triple) for triple in source.matching.triples if triple in solution]
    if isinstance(source, Matching):
        return [list(triple) for triple in source.triples if triple in solution]
    if isinstance(source, Bisection | Clique | HalfClique):
        return [node for node in source.graph.nodes if node in solution]
    return list(solution)


def _names(solution: list[Any]) -> str:
    return (
        ", ".join("-".join(map(str, each)) if isinstance(each, list) else str(each) for each in solution) or "nothing"
    )

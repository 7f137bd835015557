"""Exact transportation: the earth mover's distance under any metric, with a proof from both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Matrix = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Transport:
    """A way to move surplus to deficit, and a potential that proves that none is cheaper."""

    flow: dict[tuple[int, int], int]
    potential: tuple[int, ...]

    def cost(self, difference: Sequence[int], distance: Matrix) -> int:
        """Return the cost of the flow after checking that it moves exactly the difference."""
        balance = list(difference)
        for (source, sink), amount in self.flow.items():
            if amount < 0:
                raise ArithmeticError("a flow is negative")
            balance[source] -= amount
            balance[sink] += amount
        if any(balance):
            raise ArithmeticError("the flow does not move the difference")
        return sum(amount * distance[i][j] for (i, j), amount in self.flow.items())

    def value(self, difference: Sequence[int], distance: Matrix) -> int:
        """Return the value of the potential after checking that it is 1-Lipschitz."""
        points = range(len(difference))
        if any(self.potential[i] - self.potential[j] > distance[i][j] for i in points for j in points):
            raise ArithmeticError("the potential is steeper than the metric")
        return sum(self.potential[i] * difference[i] for i in points)


def transport(difference: Sequence[int], distance: Matrix) -> Transport:
    """Move the positive part of ``difference`` to its negative part at the least cost.

    Successive shortest paths on integers. The potential extends to every point, because the
    distances obey the triangle inequality.
    """
    sources = [i for i, d in enumerate(difference) if d > 0]
    sinks = [i for i, d in enumerate(difference) if d < 0]
    left = {i: abs(difference[i]) for i in (*sources, *sinks)}
    node_potential = dict.fromkeys(left, 0)
    flow: dict[tuple[int, int], int] = {}
    while any(left[i] for i in sources):
        _augment(sources, sinks, left, node_potential, flow, distance)
    potential = (
        tuple(min(distance[x][j] - node_potential[j] for j in sinks) for x in range(len(difference)))
        if sinks
        else (0,) * len(difference)
    )
    return Transport(flow, potential)


def _augment(
    sources: list[int],
    sinks: list[int],
    left: dict[int, int],
    node_potential: dict[int, int],
    flow: dict[tuple[int, int], int],
    distance: Matrix,
) -> None:
    """Send as much as possible along one shortest path, and raise the potentials of nodes so that it is tight."""
    length: dict[int, int] = {i: 0 for i in sources if left[i]}
    parent: dict[int, int] = {}
    done: dict[int, int] = {}
    is_sink = set(sinks)
    while True:
        node = min((n for n in length if n not in done), key=lambda n: (length[n], n))
        done[node] = length[node]
        if node in is_sink and left[node]:
            break
        if node in is_sink:
            steps = [(i, -distance[i][node]) for i in sources if flow.get((i, node), 0)]
        else:
            steps = [(j, distance[node][j]) for j in sinks]
        for other, cost in steps:
            reach = length[node] + cost + node_potential[node] - node_potential[other]
            if other not in done and reach < length.get(other, reach + 1):
                length[other], parent[other] = reach, node
    for other in node_potential:
        node_potential[other] += min(done.get(other, length[node]), length[node])
    _push(node, parent, left, flow, is_sink)


def _push(
    end: int,
    parent: dict[int, int],
    left: dict[int, int],
    flow: dict[tuple[int, int], int],
    is_sink: set[int],
) -> None:
    path = [end]
    while path[-1] in parent:
        path.append(parent[path[-1]])
    path.reverse()
    steps = list(pairwise(path))
    backward = [flow[(j, i)] for i, j in steps if i in is_sink]
    amount = min([left[path[0]], left[end], *backward])
    for i, j in steps:
        key, sign = ((j, i), -1) if i in is_sink else ((i, j), 1)
        flow[key] = flow.get(key, 0) + sign * amount
        if not flow[key]:
            del flow[key]
    left[path[0]] -= amount
    left[end] -= amount

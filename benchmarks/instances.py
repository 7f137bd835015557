"""A small library of sources whose optima are known by proof; the reductions make tables with known optima of them.

Run: python benchmarks/instances.py FOLDER writes them as files for kilt instance.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

from kilt.hardness import (
    Bisection,
    Graph,
    HalfClique,
    Matching,
    graph_text,
    matching_text,
    planted_bisection,
    planted_clique,
    planted_matching,
)


@dataclass(frozen=True)
class Named:
    """A source, its optimum (cut, edges or matching), and why it is that."""

    name: str
    source: Bisection | HalfClique | Matching
    best: int
    why: str

    @property
    def text(self) -> str:
        """The source as a file."""
        comment = f"{self.name}: the best {self.source.counts} is {self.best}; {self.why}"
        if isinstance(self.source, Matching):
            return matching_text(self.source, comment)
        return graph_text(self.source.graph, comment)


def cycle(n: int) -> Graph:
    return Graph.of([(i, (i + 1) % n) for i in range(n)])


def complete(n: int) -> Graph:
    return Graph.of(combinations(range(n), 2))


def complete_parts(*sizes: int) -> Graph:
    """Join all nodes of different parts."""
    nodes = [(part, i) for part, size in enumerate(sizes) for i in range(size)]
    return Graph.of([pair for pair in combinations(nodes, 2) if pair[0][0] != pair[1][0]], nodes)


def hypercube(d: int) -> Graph:
    return Graph.of([(i, i ^ 1 << bit) for i in range(2**d) for bit in range(d) if not i >> bit & 1], range(2**d))


def grid(rows: int, columns: int) -> Graph:
    cells = list(product(range(rows), range(columns)))
    return Graph.of([(p, q) for p, q in combinations(cells, 2) if abs(p[0] - q[0]) + abs(p[1] - q[1]) == 1], cells)


def petersen() -> Graph:
    rim = [(i, (i + 1) % 5) for i in range(5)]
    return Graph.of([*rim, *((i, i + 5) for i in range(5)), *((i + 5, (i + 2) % 5 + 5) for i in range(5))])


def latin(n: int) -> Matching:
    """Return the tuples (i, j, i + j mod n): a matching that covers all is a transversal of this Latin square."""
    return Matching.of([(i, j, (i + j) % n) for i in range(n) for j in range(n)])


def bisections() -> list[Named]:
    spectral = "n/4 times the second eigenvalue of the Laplacian, and a cut that has it"
    return [
        Named("cycle-12", Bisection(cycle(12)), 2, "a cycle is cut an even number of times"),
        Named("complete-8", Bisection(complete(8)), 16, "every bisection cuts n^2/4 edges"),
        Named("two-parts-12", Bisection(complete_parts(6, 6)), 18, "i^2 + (6-i)^2 edges, i of a part on a side; i=3"),
        Named("petersen", Bisection(petersen()), 5, spectral),
        Named("hypercube-3", Bisection(hypercube(3)), 4, spectral),
        Named("hypercube-4", Bisection(hypercube(4)), 8, spectral),
        Named("grid-4", Bisection(grid(4, 4)), 4, "known width of the grid, by exchange arguments"),
        Named(
            "two-cliques-12", Bisection(planted_bisection(12, 7, seed=1)[0]), 7, "at most n-2 edges join two cliques"
        ),
        Named(
            "two-cliques-16", Bisection(planted_bisection(16, 9, seed=2)[0]), 9, "at most n-2 edges join two cliques"
        ),
    ]


def half_cliques() -> list[Named]:
    def yes(name: str, graph: Graph, why: str) -> Named:
        source = HalfClique(graph)
        return Named(name, source, source.goal.value, f"yes: {why}")

    turan = "no: one node of each of 6 parts is the largest clique"
    return [
        yes("two-triangles", Graph.of([*combinations("abc", 2), *combinations("def", 2)]), "a triangle"),
        yes("cocktail-10", complete_parts(2, 2, 2, 2, 2), "one node of each part"),
        yes("cocktail-14", complete_parts(*(2,) * 7), "one node of each part"),
        yes("planted-14", planted_clique(14, 7, 40, seed=3)[0], "planted"),
        Named("bipartite-10", HalfClique(complete_parts(5, 5)), 6, "no: i (5-i) edges, i of a part; i=2"),
        Named("turan-14", HalfClique(complete_parts(3, 3, 2, 2, 2, 2)), 20, turan),
    ]


def matchings() -> list[Named]:
    return [
        Named("latin-2", latin(2), 1, "no: a cyclic square of even order has no transversal"),
        Named("latin-3", latin(3), 3, "yes: a cyclic square of odd order has the transversal i, i, 2i"),
        Named("latin-4", latin(4), 3, "no: a cyclic square of even order has no transversal"),
        Named("latin-5", latin(5), 5, "yes: a cyclic square of odd order has the transversal i, i, 2i"),
        Named("planted-4", planted_matching(4, 10, seed=4)[0], 4, "yes: planted"),
    ]


def library() -> list[Named]:
    return [*bisections(), *half_cliques(), *matchings()]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python benchmarks/instances.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for named in library():
        ending = "3dm" if isinstance(named.source, Matching) else "col"
        (folder / f"{named.name}.{ending}").write_text(named.text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

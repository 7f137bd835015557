"""Graphs and matchings from objects, pairs and files."""

from __future__ import annotations

import networkx
import pytest
import rustworkx

from kilt import InputError
from kilt.hardness import Graph, graph_text, matching_text, random_graph, random_matching, read_graph, read_matching


def test_graphs_come_from_objects_pairs_and_files(tmp_path):
    expected = Graph(("a", "b", "c", "d"), ((0, 1), (1, 2)))
    assert Graph.of([("a", "b"), ("b", "c"), ("c", "b")], "abcd") == expected
    drawn = networkx.Graph()
    drawn.add_nodes_from("abcd")
    drawn.add_edge("a", "b")
    drawn.add_edge("b", "c", weight=1)
    assert Graph.of(drawn) == Graph.of(networkx.freeze(drawn)) == expected
    assert Graph.of(networkx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")])) == Graph.of([("a", "b"), ("b", "c")])
    with pytest.raises(InputError, match="directed"):
        Graph.of(networkx.DiGraph([("a", "b")]))
    with pytest.raises(InputError, match="from a node to itself"):
        Graph.of(networkx.Graph([("a", "a"), ("a", "b")]))
    other = rustworkx.PyGraph()
    other.add_nodes_from("abcd")
    other.add_edges_from([(0, 1, "x"), (1, 2, "y")])
    assert Graph.of(other) == Graph((0, 1, 2, 3), ((0, 1), (1, 2)))
    with pytest.raises(InputError, match="directed"):
        Graph.of(rustworkx.PyDiGraph())
    (tmp_path / "list.txt").write_text("# a path\na b\nb, c\n\nd\n")
    assert read_graph(tmp_path / "list.txt") == expected
    graph = random_graph(7, 9, 3)
    (tmp_path / "graph.col").write_text(graph_text(graph, "drawn"))
    assert read_graph(tmp_path / "graph.col") == graph
    matching = random_matching(3, 7, 3)
    (tmp_path / "matching.txt").write_text(matching_text(matching))
    assert read_matching(tmp_path / "matching.txt") == matching
    (tmp_path / "plain.txt").write_text("x1 y1 z1\nx2 y2 z1\nx2 y1 z2\n")
    assert read_matching(tmp_path / "plain.txt").size == 2

"""Graphs and matchings in files."""

from __future__ import annotations

import pytest

from kilt import InputError
from kilt.hardness import Graph, read_graph, read_matching


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e 1 2\n", "line 1: there is 'e' where"),
        ("c nothing\n", "has no line 'p edge SIZE COUNT'"),
        ("p edge 3\n", "line 1: a line 'p edge SIZE COUNT' is due"),
        ("p edge 3 x\n", "line 1: a line 'p edge"),
        ("p 3dm 3 1\ne 1 1 1\n", "line 1: a line 'p edge"),
        ("p edge 1000001 1\n", "1000001 are more than the 1,000,000"),
        (f"p edge {'9' * 5000} 1\n", "line 1: 99999999999999999999 are more than the 1,000,000"),
        (f"p edge 3 {'9' * 5000}\n", "line 1: 99999999999999999999 are more lines than a file can have"),
        (f"p edge 3 1\ne 1 {'9' * 5000}\n", "line 2: 2 numbers from 1 to 3"),
        ("p edge 3 1\ne 1 4\n", "line 2: 2 numbers from 1 to 3 are due"),
        ("p edge 3 1\ne 0 1\n", "line 2: 2 numbers from 1 to 3"),
        ("p edge 3 1\ne 1 2 3\n", "line 2: 2 numbers from 1 to 3"),
        ("p edge 3 1\ne 1 two\n", "line 2: 2 numbers from 1 to 3"),
        ("p edge 3 1\nq 1 2\n", "line 2: there is 'q' where"),
        ("p edge 3 1\np edge 3 1\ne 1 2\n", "line 2: there is a second line 'p'"),
        ("p edge 3 2\ne 1 2\n", "promises 2 lines 'e' and has 1"),
        ("p edge 3 1\ne 2 2\n", "an edge from a node to itself"),
    ],
)
def test_malformed_dimacs(tmp_path, text, message):
    path = tmp_path / "graph.col"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_graph(path)


def test_other_malformed_sources(tmp_path):
    for name, text, message in [
        ("a.txt", "1 2 3\n", "line 1: 1 or 2 names are due, and there are 3"),
        ("b.txt", "# nothing\n", "is empty"),
        ("c.txt", "1 1\n", "an edge from a node to itself"),
    ]:
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=message):
            read_graph(tmp_path / name)
    (tmp_path / "d.txt").write_text("x1 y1 z1\nx2 y1 z1\n")
    with pytest.raises(InputError, match="X has 2, Y has 1, Z has 1"):
        read_matching(tmp_path / "d.txt")
    with pytest.raises(InputError, match="does not exist"):
        read_graph(tmp_path / "none.col")
    (tmp_path / "e.col").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_graph(tmp_path / "e.col")


def test_dimacs_files_may_list_both_directions(tmp_path):
    path = tmp_path / "graph.col"
    for count in (1, 2):
        path.write_text(f"c both\np col 3 {count}\ne 1 2\ne 2 1\n")
        assert read_graph(path) == Graph((1, 2, 3), ((0, 1),))


def test_weights_of_nodes_are_skipped(tmp_path):
    path = tmp_path / "graph.col"
    path.write_text("p edge 3 1\nn 1 5\nn 2 7\ne 1 2\n")
    assert read_graph(path) == Graph((1, 2, 3), ((0, 1),))
    path.write_text("p 3dm 1 1\nn 1 5\ne 1 1 1\n")
    with pytest.raises(InputError, match="line 2: there is 'n' where"):
        read_matching(path)

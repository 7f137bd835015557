"""Taxonomies as they are read and padded."""

from __future__ import annotations

from kilt import Taxonomy


def test_uneven_taxonomies_are_padded_at_their_values():
    tree = Taxonomy.of([["a", "x", "y", "*"], ["b"]])
    assert tree.paths["b"] == ("b", "b", "b", "*")
    assert tree.height == 3


def test_taxonomies_are_read_from_files(tmp_path):
    for delimiter in ";,\t":
        (tmp_path / "t.csv").write_text(delimiter.join(["a", "x", "*"]) + "\n" + delimiter.join(["b", "x", "*"]) + "\n")
        assert Taxonomy.read(tmp_path / "t.csv").paths["b"] == ("b", "x", "*")

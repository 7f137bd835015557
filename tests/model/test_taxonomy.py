"""Taxonomies as they are read and padded."""

from __future__ import annotations

import pytest

import kilt
from kilt import InputError, Policy, Taxonomy


def test_uneven_taxonomies_are_padded_at_their_values():
    tree = Taxonomy.of([["a", "x", "y", "*"], ["b"]])
    assert tree.paths["b"] == ("b", "b", "b", "*")
    assert tree.height == 3


def test_taxonomies_are_read_from_files(tmp_path):
    for delimiter in ";,\t":
        (tmp_path / "t.csv").write_text(delimiter.join(["a", "x", "*"]) + "\n" + delimiter.join(["b", "x", "*"]) + "\n")
        assert Taxonomy.read(tmp_path / "t.csv").paths["b"] == ("b", "x", "*")


LINES = "Köln;Rheinland;*\nÉvian;Savoie;*\nNuit…;Savoie;*\n"


@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16-le", "utf-16", "mac-roman", "utf-8", "utf-8-sig"])
def test_a_taxonomy_may_have_the_encoding_of_the_table_or_be_utf_8(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes(LINES.encode(encoding))
    assert Taxonomy.read(path, encoding).paths["Köln"] == ("Köln", "Rheinland", "*")
    path.write_text(LINES, encoding="utf-8")
    assert Taxonomy.read(path, encoding).paths["Évian"] == ("Évian", "Savoie", "*")


def test_an_encoding_of_ascii_bytes_is_not_taken_for_utf_8(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("東京;関東\n".encode("iso-2022-jp"))
    assert list(Taxonomy.read(path, "iso-2022-jp").paths) == ["東京"]


def test_a_byte_order_mark_says_what_a_taxonomy_is(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(LINES.encode("utf-16"))
    assert Taxonomy.read(path).paths["Köln"] == ("Köln", "Rheinland", "*")


def test_a_taxonomy_that_is_not_utf_8_is_refused_with_what_it_seems_to_be(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(LINES.encode("windows-1252"))
    with pytest.raises(InputError, match=r"line 1 of the taxonomy file '.*' is not valid UTF-8, and seems to be"):
        Taxonomy.read(path)


def test_cells_of_a_taxonomy_may_have_quotes_and_ends_of_lines(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes('"a;\nb";x\r\nc\x85d;x\r\n'.encode("latin-1"))
    assert list(Taxonomy.read(path, "latin-1").paths) == ["a;\nb", "c\x85d"]
    path.write_bytes(b"a;\x00x\n")
    with pytest.raises(InputError, match=r"taxonomy file"):
        Taxonomy.of([*Taxonomy.read(path).paths.values()] * 2)


def test_the_encoding_reaches_ladders_and_spaces(tmp_path):
    (tmp_path / "towns.csv").write_bytes(LINES.encode("windows-1252"))
    (tmp_path / "metric.csv").write_bytes(";Köln;Évian\nKöln;0;1\nÉvian;1;0\n".encode("windows-1252"))
    table = tmp_path / "table.csv"
    table.write_bytes("town,from\nKöln,Köln\nÉvian,Évian\nNuit…,Köln\nÉvian,Évian\n".encode("windows-1252"))
    roles = {
        "quasi": f"town:taxonomy={tmp_path / 'towns.csv'}",
        "sensitive": f"from:metric={tmp_path / 'metric.csv'}",
        "encoding": "windows-1252",
    }
    release = kilt.anonymize(table, policy=Policy(k=2, t="0.5"), output=tmp_path / "o.csv", **roles)
    assert release.rows == 4
    assert kilt.verify(tmp_path / "o.csv", original=table, policy=Policy(k=2, t="0.5"), **roles).met
    assert kilt.ladder(table, roles["quasi"], encoding="windows-1252").levels[1].labels == 2

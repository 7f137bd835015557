"""Encodings: a file is read without loss or refused with what it seems to be, and a release is written as it was."""

from __future__ import annotations

import csv
import gzip
import io
import re

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.encodings import BOMS
from kilt.sources.file_format import FileStyle
from kilt.sources.registry import open_source
from support.profiles import examples

TABLE = "ort;größe\nKöln;1,50 €\nKöln;1,60 €\nAachen;1,50 €\n"
WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


def name_only(value: object) -> str:
    """Name a case without its bytes, which are not the same each time if they are compressed."""
    return "" if isinstance(value, bytes) else re.sub(r"[^a-z0-9 ]", "", str(value))[:40]


def release(path, **options):
    target = path.with_name("out.csv")
    kilt.anonymize(path, quasi="ort,größe", policy=kilt.Policy(k=3), output=target, **options)
    return target.read_bytes()


@pytest.mark.parametrize(
    "encoding", ["windows-1252", "utf-16", "utf-16-le", "utf-32-be", "iso8859-15", "UTF8", "cp1252"]
)
@pytest.mark.parametrize("bom", [False, True])
def test_a_release_is_written_in_the_encoding_of_its_input(tmp_path, encoding, bom):
    name = {"utf-16": "utf-16-be", "UTF8": "utf-8"}.get(encoding, encoding)
    mark = BOMS.get(name, b"") if bom else b""
    (tmp_path / "in.csv").write_bytes(mark + TABLE.encode(name))
    expected = "ort;größe\n*;*\n*;*\n*;*\n"
    assert release(tmp_path / "in.csv", encoding=encoding) == mark + expected.encode(name)


def test_utf_8_with_a_byte_order_mark_keeps_it_without_an_option(tmp_path):
    (tmp_path / "in.csv").write_bytes(TABLE.encode("utf-8-sig"))
    assert release(tmp_path / "in.csv") == "ort;größe\n*;*\n*;*\n*;*\n".encode("utf-8-sig")
    verdict = kilt.verify(
        tmp_path / "out.csv", original=tmp_path / "in.csv", quasi="ort,größe", policy=kilt.Policy(k=3)
    )
    assert verdict.met


CELL = st.text(alphabet='ab ,;"\n*é€ß\tж', max_size=5)


@given(
    st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=8),
    st.sampled_from(["cp1252", "utf-16-le", "utf-16-be", "utf-8", "gb18030", "shift_jis", "utf-32-le"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
@examples(20)
def test_cells_come_back_in_every_encoding(tmp_path_factory, rows, encoding, end, bom):
    folder = tmp_path_factory.mktemp("csv")
    rows = [[cell.encode(encoding, "ignore").decode(encoding) for cell in row] for row in rows]
    written = io.StringIO()
    csv.writer(written, lineterminator=end).writerows([["x", "y", "z"], *rows])
    mark = BOMS.get(encoding, b"") if bom else b""
    (folder / "in.csv").write_bytes(mark + written.getvalue().encode(encoding))
    style = {"delimiter": ",", "encoding": encoding}
    read = open_source(folder / "in.csv", FileStyle(**style)).native.fetchall()
    assert [["" if cell is None else cell for cell in row] for row in read] == rows
    kilt.anonymize(folder / "in.csv", quasi="x", policy=kilt.Policy(k=1), output=folder / "out.csv", mark="?", **style)
    text = (folder / "out.csv").read_bytes().removeprefix(mark).decode(encoding)
    assert list(csv.reader(io.StringIO(text, newline="")))[1:] == rows
    assert (folder / "out.csv").read_bytes().startswith(mark)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TABLE.encode("cp1252"), "line 1 of '.*' is not valid UTF-8, and seems to be Windows-1252: .*windows-1252"),
        ("a\nKöln\n".encode("latin-1"), "line 2 of .* seems to be Windows-1252 or Latin-1, .*--encoding windows-1252"),
        ("a\nжижжди\n".encode("cp1251"), "line 2 of .* what it is cannot be told: give 'encoding', as in"),
        (b"a\n\x81x\n", "what it is cannot be told"),
        (TABLE.encode("utf-16"), "is not UTF-8; it seems to be UTF-16: give 'encoding', as in --encoding utf-16"),
        (b"name;age\nAnn;3\n".decode().encode("utf-16-le"), "it seems to be UTF-16: "),
        (b"name;age\nAnn;3\n".decode().encode("utf-16-be"), "it seems to be UTF-16: "),
        (TABLE.encode("utf-32"), "it seems to be UTF-32: give 'encoding', as in --encoding utf-32"),
        (gzip.compress(TABLE.encode(), mtime=0), "is compressed \\(gzip\\): its name must end in .gz"),
        (zstandard.compress(TABLE.encode()), "is compressed \\(zstd\\): its name must end in .zst"),
    ],
    ids=name_only,
)
def test_what_is_not_utf_8_is_refused_with_what_it_seems_to_be(tmp_path, content, message):
    (tmp_path / "in.csv").write_bytes(content)
    with pytest.raises(kilt.InputError, match=message) as refused:
        open_source(tmp_path / "in.csv")
    assert "Köln" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        (b"a;b\nx;\x81\n", "windows-1252", "line 2 of '.*' is not valid windows-1252: give another 'encoding'"),
        (TABLE.encode("utf-8-sig"), "windows-1252", "begins with the byte order mark of utf-8, and 'encoding' says"),
        (TABLE.encode("utf-16"), "utf-8", "is not UTF-8; it seems to be UTF-16: .*--encoding utf-16"),
        (TABLE.encode("utf-16-le")[:-1], "utf-16-le", "line 4 of '.*' is not valid utf-16-le"),
        (
            "жжжжжжж;жжжжж\nжжжж;жжжж\n".encode("utf-16-le"),
            "utf-16",
            "no byte order mark: give 'encoding' utf-16-le or utf-16-be",
        ),
        (TABLE.encode("cp1252"), "utf-8", "line 1 of .* seems to be Windows-1252"),
        (b"a;b\n\x1b$B\x1b(Bx;y\n", "iso2022_jp", "cannot be read as iso2022_jp and written again unchanged"),
    ],
    ids=name_only,
)
def test_a_wrong_encoding_is_refused(tmp_path, content, encoding, message):
    (tmp_path / "in.csv").write_bytes(content)
    with pytest.raises(kilt.InputError, match=message):
        open_source(tmp_path / "in.csv", FileStyle(encoding=encoding))


def test_a_mark_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    (tmp_path / "in.csv").write_bytes(TABLE.encode("cp1252"))
    with pytest.raises(
        kilt.InputError, match="the mark '★' cannot be written in windows-1252, the encoding of the rel"
    ):
        release(tmp_path / "in.csv", encoding="windows-1252", mark="★")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_label_that_cannot_be_written_is_refused_and_nothing_is_left(tmp_path):
    (tmp_path / "in.csv").write_bytes(TABLE.encode("cp1252"))
    towns = kilt.Taxonomic(kilt.Taxonomy.of([["Köln", "★"], ["Aachen", "★"]]))
    with pytest.raises(kilt.InputError, match=r"a cell, label or name .* cannot be written in windows-1252") as refused:
        kilt.anonymize(
            tmp_path / "in.csv",
            quasi={"ort": towns},
            policy=kilt.Policy(k=3),
            output=tmp_path / "out.csv",
            encoding="windows-1252",
        )
    assert "★" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize(("name", "unpack"), [("out.csv.gz", gzip.decompress), ("out.csv.zst", zstandard.decompress)])
def test_compressed_files_have_encodings_too(tmp_path, name, unpack):
    (tmp_path / "in.csv.gz").write_bytes(gzip.compress(TABLE.encode("cp1252"), mtime=0))
    kilt.anonymize(
        tmp_path / "in.csv.gz", quasi="ort", policy=kilt.Policy(k=1), output=tmp_path / name, encoding="windows-1252"
    )
    written = (tmp_path / name).read_bytes()
    text = zstandard.ZstdDecompressor().decompressobj().decompress(written) if name.endswith("zst") else unpack(written)
    assert text == TABLE.encode("cp1252")


def test_parquet_becomes_text_in_the_encoding_that_is_given(tmp_path):
    (tmp_path / "in.csv").write_text(TABLE, encoding="utf-8")
    kilt.anonymize(tmp_path / "in.csv", quasi="ort", policy=kilt.Policy(k=1), output=tmp_path / "in.parquet")
    kilt.anonymize(
        tmp_path / "in.parquet", quasi="ort", policy=kilt.Policy(k=1), output=tmp_path / "out.csv", encoding="utf-16"
    )
    assert (tmp_path / "out.csv").read_bytes() == TABLE.replace("1,", '"1,').replace("€", '€"').replace(
        ";", ","
    ).encode("utf-16")

"""Reading CSV files: nothing is lost, or the file is refused. Python's csv module is the slow twin."""

from __future__ import annotations

import csv
import gzip
import io

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.sources.file_format import FileStyle
from kilt.sources.registry import open_source
from support.profiles import examples

CELL = st.text(alphabet='ab ,;"\n*é\t', max_size=5)


@given(
    st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=12),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
)
@examples(40)
def test_what_python_writes_is_what_kilt_reads(tmp_path_factory, rows, delimiter, end, quoting, bom):
    path = tmp_path_factory.mktemp("csv") / "in.csv"
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows([["x", "y", "z"], *rows])
    path.write_bytes((b"\xef\xbb\xbf" if bom else b"") + written.getvalue().encode())
    read = open_source(path, FileStyle(delimiter)).native.fetchall()
    assert [["" if cell is None else cell for cell in row] for row in read] == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2,,\n3,4\n", "line 2 of '.*' has [34] cells where the header has 2"),
        ('x,y\n1, "5"\n', "cannot be read without loss: there are spaces around a quoted cell"),
        ('x,y\n"5" ,1\n', "cannot be read without loss: there are spaces around a quoted cell"),
    ],
)
def test_what_would_be_lost_is_refused(tmp_path, text, message):
    path = tmp_path / "in.csv"
    path.write_text(text)
    with pytest.raises(kilt.InputError, match=message):
        open_source(path)


def test_quoted_newlines_across_the_buffers_of_a_large_file(tmp_path):
    path = tmp_path / "in.csv"
    line = '"' + "ab\n" * 40 + '",1\n'
    path.write_text("x,y\n" + line * 300_000)  # 37 MB
    assert open_source(path).rows == 300_000


def test_a_compressed_file_that_breaks_off_is_refused(tmp_path):
    text = ("x,y\n" + "".join(f"{i},{i * i}\n" for i in range(50_000))).encode()
    for name, packed in (("in.csv.gz", gzip.compress(text)), ("in.csv.zst", zstandard.compress(text))):
        path = tmp_path / name
        path.write_bytes(packed)
        assert open_source(path).rows == 50_000
        path.write_bytes(packed[: len(packed) // 2])
        with pytest.raises(kilt.InputError, match="damaged"):
            open_source(path)
        path.write_bytes(b"x,y\n1,2\n")
        with pytest.raises(kilt.InputError, match="damaged"):
            open_source(path)


def test_several_zstd_frames_are_one_file(tmp_path):
    path = tmp_path / "in.csv.zst"
    path.write_bytes(zstandard.compress(b"x,y\n1,2\n") + zstandard.compress(b"3,4\n"))
    assert open_source(path).native.fetchall() == [("1", "2"), ("3", "4")]

"""What is a source is told by its class: nothing is read to find out."""

from __future__ import annotations

import polars as pl
import pytest

import kilt
from kilt.errors import InputError
from kilt.sources.base import is_source
from kilt.sources.frame import FrameSource
from kilt.sources.registry import open_source


class Unread(FrameSource):
    """A source whose rows must not be fetched."""

    @property
    def native(self):
        raise AssertionError("the rows were fetched")


class Boaster:
    """Something that claims to have every attribute, as frames do whose columns can be read like that."""

    def __getattr__(self, name):
        return lambda *_: self


def test_a_source_is_taken_as_it_is_and_not_read():
    source = Unread(pl.DataFrame({"a": [1, 2]}))
    assert is_source(source)
    assert open_source(source) is source


def test_what_claims_to_have_every_attribute_is_no_source():
    assert not is_source(Boaster())
    assert not is_source(Unread)
    assert not is_source(None)


@pytest.mark.parametrize("scheme", ["mysql", "jdbc:postgresql", "postgresql+psycopg2", "s3a", "https"])
@pytest.mark.parametrize("signs", ["://", ":/"])
def test_an_address_that_no_source_knows_is_refused_and_not_shown(tmp_path, monkeypatch, scheme, signs):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a\n1\n1\n")
    address = f"{scheme}{signs}ann:secret@host/t.csv"
    asked = {"quasi": "a", "policy": kilt.Policy(k=2)}
    for given, output in ((address, None), ("t.csv", address)):
        with pytest.raises(InputError, match=f"begin with '{scheme.replace('+', '.')}:' are not known") as caught:
            kilt.anonymize(given, **asked, output=output)
        assert "secret" not in str(caught.value)


def test_a_path_with_a_colon_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ward:").mkdir()
    (tmp_path / "ward:" / "t.csv").write_text("a\n1\n1\n")
    assert kilt.anonymize("ward:/t.csv", quasi="a", policy=kilt.Policy(k=2), output="ward:/out.csv").stars == 0
    assert (tmp_path / "ward:" / "out.csv").exists()

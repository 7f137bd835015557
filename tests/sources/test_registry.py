"""What is a source is told by its class: nothing is read to find out."""

from __future__ import annotations

import polars as pl

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

"""The bound as a call."""

from __future__ import annotations

import pytest

import kilt
from kilt import InputError, Policy


def test_the_bound_in_python(hospital):
    found = kilt.bound(hospital, quasi="Zipcode:characters,Age:characters,Education", policy=Policy(k=3))
    assert 45 <= found.stars <= 54
    assert f"{found.stars} stars" in found.summary()
    assert found.to_dict()["proof"] == "exact"
    with pytest.raises(InputError, match="the policy asks for nothing"):
        kilt.bound(hospital, quasi="Zipcode", policy=Policy())


def test_the_mark_is_checked_as_for_a_release(hospital):
    value = hospital.read_text().splitlines()[1].split(",")[0]
    with pytest.raises(InputError, match="already holds the mark"):
        kilt.bound(hospital, quasi="Zipcode", policy=Policy(k=3), mark=value)
    assert kilt.bound(hospital, quasi="Zipcode", policy=Policy(k=3), mark="#").stars > 0


def test_under_ladders_the_bound_is_a_share_of_the_detail(hospital):
    found = kilt.bound(hospital, quasi="Zipcode:prefix=4,2/from=2,Education", policy=Policy(k=3))
    said = found.summary()
    assert "stars" not in said
    assert "can lose less than " in said
    assert "% by the least levels alone)" in said
    assert 0 < found.exact_least <= found.exact_stars
    assert found.to_dict()["least"] == pytest.approx(float(found.exact_least))

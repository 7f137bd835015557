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

"""What a certificate says of a ladder: it is read back as it was, and nothing else is accepted."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.certificates.certificate import Certificate
from kilt.certificates.serialize import ladder_of, ladder_plain
from kilt.model.ladders import priced
from kilt.model.measure import MEASURES
from support.ladders import DRAWN, domains
from support.profiles import examples

FRAME = pd.DataFrame(
    {
        "age": ["23", "24", "37", "39", "51", "58", None, "66"],
        "born": [
            "2001-02-03",
            "2001-04-05",
            "1988-01-01",
            "1986-07-01",
            "1974-12-12",
            "1967-03-03",
            "1960-01-02",
            None,
        ],
        "zip": ["02139", "02138", "02139", "10001", "10002", "10001", "10002", "10003"],
    }
)
QUASI = "age:bands=10,20|20..60,born:date=year,decade/from=year,zip:prefix=3,2"


@given(data=st.data())
@examples(300)
def test_ladders_are_read_back_as_they_were(data):
    ladder, _ = data.draw(domains(data.draw(st.sampled_from(list(DRAWN)))))
    measure = data.draw(st.sampled_from(list(MEASURES.values())))
    given_ladder = priced(ladder, Fraction(data.draw(st.integers(1, 9)), 7), measure)
    plain = json.loads(json.dumps(ladder_plain(given_ladder)))
    assert ladder_of(plain, measure) == given_ladder


@pytest.mark.parametrize("measure", MEASURES)
def test_a_certificate_names_the_measure_and_a_forged_one_is_refused(measure, tmp_path):
    path = tmp_path / "certificate.json"
    release = kilt.anonymize(FRAME, quasi=QUASI, policy=kilt.Policy(k=2), measure=measure, certificate=path)
    found = kilt.check(path, original=FRAME, release=release.frame, quasi=QUASI, measure=measure)
    assert found.passed, found.summary()
    assert f"measure: {measure}" in found.summary()
    other = next(name for name in MEASURES if name != measure)
    refused = kilt.check(path, original=FRAME, measure=other)
    assert f"its measure is {measure}, and not {other}" in refused.summary()
    plain = json.loads(path.read_text())
    for forged in (
        {**plain, "measure": other},
        {**plain, "quasi": {**plain["quasi"], "age": {"ladder": "bands=10,20|20..70", "weight": "1"}}},
        {**plain, "quasi": {**plain["quasi"], "born": {"ladder": "date=year,decade", "weight": "1"}}},
    ):
        certificate = Certificate.of_dict(forged)
        assert "the digest is wrong" in kilt.check(certificate, original=FRAME).summary()
        table = kilt.TableDescription(FRAME, quasi=QUASI).count(kilt.Policy(k=2))
        resealed = replace(certificate, salt="", digest="").sealed(table.types)
        again = kilt.check(resealed, original=FRAME, release=release.frame)
        assert not again.passed or again.bound <= again.stars


@pytest.mark.parametrize(
    "ladder",
    [
        {"ladder": "taxonomy=/etc/hostname", "weight": "1"},
        {"ladder": "bands=5,12", "weight": "1"},
        {"ladder": "bands=05", "weight": "1"},
        {"ladder": "prefix", "weight": "1", "paths": []},
        {"ladder": "taxonomy", "weight": "1"},
        {"ladder": "blur", "weight": "1"},
    ],
)
def test_a_ladder_that_is_none_is_refused(ladder, tmp_path):
    path = tmp_path / "certificate.json"
    kilt.bound(FRAME, quasi="zip", policy=kilt.Policy(k=2), certificate=path)
    plain = json.loads(path.read_text())
    path.write_text(json.dumps({**plain, "quasi": {"zip": ladder}}))
    with pytest.raises(kilt.InputError):
        kilt.check(path, original=FRAME)
    path.write_text(json.dumps({**plain, "measure": "beauty"}))
    with pytest.raises(kilt.InputError, match="'measure' must be one of"):
        kilt.check(path, original=FRAME)

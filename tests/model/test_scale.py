"""Costs as people read them: stars, or shares of the detail where cells are blurred in steps."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest

import kilt
from kilt.commands.compare import compare_text
from kilt.commands.frontier import frontier_text
from kilt.model.scale import IN_STARS, Scale

TABLE = pl.DataFrame({"age": [31, 32, 44, 47, 48, 61], "sex": list("mfmfmf"), "disease": list("aabbcc")})
STEPS = {"quasi": "age:bands=10,20,sex", "sensitive": "disease"}


def test_stars_and_shares():
    assert IN_STARS.headings() == ("stars", "bound")
    assert (IN_STARS.cost(Fraction(1200)), IN_STARS.bound(Fraction(7, 3), Fraction(3))) == ("1,200", "2.333333")
    shares = Scale(Fraction(12), blurs=True)
    assert shares.headings() == ("lost", "at least")
    assert (shares.cost(Fraction(4)), shares.bound(Fraction(4), Fraction(4))) == ("33.3%", "33.3%")
    assert shares.bound(Fraction(2), Fraction(4)) == "16.6%"  # never above the bound itself
    assert Scale(blurs=True).cost(Fraction(0)) == "0%"  # a table without anything to hide


def test_commands_tell_losses_as_the_summary_does(tmp_path):
    certificate = tmp_path / "certificate.json"
    release = kilt.anonymize(TABLE, **STEPS, policy=kilt.Policy(k=2), certificate=certificate)
    lost = release.summary().split(", ")[1].split(" of the detail is lost")[0]
    (point,) = kilt.frontier(TABLE, **STEPS, k=2)
    assert frontier_text([point]).split() == ["policy", "lost", "at", "least", "gap", "k=2", lost, lost, "optimal"]
    compared = kilt.compare(TABLE, **STEPS, policy=kilt.Policy(k=2), solvers="exhaustive")
    assert compare_text(compared).splitlines()[1].split()[1:3] == [lost, lost]
    said = kilt.check(certificate, original=TABLE, release=release.frame).summary()
    proved = f"YES: no release of these 6 rows under k=2 can lose less than {lost} of the detail; "
    assert said.startswith(f"{proved}the release meets the policy and loses {lost} of the detail\n")


@pytest.mark.parametrize("quasi", ["age,sex", "age:characters,sex"])
def test_without_steps_stars_are_told(quasi):
    points = kilt.frontier(TABLE.cast(pl.String), quasi=quasi, sensitive="disease", k="2,99")
    assert frontier_text(points).splitlines()[0].split() == ["policy", "stars", "bound", "gap"]
    assert "cannot be met" in frontier_text(points)

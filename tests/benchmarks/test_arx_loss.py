"""The script that measures the loss of a release."""

from __future__ import annotations

from fractions import Fraction

import pytest

import arx_loss

ROWS = [{"a": value, "s": "x" if value == "1" else "y"} for value in "1123"]
PATHS = "1;low;*\n2;low;*\n3;high;*\n4;high;*\n5;high;*\n"


@pytest.fixture
def hierarchies(tmp_path, monkeypatch):
    (tmp_path / "h.csv").write_text(PATHS)
    monkeypatch.setattr(arx_loss, "hierarchy_file", lambda column: tmp_path / "h.csv")
    monkeypatch.setattr(arx_loss, "QUASI", {"A": ["a"]})
    monkeypatch.setattr(arx_loss, "SENSITIVE", {"A": "s"})
    return tmp_path


def shown(*labels: str) -> list[arx_loss.Row]:
    return [{**row, "a": label} for row, label in zip(ROWS, labels, strict=True)]


@pytest.mark.parametrize(
    ("labels", "loss"),
    [("1123", Fraction(0)), (["low", "low", "low", "high"], Fraction(5, 16)), ("****", Fraction(1))],
)
def test_a_label_costs_the_share_of_the_values_that_it_may_stand_for(hierarchies, labels, loss):
    assert arx_loss.loss(ROWS, shown(*labels), ["a"]) == loss


def test_a_wrong_release_is_noticed(hierarchies):
    with pytest.raises(ValueError, match="does not stand above"):
        arx_loss.loss(ROWS, shown("low", "low", "low", "low"), ["a"])
    with pytest.raises(ValueError, match="does not stand above"):
        arx_loss.loss(ROWS, shown("1", "1", "2", "4"), ["a"])
    with pytest.raises(ValueError, match="not quasi was changed"):
        arx_loss.loss(ROWS, [{**row, "s": "y"} for row in ROWS], ["a"])
    with pytest.raises(ValueError, match="3 rows"):
        arx_loss.loss(ROWS, ROWS[1:], ["a"])
    (hierarchies / "h.csv").write_text(PATHS + "low;*\n")
    with pytest.raises(SystemExit, match=r"h\.csv: a value is also a label"):
        arx_loss.loss(ROWS, ROWS, ["a"])


def test_groups_that_violate_the_policy_are_counted(hierarchies):
    assert arx_loss.violations(ROWS, arx_loss.Case("A", 0, 0, k=2)) == 2
    assert arx_loss.violations(shown(*"****"), arx_loss.Case("A", 0, 0, k=4, l=2, t="0")) == 0
    assert arx_loss.violations(shown("*", "1", "*", "1"), arx_loss.Case("A", 0, 0, k=2, l=2)) == 0
    assert arx_loss.violations(shown("1", "1", "*", "*"), arx_loss.Case("A", 0, 0, k=2, t="0.5")) == 0
    assert arx_loss.violations(shown("1", "1", "*", "*"), arx_loss.Case("A", 0, 0, k=2, t="0.4")) == 2
    assert arx_loss.violations(shown("1", "1", "*", "*"), arx_loss.Case("A", 0, 0, k=2, l=2)) == 2

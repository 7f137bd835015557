"""The preview of a ladder."""

from __future__ import annotations

import json
from fractions import Fraction

import pandas as pd
import pytest

import kilt
from kilt.model.measure import GRID
from support.command import call

AGES = pd.DataFrame({"age": [20] * 6 + [24] * 5 + [37] * 2 + [None], "sex": list("fm") * 7})
AGES["age"] = AGES["age"].astype("Int64")


def test_levels_with_their_labels_and_what_they_cost():
    preview = kilt.ladder(AGES, "age:bands=5,20", measure="loss")
    assert [level.name for level in preview.levels] == ["value", "5", "20", "mark"]
    assert [level.labels for level in preview.levels] == [4, 3, 2, 1]
    assert [level.fewest for level in preview.levels] == [1, 1, 1, 14]
    fine = (11 * Fraction(13045, GRID) + 2 * Fraction(6522, GRID)) / 14  # 4/17 and 2/17 of the range, on the grid
    assert [level.stars for level in preview.levels] == [0, fine, Fraction(13, 14), 1]
    assert preview.levels[0].examples == (("20", 6), ("24", 5))
    assert preview.levels[1].examples == (("20-24", 11),)
    assert preview.to_dict()["levels"][3]["examples"] == [{"label": "*", "rows": 14}]


def test_rare_labels_are_left_out_unless_they_are_asked_for():
    assert "37" not in kilt.ladder(AGES, "age").summary()
    assert "37 (2 rows)" in kilt.ladder(AGES, "age", show_values=True).summary()
    few = pd.DataFrame({"x": ["secret", "hidden"]})
    assert "(all have fewer than 5 rows)" in kilt.ladder(few, "x").summary()
    assert "secret" not in kilt.ladder(few, "x").summary()


def test_limits_and_weights_are_shown():
    preview = kilt.ladder(AGES, "age:bands=5,20/from=5!", measure="level", weights="age=3")
    assert [(level.name, level.stars) for level in preview.levels] == [("5", 1), ("20", 2)]
    assert preview.to_dict()["ladder"] == "bands=5,20/from=5!"


def test_the_command_prints_a_table_or_json(tmp_path):
    path = tmp_path / "ages.csv"
    AGES.to_csv(path, index=False)
    done = call("ladder", str(path), "age:bands=5,20", "--measure", "level")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "age: bands=5,20, measure level, 14 rows"
    done = call("ladder", str(path), "age:groups=2", "--json")
    assert json.loads(done.stdout)["notes"] == [
        "the bands of 'age' are made from its values: their edges are values of the table"
    ]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("age,sex", "must be one column"),
        ("age:characters", "no levels to show"),
        ("ago:bands=5", "did you mean 'age'"),
        ("sex:bands=5", "2 different values of 'sex' are not"),
    ],
)
def test_what_cannot_be_shown_is_refused(column, message):
    with pytest.raises(kilt.InputError, match=message):
        kilt.ladder(AGES, column)

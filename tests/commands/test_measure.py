"""Measures and ladders, from a random table to its verified release and its certificate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.certificates.issue import issue_certificate
from kilt.model.ladders import Limited, Priced
from kilt.model.measure import MEASURES
from kilt.model.problem import Problem
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.solve import certifiable_bound, solve
from support.command import call
from support.ladders import DRAWN
from support.problems import row_types
from support.profiles import examples

WHOLE = {"age": [23, 24, 37, 39, 51, 58, 60, 66], "zip": ["02139", "02138", "02139", "10001"] * 2}
FRAME = pd.DataFrame({**WHOLE, "disease": list("abababab")})
ROLES = {"quasi": "age:bands=10,20,zip:prefix=3,2", "sensitive": "disease"}


@given(data=st.data())
@examples(200)
def test_what_the_verifier_counts_is_what_was_solved_and_certified(data):
    kinds = [name for name in DRAWN if name not in ("limited prefix",)]
    chosen = data.draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=2))
    rows = data.draw(st.integers(2, 7))
    ladders, cells = {}, {}
    for index, kind in enumerate(chosen):
        drawn, values = DRAWN[kind]
        ladders[f"q{index}"] = data.draw(drawn)
        cells[f"q{index}"] = data.draw(st.lists(values, min_size=rows, max_size=rows))
    frame = pd.DataFrame(cells, dtype=object)
    measure = data.draw(st.sampled_from(list(MEASURES)))
    policy = kilt.Policy(k=data.draw(st.integers(1, rows)))
    given_table = {"quasi": ladders, "measure": measure, "weights": {"q0": "1.5"}}
    try:
        release = kilt.anonymize(frame, **given_table, policy=policy, mark="#", time=5)
    except kilt.InfeasibleError:
        assert any(isinstance(ladder, Limited) and ladder.highest is not None for ladder in ladders.values())
        return
    found = kilt.verify(release.frame, **given_table, policy=policy, original=frame, mark="#")
    assert found.met
    assert found.fidelity.kept
    assert found.fidelity.stars == release.exact_stars
    table = kilt.TableDescription(frame, **given_table).count(policy)
    solution = solve(table.problem, "auto", StoppingRule(seconds=5), silent, seed=0)
    bound = certifiable_bound(table.problem, solution, StoppingRule(seconds=1), silent)
    certificate = issue_certificate(table, bound, release.exact_stars, dict.fromkeys(ladders, "#"))
    assert kilt.check(certificate, original=frame, release=release.frame).passed
    assert certificate.bound <= release.exact_stars


@pytest.mark.parametrize("measure", MEASURES)
def test_all_commands_count_in_the_same_measure(measure):
    policy = kilt.Policy(k=2, l=2)
    release = kilt.anonymize(FRAME, **ROLES, policy=policy, measure=measure)
    assert release.status == "optimal"
    assert kilt.bound(FRAME, **ROLES, policy=policy, measure=measure).exact_stars <= release.exact_stars
    (point,) = kilt.frontier(FRAME, **ROLES, k=2, l=2, measure=measure)
    assert point.exact_stars == release.exact_stars
    compared = kilt.compare(FRAME, **ROLES, policy=policy, measure=measure, solvers="exhaustive")
    assert [each.exact_stars for each in compared] == [release.exact_stars]
    described = kilt.TableDescription(FRAME, **ROLES, measure=measure)
    assert kilt.anonymize(described, policy=policy).exact_stars == release.exact_stars


def test_the_command_and_the_configuration_name_a_measure(tmp_path):
    path, config = tmp_path / "table.csv", tmp_path / "kilt.toml"
    FRAME.to_csv(path, index=False)
    config.write_text(
        'input = "table.csv"\noutput = "release.csv"\nk = 2\nmeasure = "level"\nsensitive = "disease"\n'
        'quasi = ["age:bands=10,20", "zip:prefix=3,2"]\n'
    )
    assert call("anonymize", "--config", str(config)).returncode == 0
    stars = {}
    for measure in MEASURES:
        done = call("verify", "--config", str(config), "--original", str(path), "--measure", measure)
        assert done.returncode == 0, done.stdout
        stars[measure] = done.stdout.splitlines()[-1]
    assert len(set(stars.values())) == 3
    done = call("verify", "--config", str(config), "--original", str(path))
    assert done.stdout.splitlines()[-1] == stars["level"]
    done = call("bound", "--config", str(config), "--measure", "beauty")
    assert done.returncode == 2
    assert "'measure' must be one of loss, level, entropy" in done.stderr


@pytest.mark.parametrize("rows", [10**6, 10**8])
def test_a_nearly_constant_column_is_too_dear_by_entropy(rows):
    types = row_types([("a",), ("b",)], 1)
    types = replace(types, counts=np.array([1, rows]))
    ladders = {"flag": kilt.Suppression()}
    assert Problem.build(types, ladders, {}, kilt.Policy(k=1)).rows == rows + 1
    with pytest.raises(kilt.InputError, match="'flag' is nearly constant: by entropy"):
        Problem.build(types, {"flag": Priced(ladders["flag"], measure=MEASURES["entropy"])}, {}, kilt.Policy(k=1))


@pytest.mark.parametrize("weights", ["age=1e30", "age=1e-30"])
def test_weights_with_too_many_digits_are_refused(weights):
    with pytest.raises(kilt.InputError, match="too many digits to count with"):
        kilt.anonymize(FRAME, policy=kilt.Policy(k=2), weights=weights, **ROLES)

"""Anonymize: what is released verifies, from files and frames, and the same seed gives the same file."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import kilt
import kilt.hardness
from kilt import Policy
from kilt.sources.registry import open_source
from support.profiles import examples
from support.strategies import LADDERS, SPACES, policies, tables


def test_files_and_frames_give_the_same_release(tmp_path, adult):
    quasi = "sex,age,race,marital-status"
    frame = pd.read_csv(adult, sep=";", dtype=str).head(2000)
    frame.to_csv(tmp_path / "in.csv", index=False)
    asked = {"quasi": quasi, "sensitive": "salary-class", "policy": kilt.Policy(k=5, t="0.3"), "iterations": 5_000}
    from_file = kilt.anonymize(tmp_path / "in.csv", **asked)
    from_frame = kilt.anonymize(frame, **asked)
    assert from_file.frame.fetchall() == list(from_frame.frame.itertuples(index=False, name=None))


@given(data=st.data())
@examples(60, [HealthCheck.function_scoped_fixture])
def test_the_release_of_a_random_table_under_a_random_policy_verifies(data, tmp_path_factory):
    """Through files and frames, shuffled or not: what comes out meets the policy, by a count of our own."""
    rows, quasi, sensitive = data.draw(tables(most_rows=25))
    policy = data.draw(policies(len(sensitive)))
    names = [f"q{i}" for i in range(len(quasi))] + [f"s{i}" for i in range(len(sensitive))]
    frame = pl.DataFrame(
        {name: [row[i] for row in rows] for i, name in enumerate(names)}, schema=dict.fromkeys(names, pl.String)
    )
    roles = {
        "quasi": {f"q{i}": LADDERS[name] for i, name in enumerate(quasi)},
        "sensitive": {f"s{i}": SPACES[name] for i, name in enumerate(sensitive)},
    }
    shuffle = data.draw(st.booleans())
    try:
        release = kilt.anonymize(frame, policy=policy, shuffle=shuffle, **roles)
    except kilt.InfeasibleError:
        return
    again = kilt.verify(release.frame, policy=policy, **roles)
    assert again.met
    assert again.k == release.verdict.k
    if not data.draw(st.sampled_from([True, False, False, False])):
        return
    folder = tmp_path_factory.mktemp("random")
    frame.write_csv(folder / "in.csv", null_value="", quote_style="non_numeric")
    from_file = kilt.anonymize(folder / "in.csv", policy=policy, shuffle=shuffle, output=folder / "out.csv", **roles)
    assert from_file.stars == release.stars
    if not shuffle:
        assert kilt.verify(folder / "out.csv", policy=policy, original=folder / "in.csv", **roles).met


def test_the_same_seed_and_iterations_give_the_same_file(tmp_path):
    rng = np.random.default_rng(1)
    cells = pl.DataFrame({f"q{i}": rng.integers(0, 4, 400) for i in range(4)} | {"s": rng.integers(0, 3, 400)})
    table = tmp_path / "table.csv"
    cells.write_csv(table)
    written = []
    for name in ("a.csv", "b.csv"):
        release = kilt.anonymize(
            table, quasi="q0,q1,q2,q3", sensitive="s", policy=Policy(k=4, t="0.3"), iterations=20_000, seed=3,
            output=tmp_path / name,
        )  # fmt: skip
        written.append((release.stars, release.bound, (tmp_path / name).read_bytes()))
    assert written[0] == written[1]
    other = kilt.anonymize(table, quasi="q0,q1,q2,q3", policy=Policy(k=4), iterations=20_000, seed=4)
    assert other.solver == "search"


def test_an_interrupted_search_hands_over_a_release(hospital):
    release = kilt.anonymize(
        hospital, quasi="Zipcode,Age", keep="Education,Disease", policy=kilt.Policy(k=2), solver="exact",
        interrupted=lambda: True,
    )  # fmt: skip
    assert release.notes == ("the search was interrupted",)
    assert release.bound <= release.stars


def test_a_described_table_is_read_once_and_stands_for_the_table(hospital, monkeypatch):
    table = kilt.TableDescription(hospital, quasi="Zipcode,Age", sensitive="Disease")
    opened = []
    monkeypatch.setattr(
        "kilt.sources.counted_table.open_source", lambda *words: opened.append(1) or open_source(*words)
    )
    release = kilt.anonymize(table, policy=Policy(k=3))
    assert kilt.bound(table, policy=Policy(k=3)).stars <= release.stars
    assert kilt.frontier(table, k="2,3")[1].exact_stars == release.stars
    assert kilt.compare(table, policy=Policy(k=3), solvers="greedy")[0].solver == "greedy"
    assert len(opened) == 1
    with pytest.raises(kilt.InputError, match="'quasi' is already in the TableDescription: leave it out"):
        kilt.anonymize(table, quasi="Age", policy=Policy(k=3))


def test_the_verified_line_names_every_l_that_is_asked_for(hospital):
    roles = {"quasi": "Zipcode:characters,Age:characters,Education", "sensitive": "Disease"}
    release = kilt.anonymize(hospital, **roles, policy=Policy(k=2, l=2))
    assert "verified: k=2, l=2 (frequency) on 'Disease', t=" in release.summary()
    assert "l=2 (frequency) on" in release._repr_html_()
    release = kilt.anonymize(hospital, **roles, policy=Policy(l=2, diversity="recursive:2"))
    assert "(recursive (c=2)) on 'Disease'" in release.summary()
    assert "l=" not in kilt.anonymize(hospital, **roles, policy=Policy(k=3)).summary().split("verified:")[1]


def test_old_names_go_on_with_a_warning():
    for old, new in (("Check", "CertificateCheck"), ("Compared", "SolverResult"), ("Point", "FrontierPoint")):
        with pytest.warns(DeprecationWarning, match=f"kilt.{old} is now called kilt.{new}"):
            assert getattr(kilt, old) is getattr(kilt, new)
    with pytest.warns(DeprecationWarning, match="kilt.hardness.Claim is now called"):
        assert kilt.hardness.Claim is kilt.hardness.OptimaRelation
    with pytest.raises(AttributeError):
        _ = kilt.nothing


def test_a_public_function_shadows_no_module():
    """``import kilt.verify`` gives what it says: there is no such module, and ``kilt.verify`` is the function."""
    for name in ("anonymize", "bound", "check", "compare", "frontier", "verify"):
        assert callable(getattr(kilt, name))
        assert importlib.util.find_spec(f"kilt.{name}") is None
        assert importlib.import_module(f"kilt.commands.{name}").__name__ == f"kilt.commands.{name}"


@pytest.mark.parametrize("command", [kilt.anonymize, kilt.bound, kilt.compare, kilt.frontier])
def test_commands_show_what_can_be_said_of_a_table(command):
    shown = inspect.signature(command).parameters
    described = [field.name for field in dataclasses.fields(kilt.TableDescription)]
    assert set(described) <= set(shown)
    assert all(shown[name].default is None for name in described if name != "data")
    with pytest.raises(TypeError, match="there is no argument 'quasy': did you mean 'quasi'"):
        command("x.csv", quasy="a", **({} if command is kilt.frontier else {"policy": kilt.Policy(k=2)}))

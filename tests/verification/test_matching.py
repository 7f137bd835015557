"""A release without the order of its original: it is matched with it exactly if some order of its rows fits."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.cli.commands import cli
from kilt.model.ladders import Domain
from kilt.verification.matching import QuasiColumn, match
from support.profiles import examples
from support.strategies import LADDERS

CELL = st.sampled_from(["a", "b", "ab", "bb", None])
LEVELS = {name: ladder for name, ladder in LADDERS.items() if name != "taxonomy"}


def covers(column: QuasiColumn, cell, value) -> bool:
    """Say whether a cell may stand for a value, from the definition."""
    if cell == value and not column.ladder.hides_values:
        return True
    return column.ladder.stars(value, cell, column.domain, column.mark) is not None


@st.composite
def tables(draw):
    """Draw an original of a few rows, ladders for its columns, and rows that may be a release of it."""
    rows = draw(st.lists(st.tuples(CELL, CELL, st.sampled_from("xy")), min_size=1, max_size=5))
    columns = []
    for place in range(2):
        counts = Counter(row[place] for row in rows)
        domain = Domain(f"q{place}", list(counts), list(counts.values()))
        name = draw(st.sampled_from(sorted(LEVELS)))
        columns.append(QuasiColumn(f"q{place}", LEVELS[name], domain, "*"))
    released = []
    for row in draw(st.permutations(rows)):
        cells = [draw(st.sampled_from([row[0], "*", "**"])), draw(st.sampled_from([row[1], "*", "a*", "a"]))]
        released.append((*cells, draw(st.sampled_from([row[2], row[2], "x"]))))
    return rows, columns, released


@given(tables())
@examples(300)
def test_rows_are_matched_exactly_if_some_order_fits(drawn):
    rows, columns, released = drawn

    def fitting(order) -> int:
        return sum(
            now[2] == was[2] and all(covers(c, n, w) for c, n, w in zip(columns, now, was, strict=False))
            for now, was in zip(released, order, strict=True)
        )

    found = match(list(Counter(released).items()), list(Counter(rows).items()), columns)
    assert found.unmatched == len(rows) - max(fitting(order) for order in permutations(rows))
    for column in columns:
        for was, now, count in found.differing[column.name]:
            assert count > 0
            assert was != now
            assert covers(column, now, was)


ROLES = {"quasi": "age,zip:characters", "sensitive": "disease", "identifier": "name"}


@pytest.fixture
def patients(tmp_path):
    rng = random.Random(5)
    lines = ["name,age,zip,disease,note"]
    lines += [
        f"n{i},{rng.choice([30, 31, 32])},0213{rng.randint(0, 3)},{rng.choice(['Flu', 'Cold'])},{rng.choice('uvw')}"
        for i in range(60)
    ]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_shuffled_release_is_verified_against_its_original(patients, tmp_path):
    output = tmp_path / "release.csv"
    release = kilt.anonymize(patients, **ROLES, policy=kilt.Policy(k=4), keep="note", shuffle=True, output=output)
    verdict = kilt.verify(output, **ROLES, policy=kilt.Policy(k=4), original=patients, shuffled=True)
    assert verdict.met
    assert verdict.fidelity.matched
    assert verdict.fidelity.stars == release.exact_stars
    by_order = kilt.verify(output, **ROLES, original=patients)
    assert not by_order.fidelity.kept
    assert "say so with --shuffled" in by_order.fidelity.problems[-1]
    frames = pl.read_csv(output, infer_schema=False), pl.read_csv(patients, infer_schema=False)
    assert kilt.verify(frames[0], **ROLES, original=frames[1], shuffled=True).fidelity.stars == release.exact_stars


def test_a_row_that_is_no_row_of_the_original_is_found_however_the_rows_are_ordered(patients, tmp_path):
    output = tmp_path / "release.csv"
    kilt.anonymize(patients, **ROLES, policy=kilt.Policy(k=4), keep="note", shuffle=True, output=output)
    lines = output.read_text().splitlines()
    assert lines[0] == "age,zip,disease,note"
    *cells, note = lines[5].split(",")
    output.write_text("\n".join([*lines[:5], ",".join([*cells, "u" if note != "u" else "v"]), *lines[6:]]) + "\n")
    verdict = kilt.verify(output, **ROLES, original=patients, shuffled=True)
    assert verdict.fidelity.problems == (
        "1 row of it cannot be matched with a row of the original that no other row was made of",
    )
    assert verdict.fidelity.stars == Fraction(0)


def test_the_command_takes_the_flag_and_the_configuration(patients, tmp_path):
    output, config = tmp_path / "release.csv", tmp_path / "kilt.toml"
    config.write_text(
        'input = "patients.csv"\noriginal = "patients.csv"\noutput = "release.csv"\nidentifier = "name"\n'
        'quasi = "age,zip:characters"\nsensitive = "disease"\nkeep = "note"\nk = 4\nshuffle = true\n'
    )
    run = CliRunner()
    assert run.invoke(cli, ["anonymize", "--config", str(config)]).exit_code == 0
    found = run.invoke(cli, ["verify", "--config", str(config)])
    assert found.exit_code == 0
    assert "differs from the original, whose rows are in another order" in found.output
    words = ["--original", str(patients), "--identifier", "name", "--quasi", "age,zip:characters"]
    assert run.invoke(cli, ["verify", str(output), *words]).exit_code == 1
    assert run.invoke(cli, ["verify", str(output), *words, "--shuffled"]).exit_code == 0

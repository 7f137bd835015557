"""The bound as SQL: the same number as in memory, never above the optimum, and nothing is left behind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import InputError, KAnonymity, Policy
from kilt.certificates.proof import bound_queries
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Evidence
from kilt.certificates.proof.in_database import evaluate_bound_in
from kilt.sources.duck.connection import Database
from support.problems import drawn_multipliers, problem_of, random_problem, solved
from support.profiles import examples
from support.strategies import SOLVED_LADDERS, tables

SCALE = 10_000


@pytest.fixture(scope="module")
def engine():
    return Database()


def tables_of(engine):
    return Database.rows(engine, "SELECT table_name FROM duckdb_tables()")


def evidence_of(problem, multipliers, scale=SCALE):
    return Evidence(tuple(range(len(problem.columns))), np.asarray(multipliers, dtype=np.int64), scale)


@st.composite
def k_problems(draw, most_rows=9):
    rows, quasi, _ = draw(tables(most_rows=most_rows, ladders=tuple(SOLVED_LADDERS), most_sensitive=0))
    k = draw(st.integers(1, 4))
    assume(k <= len(rows))
    return problem_of(rows, quasi, [], Policy(KAnonymity(k)))


@given(k_problems(), st.data())
@examples(60)
def test_the_bound_is_that_of_memory_and_not_above_the_optimum(engine, problem, data):
    multipliers = drawn_multipliers(data, problem)
    evidence = evidence_of(problem, multipliers)
    found = evaluate_bound_in(engine, problem, [evidence])
    assert found == evaluate_bound(problem, [evidence])
    assert found <= solved("exhaustive", problem).cost
    assert not tables_of(engine)


def test_the_bound_of_a_table_with_many_copies_is_that_of_memory(engine):
    problem = random_problem(600, 5, 1, Policy(k=4)).presolved
    for seed in range(3):
        multipliers = np.random.default_rng(seed).integers(-SCALE // 2, 4 * SCALE, len(problem.counts))
        evidence = evidence_of(problem, multipliers)
        assert evaluate_bound_in(engine, problem, [evidence]) == evaluate_bound(problem, [evidence])


def test_the_rows_that_are_added_up_to_k_count(engine):
    problem = problem_of([("a",), ("b",), ("c",)], ["suppress"], [], Policy(k=3))
    dear = evidence_of(problem, [3 * SCALE, 0, 0])
    assert evaluate_bound_in(engine, problem, [dear]) == evaluate_bound(problem, [dear]) == 3


def test_keys_that_have_no_room_in_one_number_are_several(engine, monkeypatch):
    problem = random_problem(200, 4, 1, Policy(k=3)).presolved
    evidence = evidence_of(problem, np.random.default_rng(0).integers(0, 3 * SCALE, len(problem.counts)))
    monkeypatch.setattr(bound_queries, "ROOM", 20)
    assert evaluate_bound_in(engine, problem, [evidence]) == evaluate_bound(problem, [evidence])


def test_blocks_of_columns_add_up(engine):
    problem = random_problem(40, 6, 1, Policy(k=3)).presolved
    rng = np.random.default_rng(1)
    blocks = [Evidence(c, rng.integers(0, SCALE, len(problem.counts)), SCALE) for c in ((0, 2, 4), (1, 3, 5))]
    assert evaluate_bound_in(engine, problem, blocks) == evaluate_bound(problem, blocks) > 0
    with pytest.raises(InputError, match="not about different columns"):
        evaluate_bound_in(engine, problem, [blocks[0], blocks[0]])


def test_level_vectors_that_are_too_dear_are_not_asked_for():
    problem = random_problem(200, 4, 1, Policy(k=3)).presolved
    asked = []

    class Listening(Database):
        def rows(self, sql):
            asked.append(sql)
            return super().rows(sql)

    evaluate_bound_in(Listening(), problem, [evidence_of(problem, np.full(len(problem.counts), SCALE))])
    assert len(asked) == 2  # the sum of all multipliers, and the rows as they are


def test_what_cannot_be_evaluated_is_refused(engine):
    diverse = random_problem(60, 3, 3, Policy(k=2, l=2))
    with pytest.raises(InputError, match="under k-anonymity alone"):
        evaluate_bound_in(engine, diverse, [evidence_of(diverse, np.ones(len(diverse.counts)))])
    problem = random_problem(60, 3, 1, Policy(k=2)).presolved
    for wrong in (np.ones(1), np.full(len(problem.counts), 2**57)):
        with pytest.raises(InputError, match="too large, or not one for every row type"):
            evaluate_bound_in(engine, problem, [evidence_of(problem, wrong)])
    assert not tables_of(engine)


def test_tables_are_dropped_when_a_query_fails():
    class Failing(Database):
        def rows(self, sql):
            raise RuntimeError("no")

    problem = random_problem(20, 2, 1, Policy(k=2)).presolved
    failing = Failing()
    with pytest.raises(RuntimeError):
        evaluate_bound_in(failing, problem, [evidence_of(problem, np.ones(len(problem.counts)))])
    assert not tables_of(failing)

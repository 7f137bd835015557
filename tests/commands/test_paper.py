"""The tables of the paper."""

from __future__ import annotations

import csv
from fractions import Fraction

import numpy as np
import pytest

import kilt
from kilt.model.diversity import Frequency
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, Groups, work_of
from kilt.model.spaces import EqualDistance
from kilt.sources.registry import open_source

QUASI = "Zipcode:characters,Age:characters,Education"
LADDERS = {"Zipcode": kilt.Characters(), "Age": kilt.Characters(), "Education": kilt.Suppression()}

TABLE_2 = [{1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10}]
TABLE_3 = [{1, 2}, {3, 5, 8, 9}, {4, 6}, {7, 10}]
TABLE_5 = [{1, 2, 4}, {3, 5, 8, 9}, {6, 7, 10}]


@pytest.fixture
def problem(hospital):
    types = open_source(hospital).count(list(LADDERS), ["Disease"]).types
    return Problem.build(types, LADDERS, {"Disease": EqualDistance()}, kilt.Policy(k=1))


def partition_of(problem: Problem, hospital, groups) -> Partition:
    """Number the row types of the ten rows (all different) by their zip codes, which are sorted in the problem."""
    with hospital.open() as file:
        zips = [row["Zipcode"] for row in csv.DictReader(file)]
    types = [sorted(zips).index(code) for code in zips]
    group_of = [next(g for g, rows in enumerate(groups) if row in rows) for row in range(1, 11)]
    return Partition.of(problem, np.array(types), np.array(group_of), np.ones(10, dtype=np.int64))


def counts_of(hospital, groups) -> np.ndarray:
    """Count the diseases of every group, as the paper prints it (kilt merges groups that look the same)."""
    with hospital.open() as file:
        diseases = [row["Disease"] for row in csv.DictReader(file)]
    return np.array([[sum(diseases[r - 1] == d for r in rows) for d in sorted(set(diseases))] for rows in groups])


def distances(counts: np.ndarray) -> list[Fraction]:
    work, whole = work_of(counts, counts.sum(axis=0), EqualDistance().on(["C", "H", "V"], "Disease"))
    return [Fraction(int(w), int(one)) for w, one in zip(work, whole, strict=True)]


def test_the_table_has_eight_columns_when_read_by_characters(problem):
    assert len(problem.columns) == 8
    assert problem.rows == 10


def test_table_2_is_3_anonymous_and_costs_54(problem, hospital):
    partition = partition_of(problem, hospital, TABLE_2)
    assert partition.cost == 54
    assert sorted(partition.sizes().tolist()) == [3, 3, 4]


def test_table_3_is_2_diverse_and_costs_60(problem, hospital):
    counts = counts_of(hospital, TABLE_3)
    assert partition_of(problem, hospital, TABLE_3).cost == 60
    assert Frequency().meets(counts, Fraction(2)).all()
    assert distances(counts) == [Fraction(2, 5), Fraction(1, 10), Fraction(3, 10), Fraction(3, 10)]


def test_table_5_is_one_tenth_close_and_costs_67(problem, hospital):
    counts = counts_of(hospital, TABLE_5)
    assert partition_of(problem, hospital, TABLE_5).cost == 67
    assert distances(counts) == [Fraction(1, 15), Fraction(1, 10), Fraction(1, 15)]
    rule = ClosenessRule(
        Fraction(1, 10), EqualDistance().on(["C", "H", "V"], "Disease"), counts.sum(axis=0), 0, "Disease"
    )
    assert rule.meets(Groups(counts.sum(axis=1), (counts,))).all()


@pytest.mark.parametrize(
    ("policy", "optimum"),
    [
        (kilt.Policy(k=2), 46),
        (kilt.Policy(k=3), 54),
        (kilt.Policy(l=2), 50),
        (kilt.Policy(t="0.3"), 52),
        (kilt.Policy(t="0.1"), 64),
        (kilt.Policy(k=3, t="0.3"), 63),
    ],
    ids=str,
)
def test_the_optima(hospital, policy, optimum):
    release = kilt.anonymize(hospital, quasi=QUASI, sensitive="Disease", policy=policy)
    assert release.stars == release.bound == optimum
    assert release.status == "optimal"
    assert release.gap == 0
    assert release.verdict.met
    assert release.verdict.fidelity.stars == optimum


def test_the_released_patterns_of_table_2_are_those_printed_in_the_paper(problem, hospital):
    release = kilt.anonymize(hospital, quasi=QUASI, sensitive="Disease", policy=kilt.Policy(k=3))
    shown = {tuple(group.pattern.values()) for group in release.groups}
    assert shown == {("98***", "3*", "*"), ("9****", "**", "Bachelor"), ("970**", "**", "*")}

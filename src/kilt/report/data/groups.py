"""The groups of a release: their sizes, the risks that follow, and how far they are from the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kilt.model.ladders import MARK
from kilt.model.policy import SensitiveColumn, TCloseness
from kilt.model.rules import differences, whole_of
from kilt.model.spaces import GroundDistance, MatrixMetric
from kilt.numbers import FloatArray, IntArray, json_number
from kilt.report.data.columns import space_name
from kilt.report.data.folding import Folded, fold
from kilt.report.data.model import ReportCloseness, ReportRisk, ReportSizes, ReportUtility, ReportValue
from kilt.report.data.subject import Subject
from kilt.sources.tally import ValueCounts
from kilt.verification.verdict import Risk

SHOWN = 200  # distances of a column that are kept, from the least to the largest
EXACT = 1_000  # groups whose distances are computed one by one in a space that has no closed form


def risk_of(sizes: IntArray, fewest: int) -> ReportRisk:
    """Return the risks of groups of these sizes, rounded as the verifier rounds them."""
    risk = Risk.of(sizes)
    at_risk = int(sizes[sizes < fewest].sum()) / int(sizes.sum())
    named = {name: float(json_number(getattr(risk, name), up=True)) for name in ("highest", "average", "lowest")}
    return ReportRisk(**named, unique=float(json_number(risk.unique, up=True)), at_risk=round(at_risk, 6))


def utility_of(sizes: IntArray) -> ReportUtility:
    """Return what analysts read off the sizes."""
    rows = int(sizes.sum())
    return ReportUtility(len(sizes), round(rows / len(sizes), 3), sum(size * size for size in sizes.tolist()))


def sizes_of(sizes: IntArray) -> tuple[ReportSizes, ...]:
    """Count the groups by classes of sizes that double from one to the next."""
    classes = np.floor(np.log2(sizes)).astype(np.int64)
    rows, found = int(sizes.sum()), []
    for power in range(int(classes.min()), int(classes.max()) + 1):
        inside = sizes[classes == power]
        held = int(inside.sum())
        if held:
            found.append(ReportSizes(int(inside.min()), int(inside.max()), len(inside), held, held / rows))
    return tuple(found)


def closeness_of(subject: Subject) -> tuple[ReportCloseness, ...]:
    """Compare the groups with the table in every sensitive column."""
    return tuple(_closeness(subject, index) for index in range(len(subject.roles.sensitive)))


def _closeness(subject: Subject, index: int) -> ReportCloseness:
    counted = subject.tally.sensitive[index]
    column = SensitiveColumn(counted.name, counted.values, counted.reference(), subject.roles.sensitive[counted.name])
    chosen, distances = _distances(subject, index, column)
    sizes = subject.tally.sizes[chosen]
    worst = _farthest(chosen, sizes, distances, subject.fewest)
    folded = fold(counted.values, column.reference.tolist(), subject.fewest)
    return ReportCloseness(
        column=counted.name,
        space=space_name(column.space),
        threshold=_threshold(subject, counted.name),
        farthest=float(json_number(subject.verdict.t[counted.name], up=True)),
        average=round(float(distances @ sizes) / int(sizes.sum()), 6),
        distances=tuple(round(distance, 6) for distance in _thinned(np.sort(distances))),
        groups=len(subject.tally),
        is_sample=len(chosen) < len(subject.tally),
        group_size=0 if worst is None else int(subject.tally.sizes[worst]),
        values=() if worst is None else _values(counted, worst, folded),
        pattern=None if worst is None else _pattern(subject, worst),
    )


def _farthest(chosen: IntArray, sizes: IntArray, distances: FloatArray, fewest: int) -> int | None:
    """Return the farthest group of those that are not too small to be looked at, the largest of several."""
    large = np.flatnonzero(sizes >= fewest)
    if not len(large):
        return None
    return int(chosen[large[np.lexsort((sizes[large], distances[large]))[-1]]])


def _distances(subject: Subject, index: int, column: SensitiveColumn) -> tuple[IntArray, FloatArray]:
    """Return groups and their distances to the table: all groups, or some where each takes long."""
    chosen, found = [], []
    slow = isinstance(column.ground, MatrixMetric) and len(subject.tally) > EXACT
    for start, groups in subject.tally.blocks():
        counts, step = groups.counts[index], max(1, len(subject.tally) // EXACT)
        some = _some(counts, column, step) if slow else np.arange(len(counts))
        chosen.append(start + some)
        found.append(_distance(counts[some], column.reference, column.ground))
    return np.concatenate(chosen), np.concatenate(found)


def _some(counts: IntArray, column: SensitiveColumn, step: int) -> IntArray:
    """Choose groups evenly, and those that may be farthest."""
    difference, whole = differences(counts, column.reference), whole_of(counts, column.reference, column.ground)
    high = column.ground.bounds(difference)[1].astype(np.float64) / whole.astype(np.float64)
    return np.unique(np.concatenate([np.arange(0, len(counts), step), np.argsort(-high, kind="stable")[:64]]))


def _distance(counts: IntArray, reference: IntArray, ground: GroundDistance) -> FloatArray:
    work = ground.work(differences(counts, reference)).astype(np.float64)
    return np.asarray(work / whole_of(counts, reference, ground).astype(np.float64), dtype=np.float64)


def _thinned(ordered: FloatArray) -> Sequence[float]:
    places = np.unique(np.linspace(0, len(ordered) - 1, min(SHOWN, len(ordered))).round().astype(np.int64))
    found: list[float] = ordered[places].tolist()
    return found


def _threshold(subject: Subject, name: str) -> float | None:
    """Return the t that the policy asks for in the space of the column."""
    asked = [
        principle.t
        for principle in subject.policy.principles
        if isinstance(principle, TCloseness)
        and principle.column in (None, name)
        and principle.space in (None, subject.roles.sensitive[name])
    ]
    return float(min(asked)) if asked else None


def _values(counted: ValueCounts, group: int, folded: Folded) -> tuple[ReportValue, ...]:
    """Compare the shares of values in the table with those in a group."""
    (inside,) = counted.block(group, group + 1)
    table, own = dict.fromkeys(folded.names, 0), dict.fromkeys(folded.names, 0)
    for value, rows, rows_inside in zip(counted.values, counted.reference().tolist(), inside.tolist(), strict=True):
        table[folded.name_of[value]] += rows
        own[folded.name_of[value]] += rows_inside
    whole, size = sum(table.values()), sum(own.values())
    return tuple(ReportValue(name, round(table[name] / whole, 6), round(own[name] / size, 6)) for name in folded.names)


def _pattern(subject: Subject, group: int) -> tuple[tuple[str, str], ...]:
    (cells,) = subject.tally.patterns([group])
    marks = (subject.marks.get(name, MARK) for name in subject.roles.quasi)
    missing = ("(hidden)" if mark is None else "(missing)" for mark in marks)
    shown = (instead if cell is None else cell for cell, instead in zip(cells, missing, strict=True))
    return tuple(zip(subject.roles.quasi, shown, strict=True))

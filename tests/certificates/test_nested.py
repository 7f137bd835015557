"""Groups bounded size by size in trees, and in several columns, against all groups; distances are from the paper."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kilt
from kilt import Policy
from kilt.bounds.by_size import BySizeOracle, Params
from kilt.bounds.oracles import oracle_of
from kilt.certificates.certificate import Certificate
from kilt.certificates.check import count
from kilt.certificates.proof.by_size import SizeProof
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Evidence, PatternMultipliers
from kilt.certificates.proof.patterns import in_batches, proof_patterns
from kilt.commands.check import check
from kilt.model.ladders.parse import parse_ladder
from kilt.model.problem import Problem
from kilt.model.spaces import Metric, Numeric, Ordered, Space, Tree, parse_space
from kilt.model.taxonomy import Taxonomy
from kilt.patterns.pool import Pool
from kilt.sources.registry import open_source
from support.problems import row_types
from support.profiles import examples

SCALE = 100
PARENT = {"0": "even", "1": "odd", "2": "even", "3": "odd", "4": "even"}
TAXONOMY = Taxonomy({value: (value, parent, "*") for value, parent in PARENT.items()})


def total_variation(shares):
    """Equal distances: half of all differences."""
    return sum(abs(each) for each in shares.values()) / 2


def ordered(shares):
    """Neighbours are equally far apart: everything that must pass between them does."""
    passing = list(accumulate(shares[value] for value in sorted(shares)))
    return sum(map(abs, passing[:-1])) / (len(shares) - 1)


def numeric(shares):
    """What must pass between neighbours, times how far they are apart."""
    values = sorted(map(int, shares))
    passing = accumulate(shares[str(value)] for value in values)
    steps = zip(passing, values, values[1:], strict=False)
    return sum(abs(each) * (high - low) for each, low, high in steps) / Fraction(values[-1] - values[0])


def of_tree(shares):
    """Half of the way is within the parents, and half of it between them."""
    parents = dict.fromkeys(PARENT.values(), Fraction(0))
    for value, share in shares.items():
        parents[PARENT[value]] += share
    return (total_variation(shares) + total_variation(parents)) / 2


DISTANCES = {
    "equal": (parse_space("equal"), total_variation),
    "ordered": (Ordered(), ordered),
    "numeric": (Numeric(), numeric),
    "tree": (Tree(TAXONOMY), of_tree),
}
SPACES = [["ordered"], ["numeric"], ["tree"], ["equal", "equal"], ["tree", "equal"], ["ordered", "numeric"]]


class Drawn:
    """A table of two quasi columns and one or two sensitive ones, and a policy that it meets."""

    def __init__(self, data, most_rows=8):
        self.names = data.draw(st.sampled_from(SPACES))
        sensitive = [st.integers(0, 4 if i == 0 else 2).map(str) for i in range(len(self.names))]
        row = st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), *sensitive)
        self.rows = data.draw(st.lists(row, min_size=4, max_size=most_rows))
        assume(all(len({row[2 + i] for row in self.rows}) > 1 for i in range(len(self.names))))
        self.k, t = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(["0", "0.05", "0.1", "0.2", "0.3", "0.45"]))
        self.t = Fraction(t)
        quasi = {name: parse_ladder("suppress") for name in ("q0", "q1")}
        spaces: dict[str, Space] = {f"s{i}": DISTANCES[name][0] for i, name in enumerate(self.names)}
        self.problem = Problem.build(row_types(self.rows, 2), quasi, spaces, Policy(k=self.k, t=t))
        assume(len(self.problem.sensitive_totals) > 2)
        self.keys = sorted(set(self.rows))

    def is_legal(self, types):
        """Decide by the definition whether rows of these types are a legal group."""
        if len(types) < self.k:
            return False
        for i, name in enumerate(self.names):
            shares = {}
            for value in {row[2 + i] for row in self.rows}:
                inside = Fraction(sum(self.keys[u][2 + i] == value for u in types), len(types))
                shares[value] = inside - Fraction(sum(row[2 + i] == value for row in self.rows), len(self.rows))
            if DISTANCES[name][1](shares) > self.t:
                return False
        return True

    def least(self, members, reduced_costs, largest):
        """Try all groups of up to the largest size."""
        found = 0
        for chosen in range(1, 1 << len(members)):
            places = [i for i in range(len(members)) if chosen >> i & 1]
            value = sum(int(reduced_costs[i]) for i in places)
            if len(places) <= largest and value < found and self.is_legal([members[i] for i in places]):
                found = value
        return found


def each_pattern(patterns):
    """Yield the rows of every pattern, and their reduced costs."""
    for p in range(len(patterns)):
        mine = np.flatnonzero(patterns.owner == p)
        counts = patterns.counts[mine]
        yield p, np.repeat(patterns.types[mine], counts).tolist(), np.repeat(patterns.reduced_costs[mine], counts)


def named(patterns, numbers):
    """Give numbers to every pattern."""
    return PatternMultipliers(patterns.vectors, patterns.vector, patterns.first, np.array(numbers))


@given(st.data())
@examples(300)
def test_any_thetas_with_any_other_multipliers_are_below_all_groups(data):
    drawn = Drawn(data)
    problem = drawn.problem
    multipliers = np.array([data.draw(st.integers(-SCALE, 4 * SCALE)) for _ in problem.counts])
    largest = data.draw(st.integers(1, 8))
    plain = Evidence((0, 1), multipliers, SCALE, largest)
    width = 1 + sum(len(rule.ground.start) for rule in problem.rules if hasattr(rule, "ground"))
    any_number = st.integers(-300, 300)
    for patterns in in_batches(proof_patterns(problem, plain)):
        linear = [data.draw(st.lists(any_number, min_size=width, max_size=width)) for _ in range(len(patterns))]
        thetas = [[data.draw(st.integers(0, 3)), data.draw(st.integers(-5, 2_000))] for _ in range(len(patterns))]
        evidence = replace(plain, linear_multipliers=named(patterns, linear), size_multipliers=named(patterns, thetas))
        proof = SizeProof.of(problem, evidence)
        found = proof.least(patterns, proof.largest(patterns))
        for p, members, reduced_costs in each_pattern(patterns):
            assert found[p] <= drawn.least(members, reduced_costs, largest)


@given(st.data())
@examples(200)
def test_what_is_found_is_proved_and_below_all_groups(data):
    drawn = Drawn(data)
    problem = drawn.problem
    oracle = oracle_of(problem, Pool.of(problem))
    assert isinstance(oracle, BySizeOracle)
    scale = oracle.incidence.scale
    multipliers = np.array([data.draw(st.integers(-scale, 4 * scale)) for _ in problem.counts])
    total = by_hand = int(multipliers @ problem.counts)
    for patterns in proof_patterns(problem, Evidence((0, 1), multipliers, scale)):
        by_hand += sum(drawn.least(*each, problem.rows) for _, *each in each_pattern(patterns))
    for _ in range(data.draw(st.integers(0, 3))):
        found = total + oracle.least(multipliers)[0]
        assert found <= by_hand + 1
    sizes = data.draw(st.sampled_from([(), (2,), (3, 5), (8,)]))  # from which on inequalities may be enough
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kilt.bounds.by_size.PARAMS", Params(proof_sizes=sizes))
        evidence = oracle.evidence(multipliers)
        found = total + oracle.least(multipliers)[0]
    proved = evaluate_bound(problem, [evidence])
    assert proved <= max(0, -(-by_hand // scale))
    if len(drawn.names) == 1:
        assert proved >= int(found - scale / 50) // scale


@given(st.data())
@examples(100)
def test_a_part_of_a_table_is_bounded_by_the_shares_of_the_whole(data):
    """Values that the part does not have must be carried all the same."""
    drawn = Drawn(data, most_rows=9)
    kept = data.draw(st.lists(st.booleans(), min_size=len(drawn.keys), max_size=len(drawn.keys)))
    types = np.flatnonzero(kept)
    assume(len(types) > 0)
    part = drawn.problem.part(types, drawn.problem.counts[types])
    assume(len(part.sensitive_totals) > 2)
    oracle = oracle_of(part, Pool.of(part))
    scale = oracle.incidence.scale
    multipliers = np.array([data.draw(st.integers(-scale, 4 * scale)) for _ in types])
    by_hand = int(multipliers @ part.counts)
    for patterns in proof_patterns(part, Evidence((0, 1), multipliers, scale)):
        for _, members, reduced_costs in each_pattern(patterns):
            by_hand += drawn.least(types[members].tolist(), reduced_costs, part.rows)
    oracle.least(multipliers)
    assert evaluate_bound(part, [oracle.evidence(multipliers)]) <= max(0, -(-by_hand // scale))


@pytest.fixture(scope="module", params=["c:ordered", "c:equal,d:equal"])
def papers(request, tmp_path_factory):
    """A table and a certificate of its bound."""
    folder = tmp_path_factory.mktemp("nested")
    rng = np.random.default_rng(5)
    cells = np.column_stack([rng.integers(0, 3, (90, 2)), rng.integers(0, 6, 90), rng.integers(0, 3, 90)])
    columns = ["a", "b", "c", "d"] if "d" in request.param else ["a", "b", "c"]
    lines = [",".join(columns), *(",".join(map(str, row[: len(columns)])) for row in cells.tolist())]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    asked = {"quasi": "a,b", "sensitive": request.param, "policy": Policy(k=2, t="0.1")}
    kilt.bound(folder / "table.csv", **asked, certificate=folder / "certificate.json")
    return folder


def forged(papers, **changes):
    """Return the certificate with changes, sealed as a forger would who knows the table."""
    found = json.loads((papers / "certificate.json").read_text())
    part = {**found["parts"][0], **changes.pop("part", {})}
    certificate = Certificate.of_dict({**found, **changes, "parts": [part]})
    types = count(open_source(papers / "table.csv"), list(certificate.quasi), list(certificate.sensitive))
    return found, part, certificate.sealed(types)


def test_a_certificate_passes_and_no_higher_thetas_prove_more(papers):
    found, part, same = forged(papers)
    assert part["thetas"]["numbers"]
    assert check(same, original=papers / "table.csv").passed
    more = str(Fraction(found["bound"]) + 1)
    for factor in (0, 2, 1_000_000):
        thetas = {**part["thetas"], "numbers": [[size, each * factor] for size, each in part["thetas"]["numbers"]]}
        _, _, other = forged(papers, part={"thetas": thetas}, bound=more)
        assert not check(other, original=papers / "table.csv").passed


def test_a_metric_that_is_no_tree_is_not_proved_by_sizes():
    distance = [["0", "1", "1"], ["1", "0", "1"], ["1", "1", "0"]]
    rows = [("a", "x", str(i % 3)) for i in range(6)]
    quasi = {name: parse_ladder("suppress") for name in ("q0", "q1")}
    space = Metric.of(["0", "1", "2"], distance)
    problem = Problem.build(row_types(rows, 2), quasi, {"s0": space}, Policy(k=2, t="0.3"))
    with pytest.raises(kilt.InputError, match="whose space is a tree"):
        SizeProof.of(problem, Evidence((0, 1), np.zeros(3, dtype=np.int64), SCALE, 5))

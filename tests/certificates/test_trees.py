"""Trees in a proof: any tree proves something true, and one that is not whole is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kilt
from kilt import InputError, Policy
from kilt.bounds.by_size import BySizeOracle, Params
from kilt.bounds.oracles import oracle_of
from kilt.certificates.certificate import Certificate
from kilt.certificates.check import count
from kilt.certificates.proof.by_size import SizeProof
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Evidence, PatternMultipliers, PatternTrees
from kilt.certificates.proof.patterns import in_batches, proof_patterns
from kilt.commands.check import check
from kilt.patterns.pool import Pool
from kilt.solvers.common.join_evidence import join_evidence
from kilt.sources.registry import open_source
from support.problems import problem_of
from support.profiles import examples

SCALE = 100


def drawn_table(data, most_rows=9, most_values=5):
    """Draw rows of two quasi columns and a sensitive one with at least three values, and a policy that they meet."""
    row = st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.integers(0, most_values - 1).map(str))
    rows = data.draw(st.lists(row, min_size=4, max_size=most_rows))
    assume(len({value for _, _, value in rows}) > 2)
    k, t = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(["0", "0.1", "0.2", "0.3", "0.45"]))
    return k, Fraction(t), problem_of(rows, ["suppress"] * 2, ["equal"], Policy(k=k, t=t))


def drawn_nodes(data, values, decided=()):
    """Draw the nodes of a tree, and any theta at its ends."""
    left = [value for value in range(values) if value not in decided]
    if not left or data.draw(st.booleans()):
        return [-1 - data.draw(st.integers(0, 400))]
    value = data.draw(st.sampled_from(left))
    below = (*decided, value)
    return [value, *drawn_nodes(data, values, below), *drawn_nodes(data, values, below)]


def least_by_hand(problem, k, t, members, reduced_costs, largest):
    """Try all groups of up to the largest size, and decide by the definition whether they are legal."""
    rows, totals = int(problem.counts.sum()), problem.sensitive_totals.tolist()
    values, least = problem.sensitive_class[members].tolist(), 0
    for chosen in range(1, 1 << len(members)):
        places = [i for i in range(len(members)) if chosen >> i & 1]
        size = len(places)
        if not k <= size <= largest:
            continue
        shares = [Fraction(sum(values[i] == c for i in places), size) for c in range(len(totals))]
        distance = sum(abs(share - Fraction(total, rows)) for share, total in zip(shares, totals, strict=True)) / 2
        if distance <= t:
            least = min(least, sum(int(reduced_costs[i]) for i in places))
    return least


@given(st.data())
@examples(300)
def test_any_tree_with_any_thetas_is_below_all_groups(data):
    k, t, problem = drawn_table(data, most_rows=8)
    multipliers = np.array([data.draw(st.integers(-SCALE, 4 * SCALE)) for _ in problem.counts])
    largest = data.draw(st.integers(1, 8))
    plain = Evidence((0, 1), multipliers, SCALE, largest)
    for patterns in in_batches(proof_patterns(problem, plain), entries=data.draw(st.integers(1, 50))):
        sizes = data.draw(st.lists(st.integers(1, 8), unique=True))
        every = range(len(patterns))
        trees = [(p, size, drawn_nodes(data, len(problem.sensitive_totals))) for p in every for size in sizes]
        numbers = np.array([[size, len(nodes)] for _, size, nodes in trees]).reshape(-1, 2)
        of_tree = np.array([p for p, *_ in trees], dtype=int)
        named = PatternMultipliers(patterns.vectors, patterns.vector[of_tree], patterns.first[of_tree], numbers)
        nodes = np.array([node for *_, nodes in trees for node in nodes], dtype=np.int64)
        proof = SizeProof.of(problem, replace(plain, trees=PatternTrees(named, nodes)))
        found = proof.least(patterns, proof.largest(patterns))
        for p in range(len(patterns)):
            mine = np.flatnonzero(patterns.owner == p)
            members = np.repeat(patterns.types[mine], patterns.counts[mine])
            reduced_costs = np.repeat(patterns.reduced_costs[mine], patterns.counts[mine])
            assert found[p] <= least_by_hand(problem, k, t, members, reduced_costs, largest)


@given(st.data())
@examples(200)
def test_the_trees_that_are_found_prove_the_least_of_all_groups(data):
    k, t, problem = drawn_table(data, most_rows=9)
    oracle = oracle_of(problem, Pool.of(problem))
    assert isinstance(oracle, BySizeOracle)
    scale = oracle.incidence.scale
    multipliers = np.array([data.draw(st.integers(-scale, 4 * scale)) for _ in problem.counts])
    total, by_hand = float(multipliers @ problem.counts), int(multipliers @ problem.counts)
    for patterns in proof_patterns(problem, Evidence((0, 1), multipliers, scale)):
        for p in range(len(patterns)):
            mine = np.flatnonzero(patterns.owner == p)
            members = np.repeat(patterns.types[mine], patterns.counts[mine])
            reduced_costs = np.repeat(patterns.reduced_costs[mine], patterns.counts[mine])
            by_hand += least_by_hand(problem, k, t, members, reduced_costs, problem.rows)
    assert total + oracle.least(multipliers)[0] == pytest.approx(by_hand, abs=1)
    sizes = data.draw(st.sampled_from([(), (2,), (3, 5), (8,)]))  # from which on inequalities may be enough
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kilt.bounds.by_size.PARAMS", Params(proof_sizes=sizes))
        evidence = oracle.evidence(multipliers)
    proved = evaluate_bound(problem, [evidence])
    assert proved in (max(0, -(-by_hand // scale)), max(0, -(-(by_hand - scale // 50) // scale)))


@given(st.data())
@examples(150)
def test_a_part_of_a_table_is_bounded_by_the_shares_of_the_whole(data):
    """Cells of a table are solved one by one: their groups must be close to the whole table, not to the cell."""
    k, t, problem = drawn_table(data, most_rows=10)
    kept = data.draw(st.lists(st.booleans(), min_size=len(problem.counts), max_size=len(problem.counts)))
    types = np.flatnonzero(kept)
    assume(len(types) > 0)
    part = problem.part(types, problem.counts[types])
    assume(len(part.sensitive_totals) > 2)
    oracle = oracle_of(part, Pool.of(part))
    scale = oracle.incidence.scale
    multipliers = np.array([data.draw(st.integers(-scale, 4 * scale)) for _ in types])
    by_hand = int(multipliers @ part.counts)
    for patterns in proof_patterns(part, Evidence((0, 1), multipliers, scale)):
        for p in range(len(patterns)):
            mine = np.flatnonzero(patterns.owner == p)
            members = np.repeat(types[patterns.types[mine]], patterns.counts[mine])
            reduced_costs = np.repeat(patterns.reduced_costs[mine], patterns.counts[mine])
            by_hand += least_by_hand(problem, k, t, members, reduced_costs, part.rows)
    evidence = oracle.evidence(multipliers)
    assert evaluate_bound(part, [evidence]) <= max(0, -(-by_hand // scale))
    joined = join_evidence(problem, [(types, evidence)])
    assert joined is not None
    assert joined.trees.nodes.tolist() == evidence.trees.nodes.tolist()


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    """A table and a certificate of its bound, which has trees."""
    folder = tmp_path_factory.mktemp("trees")
    rng = np.random.default_rng(5)
    cells = np.column_stack([rng.integers(0, 3, (90, 3)), rng.integers(0, 6, 90)])
    text = "\n".join(["a,b,c,disease", *(",".join(map(str, row)) for row in cells.tolist())])
    (folder / "table.csv").write_text(text + "\n")
    asked = {"quasi": "a,b,c", "sensitive": "disease", "policy": Policy(k=2, t="0.2")}
    kilt.bound(folder / "table.csv", **asked, certificate=folder / "certificate.json")
    return folder


def forged(papers, part, **changes):
    """Return the certificate with changes, sealed as a forger would who knows the table."""
    found = {**json.loads((papers / "certificate.json").read_text()), **changes}
    found["parts"] = [{**found["parts"][0], **part}]
    certificate = Certificate.of_dict(found)
    types = count(open_source(papers / "table.csv"), list(certificate.quasi), list(certificate.sensitive))
    return certificate.sealed(types)


def trees_of(papers):
    part = json.loads((papers / "certificate.json").read_text())["parts"][0]
    return part["trees"], part["nodes"]


def test_a_certificate_with_trees_passes_and_needs_them(papers):
    trees, nodes = trees_of(papers)
    assert len(nodes) > len(trees["first"]) > 0
    assert check(papers / "certificate.json", original=papers / "table.csv").passed
    no_trees = {"trees": {"vectors": [], "vector": [], "first": [], "numbers": []}, "nodes": []}
    part = {**no_trees, "sizes": {"vectors": [[0, 0, 0]], "vector": [0], "first": [0], "numbers": [[120]]}}
    assert not check(forged(papers, part), original=papers / "table.csv").passed


def test_a_tree_that_is_not_whole_is_refused(papers):
    trees, nodes = trees_of(papers)
    (size, number), rest = trees["numbers"][0], trees["numbers"][1:]
    for first in (nodes[: number - 1], [*nodes[:number], -1], [nodes[0], *nodes[:number]], [99, -1, -1]):
        part = {"trees": {**trees, "numbers": [[size, len(first)], *rest]}, "nodes": [*first, *nodes[number:]]}
        found = check(forged(papers, part), original=papers / "table.csv")
        assert not found.passed
        assert "tree of the proof is not" in found.problems[0]


@pytest.mark.parametrize("numbers", [[0, 1], [1_001, 1], [5, 0], [5, 10**6]])
def test_sizes_and_numbers_of_nodes_that_cannot_be(papers, numbers):
    trees, nodes = trees_of(papers)
    with pytest.raises(InputError, match="the trees of the proof"):
        forged(papers, {"trees": {**trees, "numbers": [numbers, *trees["numbers"][1:]]}, "nodes": nodes})


def test_a_bound_that_the_trees_do_not_reach_is_refused(papers):
    bound = Fraction(json.loads((papers / "certificate.json").read_text())["bound"])
    assert check(forged(papers, {}), original=papers / "table.csv").passed
    assert not check(forged(papers, {}, bound=str(bound + 1)), original=papers / "table.csv").passed
    trees, nodes = trees_of(papers)
    high = [node if node >= 0 else -(2**52) for node in nodes]  # the thetas of all ends
    found = check(forged(papers, {"trees": trees, "nodes": high}, bound=str(bound + 1)), original=papers / "table.csv")
    assert not found.passed


def test_sizes_of_patterns_that_are_too_large_are_refused(papers):
    for number in (-1, 1_001):
        sizes = {"vectors": [[0, 0, 0]], "vector": [0], "first": [0], "numbers": [[number]]}
        found = check(forged(papers, {"sizes": sizes}), original=papers / "table.csv")
        assert not found.passed
        assert "largest sizes" in found.problems[0]

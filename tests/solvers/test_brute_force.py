"""All solvers and bounds against the definitions of the paper, spelled out a second time in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

from kilt import InfeasibleError, KAnonymity, LDiversity, Policy, TCloseness
from kilt.bounds.lagrangian import lower_bound
from kilt.kernels import IS_COMPILED
from kilt.model.problem import Problem
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.registry import SOLVERS
from support.paper_brute_force import BruteForce, Demands, Quasi, Row, Sensitive, earth_movers_distance
from support.problems import groups_of, problem_of
from support.profiles import is_thorough

PATHS = {"0": ["0", "low", "*"], "1": ["1", "low", "*"], "2": ["2", "*"], "3": ["3", "high", "*"]}
HALVES = {(a, b): Fraction(a != b) / (2 if "3" in (a, b) else 1) for a in "0123" for b in "0123"}
QUASI = {
    "suppress": Quasi(),
    "weighted": Quasi(weight=Fraction(5, 2)),
    "characters": Quasi("characters"),
    "prefix": Quasi("prefix"),
    "taxonomy": Quasi("taxonomy", paths=PATHS),
    "bands": Quasi("bands"),
}
SENSITIVE = {
    "equal": Sensitive(),
    "ordered": Sensitive("ordered"),
    "numeric": Sensitive("numeric"),
    "tree": Sensitive("tree", paths=PATHS),
    "metric": Sensitive("metric", metric=HALVES),
}
TEXTS = ["", "a", "b", "ab", "ba", "aba", "abb", "bab"]
CELLS = {"bands": "0123456789", "taxonomy": "0123", "characters": TEXTS, "prefix": TEXTS}
EXACT = [name for name, info in SOLVERS.items() if info.kind == "exact"]
GUARANTEED = [name for name, info in SOLVERS.items() if info.kind == "guaranteed"]
OTHERS = [name for name, info in SOLVERS.items() if info.kind == "heuristic" and info.ends]
FULL_DOMAIN = ["incognito"]  # shows one level in the whole table, and so less than its groups allow
BATCH, BATCHES = (700, 10) if is_thorough() else (150, 1) if IS_COMPILED else (25, 1)
BOUNDED = 10 if is_thorough() else 25  # one table of so many is bounded without a solver, which takes long


def drawn(rng: random.Random) -> tuple[BruteForce, Problem | None]:
    """Draw a table and a policy, and return them in both worlds; None if kilt says that no release exists."""
    quasi = [rng.choice(list(QUASI)) for _ in range(rng.randint(1, 3))]
    sensitive = [rng.choice(list(SENSITIVE)) for _ in range(rng.choice([0, 1, 1, 1, 2]))]
    rows = [row(rng, quasi, sensitive) for _ in range(rng.choice([1, 2, 3, 4, 5, 5, 6, 6, 7]))]
    demands = drawn_demands(rng, bool(sensitive))
    brute = BruteForce(rows, [QUASI[name] for name in quasi], [SENSITIVE[name] for name in sensitive], demands)
    try:
        return brute, problem_of(rows, quasi, sensitive, policy_of(demands))
    except InfeasibleError:
        return brute, None


def row(rng: random.Random, quasi: list[str], sensitive: list[str]) -> Row:
    cells: list[str | None] = []
    for name in quasi:
        values = CELLS.get(name, "abc")
        cells.append(None if name != "taxonomy" and rng.random() < 0.1 else rng.choice(values))
    return (*cells, *(rng.choice("0123") for _ in sensitive))


def drawn_demands(rng: random.Random, has_sensitive: bool) -> Demands:
    """Draw k, l and t, or often one of them alone, which some solvers are made for."""
    k, t = rng.choice([1, 2, 2, 3, 4]), Fraction(rng.choice(["0", "0.1", "0.25", "1/3", "0.5", "0.8", "1"]))
    form, c = rng.choice(["frequency", "frequency", "distinct", "entropy", "recursive"]), rng.choice(["2", "3/4", "1"])
    numbers = ["1", "2", "3"] if form in ("distinct", "recursive") else ["1", "3/2", "2", "2", "5/2", "3"]
    l = Fraction(rng.choice(numbers))
    asked = rng.choice(["k", "l", "l", "t", "t", "kl", "kt", "lt", "klt"]) if has_sensitive else "k"
    return Demands(
        k if "k" in asked else None, l if "l" in asked else None, form, Fraction(c), t if "t" in asked else None
    )


def policy_of(demands: Demands) -> Policy:
    form = f"recursive:{demands.c}" if demands.form == "recursive" else demands.form
    principles = [
        None if demands.k is None else KAnonymity(demands.k),
        None if demands.l is None else LDiversity(demands.l, form),
        None if demands.t is None else TCloseness(demands.t),
    ]
    return Policy(*(principle for principle in principles if principle is not None))


def stars_of(name: str, brute: BruteForce, problem: Problem) -> tuple[Fraction, Solution] | None:
    """Solve, and judge the groups by the definitions; None if the solver does not take the problem."""
    made = SOLVERS[name].load()
    if made.refuses(problem) is not None:
        return None
    solution = made.solve(problem, StoppingRule(), silent)
    prices = [brute.price(group) for group in groups_of(brute.rows, solution.partition)]
    assert None not in prices, name
    stars = problem.stars(solution.cost)
    assert sum(prices) == stars or (name in FULL_DOMAIN and sum(prices) < stars), name
    return stars, solution


def compare(seed: int) -> Counter[str]:
    """Compare everything that takes a random table with its optimum; return who took it."""
    brute, problem = drawn(random.Random(seed))
    optimum = brute.optimum()
    assert (optimum is None) == (problem is None)
    taken: Counter[str] = Counter({"tables": 1, "infeasible": problem is None})
    if problem is None or optimum is None:
        return taken
    for name in (*EXACT, *GUARANTEED, *(OTHERS if is_thorough() or seed % 4 == 0 else ())):
        found = stars_of(name, brute, problem)
        if found is None:
            continue
        stars, solution = found
        taken[name] += 1
        if name in EXACT:
            assert stars == optimum == problem.stars(solution.bound.cost), name
        assert stars >= optimum, name
        assert solution.bound is None or problem.stars(solution.bound.cost) <= optimum, name
        assert solution.factor is None or stars <= solution.factor * optimum, name
    if seed % BOUNDED == 0:
        taken["bound"] += 1
        assert problem.stars(lower_bound(problem, StoppingRule(), silent).cost) <= optimum
    return taken


@pytest.mark.parametrize("batch", range(BATCHES))
def test_all_solvers_agree_with_the_definitions_of_the_paper(batch):
    taken: Counter[str] = Counter()
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        try:
            taken += compare(seed)
        except Exception as error:
            brute = drawn(random.Random(seed))[0]
            error.add_note(f"seed {seed}: {brute.rows}, {brute.quasi}, {brute.sensitive}, {brute.demands}")
            raise
    assert taken["tables"] == BATCH
    assert not IS_COMPILED or all(taken[name] for name in (*EXACT, *GUARANTEED, *OTHERS, "bound"))


def test_the_distance_of_the_papers_example_and_of_its_fact():
    equal = [[Fraction(i != j) for j in range(3)] for i in range(3)]
    table = [Fraction(3, 10), Fraction(3, 10), Fraction(4, 10)]
    assert earth_movers_distance([Fraction(1, 2), Fraction(1, 2), Fraction(0)], table, equal) == Fraction(4, 10)
    rng = random.Random(1)
    for _ in range(200):
        counts = [[rng.randint(0, 5) for _ in range(3)] for _ in range(2)]
        if all(map(sum, counts)):
            x, y = ([Fraction(count, sum(each)) for count in each] for each in counts)
            assert earth_movers_distance(x, y, equal) == sum(abs(a - b) for a, b in zip(x, y, strict=True)) / 2


def test_the_papers_partition_of_its_first_three_rows_costs_what_the_paper_says():
    rows = [("98765", "38", "Bachelor"), ("98654", "39", "Doctorate"), ("98543", "32", "Master")]
    brute = BruteForce(rows, [Quasi("characters"), Quasi("characters"), Quasi()], [], Demands(k=3))
    assert brute.optimum() == brute.cost([0, 1, 2]) == 15

"""The catalogue: what every solver is, without loading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import zip_longest

from kilt.errors import InputError, nearest
from kilt.model.problem import Problem
from kilt.solvers.base import Kind, Solver


@dataclass(frozen=True)
class Entry:
    """A solver: what can be said of its answer, what it takes, and where it comes from.

    ``brings_bound`` says whether it finds a bound itself, and ``ends`` whether it comes to an end by itself.
    """

    name: str
    made: str
    kind: Kind
    guarantee: str
    takes: str
    source: str
    brings_bound: bool = False
    ends: bool = True

    def load(self) -> Solver:
        """Load the solver; some need heavy libraries."""
        module, made = self.made.rsplit(".", 1)
        found: Solver = getattr(import_module(f"kilt.solvers.{module}"), made)()
        return found

    def to_dict(self) -> dict[str, object]:
        """Return what there is to say of it."""
        names = ("name", "kind", "guarantee", "takes", "source")
        return {name: getattr(self, name) for name in names} | {"also": aliases_of(self.name)}


OPTIMUM = "the optimum"
ENTRIES = (
    Entry(
        "exhaustive",
        "exact.exhaustive.Exhaustive",
        "exact",
        OPTIMUM,
        "any policy, up to 12 rows",
        "folklore: dynamic programming over sets of rows",
        brings_bound=True,
    ),
    Entry(
        "recursion",
        "exact.recursion.Recursion",
        "exact",
        OPTIMUM,
        "any policy, up to 12 rows",
        "the exact recursion of Liang and Yuan 2013",
        brings_bound=True,
    ),
    Entry(
        "subsets",
        "exact.subsets.Subsets",
        "exact",
        OPTIMUM,
        "any policy, up to 26 different rows",
        "dynamic programming over multisets of row types, with pruning",
        brings_bound=True,
    ),
    Entry(
        "milp",
        "exact.milp.solver.PatternMilp",
        "exact",
        "the optimum, or a bound when its time is over (in floating point)",
        "any policy, some hundred different rows",
        "the mixed integer program of Liang and Yuan 2013, made smaller; solved by HiGHS",
        brings_bound=True,
    ),
    Entry(
        "matching",
        "exact.matching.solver.PairsAndTriples",
        "exact",
        OPTIMUM,
        "k=2, or l=2 (frequency) on the one sensitive column",
        "Blocki and Williams 2010; Anshelevich and Karagiozova 2011 (simplex matching)",
        brings_bound=True,
    ),
    Entry(
        "exact",
        "exact.column_generation.solver.Exact",
        "exact",
        "the optimum, or a bound when its time is over",
        "any policy, hundreds of different rows and often more",
        "column generation on a kernel (after Blocki and Williams 2010)",
        brings_bound=True,
    ),
    Entry(
        "search",
        "search.solver.Search",
        "heuristic",
        "none, but a bound beside it",
        "any policy, any size",
        "Lagrangian prices and annealing over open patterns",
        brings_bound=True,
        ends=False,
    ),
    Entry("greedy", "greedy.solver.Greedy", "heuristic", "none", "any policy, any size", "level greedy"),
    Entry(
        "classes",
        "approximation.classes.Classes",
        "guaranteed",
        "at most m times the optimum with m columns of whole cells; exact for one",
        "k-anonymity",
        "the m-approximation of Liang and Yuan 2013, with its third case corrected",
    ),
    Entry(
        "residue",
        "approximation.residue.solver.Residue",
        "guaranteed",
        "at most m times the optimum with m columns of whole cells; exact for one",
        "any policy",
        "after Dondi et al. 2012 and Xiao, Yi and Tao 2010, for any policy",
    ),
    Entry(
        "cover",
        "approximation.cover.Cover",
        "guaranteed",
        "at most 2(1 + ln(2k-1)) times the optimum",
        "k-anonymity, where all patterns can be listed",
        "Park and Shim 2007, by patterns",
    ),
    Entry(
        "forest",
        "approximation.forest.Forest",
        "guaranteed",
        "at most 3k-3 times the optimum",
        "k-anonymity",
        "Aggarwal et al. 2005, trees cut in our own way",
    ),
    Entry(
        "diameter",
        "approximation.diameter.Diameter",
        "guaranteed",
        "at most 4(2k-1)(k-1)/k (1 + ln(2k-1)) times the optimum",
        "k-anonymity, up to 100,000 different rows",
        "Meyerson and Williams 2004, with balls in place of all sets",
    ),
    Entry(
        "tp",
        "approximation.tp.solver.Tuples",
        "guaranteed",
        "at most m times the optimum with m columns of whole cells if its first phase is enough, else what is proved",
        "a whole l (frequency) on the one sensitive column, with k up to l",
        "Xiao, Yi and Tao 2010, its third phase in our own way",
    ),
    Entry(
        "tp+",
        "approximation.tp.solver.CutTuples",
        "guaranteed",
        "that of tp, and never dearer",
        "a whole l (frequency) on the one sensitive column, with k up to l",
        "Xiao, Yi and Tao 2010, the residue cut as Mondrian does",
    ),
    Entry(
        "mondrian",
        "classics.mondrian.Mondrian",
        "heuristic",
        "none",
        "any policy, any size",
        "LeFevre, DeWitt and Ramakrishnan 2006, strict",
    ),
    Entry(
        "mondrian-relaxed",
        "classics.mondrian.RelaxedMondrian",
        "heuristic",
        "none",
        "any policy, any size",
        "LeFevre, DeWitt and Ramakrishnan 2006, relaxed",
    ),
    Entry(
        "incognito",
        "classics.incognito.Incognito",
        "heuristic",
        "none; the best release with one level for each column",
        "any policy, not too many level vectors",
        "LeFevre, DeWitt and Ramakrishnan 2005; Li, Li and Venkatasubramanian 2007 for t",
    ),
    Entry(
        "sabre",
        "classics.sabre.solver.Sabre",
        "heuristic",
        "none",
        "t-closeness on one sensitive column, with or without k",
        "after Cao, Karras, Kalnis and Tan 2011",
    ),
    Entry(
        "information",
        "classics.average_closeness.solver.Information",
        "heuristic",
        "none",
        "any policy, where all patterns can be listed",
        "after Rebollo-Monedero, Forne and Domingo-Ferrer 2010 (average closeness)",
    ),
)
CATALOGUE: Mapping[str, Entry] = {entry.name: entry for entry in ENTRIES}
# what researchers call them, by their authors
ALIASES: Mapping[str, str] = {
    "blocki-williams": "matching",
    "blocki-williams-exact": "subsets",
    "blocki-williams-kernel": "exact",
    "anshelevich-karagiozova": "matching",
    "dondi": "residue",
    "park-shim": "cover",
    "aggarwal": "forest",
    "meyerson-williams": "diameter",
    "xiao-yi-tao": "tp",
    "rebollo-monedero": "information",
}


def aliases_of(name: str) -> list[str]:
    """Return the other names of a solver."""
    return [alias for alias, meant in ALIASES.items() if meant == name]


def catalogue_text() -> str:
    """Say of every solver what it guarantees, what it takes and where it comes from."""
    width = max(map(len, CATALOGUE)) + 4
    lines = []
    for kind in ("exact", "guaranteed", "heuristic"):
        lines.append(f"{kind}:")
        for entry in ENTRIES:
            if entry.kind == kind:
                said = [f"guarantee: {entry.guarantee}", f"takes: {entry.takes}", f"source: {entry.source}"]
                said += [f"also called: {', '.join(names)}" for names in [aliases_of(entry.name)] if names]
                lines += [f"  {name:<{width}}{line}" for name, line in zip_longest((entry.name,), said, fillvalue="")]
    return "\n".join(lines)


# what is tried, with the most row types for which it is
AUTO: Mapping[str, int | None] = {"exhaustive": None, "exact": 60, "matching": 1_000, "search": None, "greedy": None}
NAMES = ("auto", *CATALOGUE)


def entry_of(name: str) -> Entry:
    """Return what the catalogue has under this name, or under this name of its authors."""
    name = ALIASES.get(name, name)
    if name == "auto":
        raise InputError("'auto' chooses one of the others: name these, as 'kilt solvers' lists them")
    if name not in CATALOGUE:
        raise InputError(f"'{name}' is not a solver: {nearest(name, (*NAMES, *ALIASES))}")
    return CATALOGUE[name]


def solver(name: str) -> Solver:
    """Return the solver of this name."""
    return entry_of(name).load()


def choose(name: str, problem: Problem) -> Entry:
    """Return the entry of this name; ``auto`` is the first that takes the problem, and is meant for its size."""
    if name == "auto":
        meant = [each for each, most in AUTO.items() if most is None or len(problem.counts) <= most]
        return next(entry for entry in map(entry_of, meant) if entry.load().refuses(problem) is None)
    chosen = entry_of(name)
    reason = chosen.load().refuses(problem)
    if reason:
        raise InputError(f"the solver '{name}' cannot do this: {reason}; these can: {', '.join(able(problem))}")
    return chosen


def able(problem: Problem) -> list[str]:
    """Return the names of the solvers that take a problem."""
    return [name for name, entry in CATALOGUE.items() if entry.load().refuses(problem) is None]

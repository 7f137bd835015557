"""The registry: what every solver is, without loading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from itertools import zip_longest

from kilt.deprecation import warn_dropped
from kilt.errors import InputError, nearest
from kilt.model.partition import Partition
from kilt.solvers.base import Kind, Solver

GROUP = "kilt.solvers"  # the entry points by which packages bring solvers of their own


@dataclass(frozen=True)
class SolverInfo:
    """A solver: what can be said of its answer, what it takes, and where it comes from.

    ``made`` names its class as an entry point does. ``brings_bound`` says whether it finds a bound itself, ``ends``
    whether it comes to an end by itself, and ``is_random`` whether it takes a seed. ``takes_release_rules`` says that
    it takes rules on the release as a whole, such as average t: where it does not meet them itself, its groups are
    merged until it does. ``takes_start`` says that it can go on from a partition. ``given`` is the user's own.
    """

    name: str
    made: str
    kind: Kind = "heuristic"
    guarantee: str = "none"
    takes: str = "what it does not refuse"
    source: str = "unknown"
    brings_bound: bool = False
    ends: bool = True
    is_random: bool = False
    takes_release_rules: bool = False
    takes_start: bool = False
    given: Solver | None = None

    @classmethod
    def of(cls, name: str, made: str, solver: object) -> SolverInfo:
        """Read off a solver of somebody else, or its class, what it says of itself by attributes of these names."""
        said = ("kind", "guarantee", "takes", "source", "brings_bound", "ends", "is_random", "takes_release_rules")
        return cls(name, made, **{word: getattr(solver, word) for word in said if hasattr(solver, word)})

    def load(self, seed: int = 0, start: Partition | None = None) -> Solver:
        """Load the solver, as one that goes on from a partition if it can; some need heavy libraries."""
        if self.given is not None:
            return self.given
        made = EntryPoint(self.name, self.made, GROUP).load()
        chosen = {"seed": seed} if self.is_random else {}
        found: Solver = made(**chosen, given=start) if self.takes_start else made(**chosen)
        return found

    def to_dict(self) -> dict[str, object]:
        """Return what there is to say of it."""
        names = ("name", "kind", "guarantee", "takes", "source")
        named: dict[str, object] = {name: getattr(self, name) for name in names}
        return named | {"average_t": self.takes_release_rules, "also": aliases_of(self.name)}


OPTIMUM = "the optimum"
SPLIT = "split"  # the solver that takes a number of parts
INFOS = (
    SolverInfo(
        "exhaustive",
        "kilt.solvers.exact.exhaustive:Exhaustive",
        "exact",
        OPTIMUM,
        "any policy, up to 12 rows",
        "folklore: dynamic programming over sets of rows",
        brings_bound=True,
        takes_release_rules=True,
    ),
    SolverInfo(
        "recursion",
        "kilt.solvers.exact.recursion:Recursion",
        "exact",
        OPTIMUM,
        "any policy, up to 20 rows",
        "the exact recursion of Liang and Yuan 2013",
        brings_bound=True,
    ),
    SolverInfo(
        "subsets",
        "kilt.solvers.exact.subsets:Subsets",
        "exact",
        OPTIMUM,
        "any policy, up to 26 different rows",
        "dynamic programming over multisets of row types, with pruning",
        brings_bound=True,
    ),
    SolverInfo(
        "milp",
        "kilt.solvers.exact.milp.solver:PatternMilp",
        "exact",
        "the optimum, or a bound when its time is over (in floating point)",
        "any policy, some hundred different rows",
        "after the mixed integer program of Liang and Yuan 2013, made smaller; solved by HiGHS",
        brings_bound=True,
    ),
    SolverInfo(
        "paper-milp",
        "kilt.solvers.exact.milp.paper_solver:PaperMilp",
        "exact",
        "the optimum, or a bound when its time is over (in floating point)",
        "t-closeness alone, on any sensitive columns, up to 200,000 variables",
        "the mixed integer program of Liang and Yuan 2013 as it stands; solved by HiGHS",
        brings_bound=True,
    ),
    SolverInfo(
        "matching",
        "kilt.solvers.exact.matching.solver:PairsAndTriples",
        "exact",
        OPTIMUM,
        "k=2, or l=2 (frequency) on the one sensitive column",
        "after Blocki and Williams 2010, and Anshelevich and Karagiozova 2011 (simplex matching)",
        brings_bound=True,
        is_random=True,
    ),
    SolverInfo(
        "simplex-matching",
        "kilt.solvers.exact.matching.solver:PolynomialMatching",
        "exact",
        "the optimum, in polynomial time",
        "k=2, or l=2 (frequency) on the one sensitive column, up to 300 rows",
        "after Anshelevich and Karagiozova 2011, with steps and a proof of our own",
        brings_bound=True,
    ),
    SolverInfo(
        "exact",
        "kilt.solvers.exact.column_generation.solver:ColumnGeneration",
        "exact",
        "the optimum, or a bound when its time is over",
        "any policy, hundreds of different rows and often more",
        "column generation, on a kernel after Blocki and Williams 2010",
        brings_bound=True,
        is_random=True,
    ),
    SolverInfo(
        "search",
        "kilt.solvers.search.solver:Search",
        "heuristic",
        "none; a bound is computed in parallel",
        "any policy, any size",
        "Lagrangian multipliers and simulated annealing over open patterns",
        brings_bound=True,
        ends=False,
        is_random=True,
        takes_release_rules=True,
        takes_start=True,
    ),
    SolverInfo(
        "split",
        "kilt.solvers.split.solver:Split",
        "heuristic",
        "none; a bound of the whole table is proved",
        "k-anonymity and l-diversity, any size: parts are searched on their own, in less memory",
        "the search in parts, in two rounds with different cuts; the Lagrangian bound by the multipliers of the parts",
        brings_bound=True,
        ends=False,
        is_random=True,
    ),
    SolverInfo(
        "greedy",
        "kilt.solvers.greedy.solver:Greedy",
        "heuristic",
        "none",
        "any policy, any size",
        "level greedy",
        takes_release_rules=True,
    ),
    SolverInfo(
        "balanced-cuts",
        "kilt.solvers.greedy.balanced_cuts:BalancedCuts",
        "heuristic",
        "none",
        "any policy, any size",
        "after Mondrian: the most even of the legal cuts, not only the one at the median",
        takes_release_rules=True,
    ),
    SolverInfo(
        "classes",
        "kilt.solvers.approximation.classes:Classes",
        "guaranteed",
        "at most m times the optimum with m columns of whole cells; exact for one",
        "k-anonymity",
        "the m-approximation of Liang and Yuan 2013, with its third case corrected",
    ),
    SolverInfo(
        "residue",
        "kilt.solvers.approximation.residue.solver:Residue",
        "guaranteed",
        "at most m times the optimum with m columns of whole cells; exact for one",
        "any policy",
        "after Dondi et al. 2012 and Xiao, Yi and Tao 2010, for any policy",
    ),
    SolverInfo(
        "cover",
        "kilt.solvers.approximation.cover:Cover",
        "guaranteed",
        "at most 2(1 + ln(2k-1)) times the optimum",
        "k-anonymity, where all patterns can be listed",
        "after Park and Shim 2007: their greedy cover, by patterns",
    ),
    SolverInfo(
        "forest",
        "kilt.solvers.approximation.forest:Forest",
        "guaranteed",
        "at most 3k-3 times the optimum",
        "k-anonymity",
        "after Aggarwal et al. 2005: their forest, cut in our own way",
    ),
    SolverInfo(
        "diameter",
        "kilt.solvers.approximation.diameter:Diameter",
        "guaranteed",
        "at most 2(2k-1)(k-1)/k (1 + ln(2k-1)) times the optimum",
        "k-anonymity of few rows: up to 181 for k=2, 42 for k=3, 26 for k=4",
        "Meyerson and Williams 2004, the first of their algorithms",
    ),
    SolverInfo(
        "diameter-balls",
        "kilt.solvers.approximation.diameter_balls:DiameterBalls",
        "guaranteed",
        "at most 4(2k-1)(k-1)/k (1 + ln(2k-1)) times the optimum",
        "k-anonymity, up to 100,000 different rows",
        "after the second algorithm of Meyerson and Williams 2004, with parts of balls in place of balls",
    ),
    SolverInfo(
        "tp",
        "kilt.solvers.approximation.tp.solver:TupleMinimization",
        "guaranteed",
        "at most l*m times the optimum with m columns of whole cells; m times if its first phase is enough",
        "a whole l (frequency) on the one sensitive column, with k up to l",
        "Xiao, Yi and Tao 2010, its third phase reconstructed, with a proof of our own",
    ),
    SolverInfo(
        "tp+",
        "kilt.solvers.approximation.tp.solver:TupleMinimizationPlus",
        "guaranteed",
        "that of tp; never more stars",
        "a whole l (frequency) on the one sensitive column, with k up to l",
        "after Xiao, Yi and Tao 2010: the residue cut as balanced-cuts does",
    ),
    SolverInfo(
        "mondrian",
        "kilt.solvers.classics.mondrian:Mondrian",
        "heuristic",
        "none",
        "any policy, any size",
        "LeFevre, DeWitt and Ramakrishnan 2006, strict; shown by ladders in place of ranges",
        takes_release_rules=True,
    ),
    SolverInfo(
        "mondrian-relaxed",
        "kilt.solvers.classics.mondrian:RelaxedMondrian",
        "heuristic",
        "none",
        "any policy, any size",
        "LeFevre, DeWitt and Ramakrishnan 2006, relaxed; shown by ladders in place of ranges",
        takes_release_rules=True,
    ),
    SolverInfo(
        "incognito",
        "kilt.solvers.classics.incognito:Incognito",
        "heuristic",
        "none; the best release with one level of each column for the whole table",
        "any policy, not too many level vectors",
        "LeFevre, DeWitt and Ramakrishnan 2005; Li, Li and Venkatasubramanian 2007 for t",
    ),
    SolverInfo(
        "incognito-tightened",
        "kilt.solvers.classics.incognito:TightenedIncognito",
        "heuristic",
        "none; never more stars than incognito",
        "any policy, not too many level vectors",
        "after incognito: every group of its release shows what it agrees on",
        takes_release_rules=True,
    ),
    SolverInfo(
        "sabre",
        "kilt.solvers.classics.sabre.solver:Sabre",
        "heuristic",
        "none",
        "t-closeness on one sensitive column, with or without k",
        "after Cao, Karras, Kalnis and Tan 2011",
        takes_release_rules=True,
    ),
    SolverInfo(
        "information",
        "kilt.solvers.classics.average_closeness.solver:AverageCloseness",
        "heuristic",
        "none",
        "any policy, where all patterns can be listed",
        "after Rebollo-Monedero, Forne and Domingo-Ferrer 2010 (average closeness)",
        takes_release_rules=True,
    ),
)
SOLVERS: Mapping[str, SolverInfo] = {entry.name: entry for entry in INFOS}
# what researchers call them, by their authors: those that do what these published
ALIASES: Mapping[str, str] = {"meyerson-williams": "diameter", "xiao-yi-tao": "tp"}
# names of authors that stood for something that differs from what they published: they go on for a release
DROPPED_ALIASES: Mapping[str, str] = {
    "blocki-williams": "matching",
    "blocki-williams-exact": "subsets",
    "blocki-williams-kernel": "exact",
    "anshelevich-karagiozova": "matching",
    "dondi": "residue",
    "park-shim": "cover",
    "aggarwal": "forest",
    "rebollo-monedero": "information",
}


def aliases_of(name: str) -> list[str]:
    """Return the other names of a solver."""
    return [alias for alias, meant in ALIASES.items() if meant == name]


def all_infos() -> list[SolverInfo]:
    """Return what is known of all solvers, those of other packages last."""
    return [*INFOS, *(info for name, info in _plugins().items() if name not in SOLVERS)]


def _plugins() -> dict[str, SolverInfo]:
    """Return the solvers that other packages bring."""
    return {point.name: SolverInfo.of(point.name, point.value, point.load()) for point in entry_points(group=GROUP)}


def registry_text() -> str:
    """Say of every solver what it guarantees, what it takes and where it comes from."""
    width = max(map(len, SOLVERS)) + 4
    lines = []
    for kind in ("exact", "guaranteed", "heuristic"):
        lines.append(f"{kind}:")
        for entry in all_infos():
            if entry.kind == kind:
                takes = f"{entry.takes}{'; average t' if entry.takes_release_rules else ''}"
                said = [f"guarantee: {entry.guarantee}", f"takes: {takes}", f"source: {entry.source}"]
                said += [f"also called: {', '.join(names)}" for names in [aliases_of(entry.name)] if names]
                lines += [f"  {name:<{width}}{line}" for name, line in zip_longest((entry.name,), said, fillvalue="")]
    return "\n".join(lines)


NAMES = ("auto", *SOLVERS)


def solver_info(solver: str | Solver) -> SolverInfo:
    """Return what is known of a solver, by its name, by the name of its authors, or of one that is given itself."""
    if not isinstance(solver, str):
        return _info_of_given(solver)
    name = ALIASES.get(solver) or DROPPED_ALIASES.get(solver, solver)
    if name == "auto":
        raise InputError("'auto' is not a solver itself: name one that 'kilt solvers' lists")
    found = SOLVERS.get(name) or _plugins().get(name)
    if found is None:
        raise InputError(f"'{name}' is not a solver: {nearest(name, (*NAMES, *ALIASES, *_plugins()))}")
    return found


def warn_of_alias(solver: str | Solver) -> None:
    """Warn whoever uses a name that will be dropped."""
    if isinstance(solver, str) and solver in DROPPED_ALIASES:
        warn_dropped(solver, DROPPED_ALIASES[solver])


def with_parts(solver: str | Solver, parts: int | None, seed: int) -> str | Solver:
    """Return the solver that divides a table into so many parts, if a number is given."""
    if parts is None:
        return solver
    if solver != SPLIT:
        raise InputError(f"'parts' is for the solver '{SPLIT}': add --solver {SPLIT}, or leave out --parts")
    if parts < 1:
        raise InputError(f"'parts' must be a whole number of at least 1, not {parts}")
    found: Solver = EntryPoint(SPLIT, SOLVERS[SPLIT].made, GROUP).load()(seed=seed, parts=parts)
    return found


def _info_of_given(solver: Solver) -> SolverInfo:
    if isinstance(solver, type) or not isinstance(solver, Solver):
        raise InputError(
            f"'solver' must be a name, or an object with the methods 'refuses' and 'solve', not {type(solver).__name__}"
        )
    name = getattr(solver, "name", type(solver).__name__)
    return replace(SolverInfo.of(str(name), "", solver), given=solver)


def solver(name: str) -> Solver:
    """Return the solver of this name."""
    return solver_info(name).load()

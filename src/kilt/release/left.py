"""How much of a table is left in its release, and what its owner is warned of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kilt.certificates.proof.evidence import gap_of
from kilt.errors import StrictError
from kilt.model.detect import listed
from kilt.numbers import percent
from kilt.verification.verdict import Verdict

LARGE_GAP = Fraction(1, 2)


@dataclass(frozen=True)
class ColumnLeft:
    """What is left of a quasi column: the share of its cells that are as they were, and the share of its detail.

    A cell that is blurred in part has some of its detail left; where whole cells are hidden, the two shares are equal.
    """

    cells: Fraction
    detail: Fraction


def left_of(verdict: Verdict, top_stars: Mapping[str, Fraction]) -> dict[str, ColumnLeft]:
    """Return what is left of each quasi column, as the verifier counted it.

    ``top_stars`` has what it costs to hide a cell of each column altogether.
    """
    if verdict.fidelity is None:
        raise AssertionError("what is left is known only beside the original")
    rows = verdict.rows
    return {
        name: ColumnLeft(1 - Fraction(blurred.cells, rows), 1 - blurred.stars / (rows * top_stars[name]))
        for name, blurred in verdict.fidelity.columns.items()
    }


def warnings_of(
    left: Mapping[str, ColumnLeft],
    stars: Fraction,
    bound: Fraction | None,
    least: Fraction,
    formulas: Sequence[str] = (),
    *,
    strict: bool = False,
) -> tuple[str, ...]:
    """Say what the owner of a release should look at before publishing it; raise if that is to be an error."""
    found = (*_hidden(left), *_far(stars, bound, least), *_running(formulas))
    if found and strict:
        raise StrictError(f"'strict' makes warnings errors, nothing was written: {'; '.join(found)}")
    return found


def _hidden(left: Mapping[str, ColumnLeft]) -> Iterator[str]:
    hidden = [f"'{name}'" for name, column in left.items() if column.detail <= 0]
    if hidden and len(hidden) == len(left):
        yield "everything is hidden"
    elif hidden:
        yield f"{listed(hidden)} {'is' if len(hidden) == 1 else 'are'} hidden in all rows"


def _far(stars: Fraction, bound: Fraction | None, least: Fraction) -> Iterator[str]:
    if bound is None:
        if stars > least:
            yield "no lower bound is known"
    elif (gap := gap_of(stars, bound, least)) > LARGE_GAP:
        yield f"the gap is {percent(gap)}, so that a much better release may exist: more time may help"


def _running(formulas: Sequence[str]) -> Iterator[str]:
    if formulas:
        where = listed([f"'{name}'" for name in formulas])
        yield f"a spreadsheet would take cells of {where} for formulas: --escape-formulas (escape_formulas) prevents it"

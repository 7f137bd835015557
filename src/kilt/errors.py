"""What a user is told: errors of one sentence with the exit code of the command, and texts that are safe to print."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class KiltError(Exception):
    """Any error that is the user's to read; its text is a sentence without raw cell values."""

    exit_code = 2


class InputError(KiltError):
    """A table, a file or an option that cannot be used as it is."""


class InfeasibleError(KiltError):
    """A policy that no release of this table can meet."""

    exit_code = 3


class VerificationError(KiltError):
    """A release that the independent verifier refused; nothing was written."""

    exit_code = 1


class StrictError(KiltError):
    """A release that has warnings, where these were to be errors; nothing was written."""

    exit_code = 4


def raise_all(problems: Sequence[str]) -> None:
    """Raise one `InputError` that names every problem, or return if there is none."""
    if problems:
        raise InputError("; ".join(problems))


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known names are nearest to a wrong one, as the end of a sentence."""
    names = list(known)
    close = difflib.get_close_matches(name.lower(), {n.lower(): n for n in names}, n=3, cutoff=0.5)
    lookup = {n.lower(): n for n in names}
    if close:
        return "did you mean " + " or ".join(f"'{lookup[c]}'" for c in close) + "?"
    listed = ", ".join(f"'{n}'" for n in names[:12]) + (", ..." if len(names) > 12 else "")
    return f"there is {listed}"


def printable(text: str) -> str:
    """Write a text of the user's so that it stays on its line and no terminal takes it for a command."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def printable_lines(lines: Iterable[str]) -> str:
    """Put lines together, each of them printable: a name in one of them can neither add a line nor hide one."""
    return "\n".join(map(printable, lines))


def unexpected_text(error: Exception) -> str:
    """Name an unexpected error by its kind and place; its text could hold a cell."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}" if trace else ""
    return f"an unexpected {type(error).__name__}{place}"

"""The commands that weigh policies and solvers, and release nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from kilt.cli.drawing import check_plot, drawn, write_plot
from kilt.cli.group import cli
from kilt.cli.interrupt import KEEPING, interruptible, watching_run
from kilt.cli.options import (
    certificate_option,
    keep_option,
    log_option,
    plot_option,
    policy_options,
    query_option,
    reading_options,
    roles_options,
    shared_options,
)
from kilt.cli.settings import describe, policy_of, print_result, print_undecided, read_settings, some, time_left
from kilt.errors import InputError
from kilt.solvers.registry import NAMES

if TYPE_CHECKING:
    from kilt.run.progress import Observer


weighing_options = shared_options(
    click.argument("input", required=False),
    roles_options,
    keep_option,
    query_option,
    policy_options,
    reading_options,
)


def _settings(flags: dict[str, Any], usage: str) -> dict[str, Any]:
    """Return the settings, or raise before any work is done if there is no table, or no place for a picture."""
    given = read_settings(flags)
    if not given.get("input"):
        raise InputError(f"'input' is missing: {usage}")
    check_plot(given)
    return given


@contextmanager
def _running(
    given: dict[str, Any], follows: str, keeping: frozenset[str] = KEEPING
) -> Iterator[tuple[Observer, Callable[[], bool]]]:
    """Show what is going on, and let Ctrl-C end it, so that what was found until then follows."""
    with watching_run(given, given["input"]) as watch, interruptible(watch, follows, keeping) as running:
        yield running


@cli.command()
@weighing_options
@click.option("--time", metavar="SECONDS", help="Stop after this time; more time gives a higher bound, up to a point.")
@log_option
@certificate_option
def bound(**flags: Any) -> None:
    """Say how many stars every release of the table INPUT under the policy must have, without making one.

    Example: kilt bound patients.csv --quasi zip:characters,age,sex --sensitive disease -k 5 -t 0.2
    """
    from kilt.commands.bound import bound as run
    from kilt.errors import printable

    given = _settings(flags, "kilt bound INPUT --quasi COLUMNS -k 5")
    table = describe(given)
    with _running(given, "the best bound so far follows") as (observer, interrupted):
        found = run(
            table,
            **some(given, "mark", "certificate"),
            time=time_left(given),
            policy=policy_of(given),
            observer=observer,
            interrupted=interrupted,
        )
    written = [f"wrote {printable(given['certificate'])}"] if given.get("certificate") else []
    figures = {**found.to_dict(), **some(given, "certificate")}
    print_result(given, lambda: figures, lambda: "\n".join([found.summary(), *written]))
    print_undecided(table, given)


@cli.command()
@weighing_options
@click.option("--solver", metavar="NAME", help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]} (default: auto).")
@click.option(
    "--time",
    metavar="SECONDS",
    help="Stop this long after the start; the policies share it (10 for each of them if there is no other limit).",
)
@click.option("--time-each", metavar="SECONDS", help="Stop searching after this time, for each policy.")
@click.option(
    "--iterations",
    metavar="N",
    type=int,
    help="Stop after so many moves instead, for each policy: the same input, seed and N give the same points.",
)
@click.option("--seed", metavar="N", type=int, help="The seed of what is random (0 if not given).")
@log_option
@plot_option
def frontier(**flags: Any) -> None:
    """Show stars and bound of the table INPUT over a range of policies, without releasing anything.

    -k, -l, -t and --average-t may be lists such as 2,5,10 and ranges such as 0.1:0.5 (with a step: 0.1:0.5:0.05).
    Example: kilt frontier patients.csv --quasi zip,age,sex --sensitive disease -k 2,5,10 -t 0.1:0.5
    """
    from kilt.commands.frontier import frontier as run
    from kilt.commands.frontier import frontier_text

    given = _settings(flags, "kilt frontier INPUT --quasi COLUMNS -k 2,5,10")
    table = describe(given)
    with _running(given, "the policies so far follow") as (observer, interrupted):
        points = run(
            table,
            **some(given, "mark", "k", "l", "t", "average_t", "time_each", "iterations"),
            time=time_left(given),
            diversity=given.get("diversity", "frequency"),
            solver=given.get("solver", "auto"),
            seed=given.get("seed", 0),
            observer=observer,
            interrupted=interrupted,
        )
    write_plot(given, "Stars and bound, by policy", points, [str(point.policy) for point in points])
    print_result(given, lambda: [point.to_dict() for point in points], lambda: drawn(given, frontier_text(points)))
    print_undecided(table, given)


@cli.command()
@weighing_options
@click.option("--solvers", metavar="NAMES", help="Which ones, as in search,mondrian,cover (all if not given).")
@click.option("--polish", is_flag=True, default=None, help="Let the search go on from what each of them found.")
@click.option("--time", metavar="SECONDS", help="Stop each solver after this time (10 if not given).")
@click.option("--seed", metavar="N", type=int, help="The seed of what is random (0 if not given).")
@log_option
@plot_option
def compare(**flags: Any) -> None:
    """Let several solvers release the table INPUT, and put what they find side by side; nothing is written.

    Example: kilt compare patients.csv --quasi zip,age,sex -k 5 --solvers search,mondrian,cover
    """
    from kilt.commands.compare import compare as run
    from kilt.commands.compare import compare_text

    given = _settings(flags, "kilt compare INPUT --quasi COLUMNS -k 5")
    table = describe(given)
    keeping = KEEPING | {"verifying"}  # what other solvers found
    with _running(given, "what the solvers found so far follows", keeping) as (observer, interrupted):
        compared = run(
            table,
            **some(given, "solvers", "time", "mark"),
            policy=policy_of(given),
            polish=bool(given.get("polish")),
            seed=given.get("seed", 0),
            observer=observer,
            interrupted=interrupted,
        )
    write_plot(given, "Stars and bound, by solver", compared, [each.solver for each in compared])
    print_result(given, lambda: [each.to_dict() for each in compared], lambda: drawn(given, compare_text(compared)))
    print_undecided(table, given)


@cli.command()
@click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else.")
def solvers(**flags: Any) -> None:
    """List the solvers: what each guarantees, what it takes, and where it comes from."""
    from kilt.solvers.registry import all_infos, registry_text

    click.echo(json.dumps([entry.to_dict() for entry in all_infos()]) if flags.get("json") else registry_text())

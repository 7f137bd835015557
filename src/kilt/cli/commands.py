"""The commands; their bodies import what they need."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from kilt.cli.drawing import check_plot, write_plot
from kilt.cli.interrupt import at_work, interruptible, watching_run
from kilt.cli.options import (
    ORIGINAL,
    TABLE,
    certificate_option,
    file_options,
    keep_option,
    plot_option,
    policy_options,
    reading_options,
    report_options,
    roles_options,
    style_options,
)
from kilt.cli.settings import describe, policy_of, print_undecided, read_settings, salt_text, some, time_left
from kilt.errors import InputError
from kilt.solvers.registry import NAMES
from kilt.version import NUMBER


class Commands(click.Group):
    """The commands; Ctrl-C is handed on as it is, where click would print an empty line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was given."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(NUMBER, prog_name="kilt")
@click.pass_context
def cli(context: click.Context) -> None:
    """Release microdata with the fewest cells hidden, and prove it."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command()
@click.argument("input", required=False)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the release (.csv, .tsv, .parquet, .xlsx; .gz, .zst); - is standard output.",
)
@roles_options
@keep_option
@policy_options
@reading_options
@click.option("--solver", metavar="NAME", help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]} (default: auto).")
@click.option(
    "--polish", is_flag=True, default=None, help="Let the search go on from what the solver found; it is never worse."
)
@click.option(
    "--time",
    metavar="SECONDS",
    help="Stop searching this long after the start; verifying and writing come on top (60 if there is no other limit).",
)
@click.option(
    "--gap",
    metavar="SHARE",
    help="Stop searching when stars and bound are this close, as in 0.01 (0.005 for a search; 0 goes on).",
)
@click.option(
    "--iterations",
    metavar="N",
    type=int,
    help="Stop searching after so many moves instead: the same input, seed and N give the same release.",
)
@click.option("--seed", metavar="N", type=int, help="The seed of what is random: search and shuffle (0 if not given).")
@click.option("--log/--no-log", default=None, help="Print the progress once a second (default: on a terminal).")
@click.option("--shuffle", is_flag=True, default=None, help="Release the rows in random order.")
@click.option(
    "--strict",
    is_flag=True,
    default=None,
    help="Make warnings errors: write nothing if a column is hidden in all rows or the gap is above 50%.",
)
@certificate_option
@click.option(
    "--report",
    metavar="FILE",
    help="Write a report on the release: a page that needs nothing else (.html), or its figures (.json).",
)
@report_options
def anonymize(**flags: Any) -> None:
    """Release the table INPUT so that it meets the policy, with as few stars as can be found; - is standard input.

    Example: kilt anonymize patients.csv -o release.csv --quasi zip:characters,age,sex
    --sensitive disease -k 5 -t 0.2
    """
    from kilt.commands.anonymize import anonymize as run

    given = read_settings(flags)
    for name in ("input", "output"):
        if not given.get(name):
            raise InputError(f"'{name}' is missing: kilt anonymize INPUT -o OUTPUT --quasi COLUMNS -k 5")
    with (
        watching_run(given) as watch,
        interruptible(watch, "the best release so far will be written") as (observer, interrupted),
    ):
        release = run(
            given["input"],
            **some(given, "output", "certificate", "report", "by", *ORIGINAL, "gap", "iterations", "mark"),
            detail=given.get("detail", "public"),
            time=time_left(given),
            policy=policy_of(given),
            solver=given.get("solver", "auto"),
            polish=bool(given.get("polish")),
            seed=given.get("seed", 0),
            shuffle=bool(given.get("shuffle")),
            strict=bool(given.get("strict")),
            observer=observer,
            interrupted=interrupted,
        )
    apart = given["output"] == "-"  # the release is on standard output, where nothing else may be
    if given.get("json"):
        files = {**some(given, "output", "certificate", "report"), "report_salt": release.report_salt}
        shown = json.dumps({**release.to_dict(), **files})
    else:
        written = " and ".join(given[name] for name in ("output", "certificate", "report") if given.get(name))
        shown = f"{release.summary()}\nwrote {written.replace('-', 'standard output', 1) if apart else written}"
        shown += f"\n{salt_text(release.report_salt)}" if release.report_salt else ""
    click.echo(shown, err=apart)


@cli.command()
@click.argument("table", required=False)
@roles_options
@policy_options
@reading_options
@click.option("--original", metavar="FILE", help="Check also that nothing but stars differs from this table.")
@click.option(
    "--shuffled",
    is_flag=True,
    default=None,
    help="The rows are in another order than those of the original: match them with rows that they cover.",
)
def verify(**flags: Any) -> None:
    """Say what TABLE meets: the largest k and l, the smallest t and average t, the risk, and what breaks a policy.

    Exit code 0: the policy is met; 1: it is not, or something other than stars differs.
    """
    from kilt.commands.verify import verify as run
    from kilt.report.text import verdict_text

    given = read_settings(flags)
    table = given.get("table") or given.get("output")
    if not table:
        raise InputError("'table' is missing: kilt verify TABLE --quasi COLUMNS")
    with at_work():
        verdict = run(
            table,
            **some(given, *TABLE, "original", "mark"),
            policy=policy_of(given),
            shuffled=bool(given.get("shuffled") or given.get("shuffle")),
        )
    click.echo(json.dumps(verdict.to_dict()) if given.get("json") else verdict_text(verdict))
    if not verdict.met:
        sys.exit(1)


@cli.command()
@click.argument("release", required=False)
@click.option("-o", "--output", "report", metavar="FILE", help="Where to write the report (.html, .json).")
@click.option("--original", metavar="FILE", help="The table that the release was made of.")
@roles_options
@policy_options
@reading_options
@click.option(
    "--shuffled",
    is_flag=True,
    default=None,
    help="The rows are in another order than those of the original: match them with rows that they cover.",
)
@click.option("--certificate", metavar="FILE", help="The proof of the bound, which is checked first.")
@report_options
@click.option("--salt", metavar="DIGITS", help="The salt of an earlier report, which gives the same digest.")
def report(**flags: Any) -> None:
    """Report on RELEASE beside its original: what it meets, what was lost and for whom, risk and utility.

    Exit code 0: the policy is met; 1: it is not, or something other than stars differs (the report says so).

    Example: kilt report release.csv --original patients.csv --config kilt.toml -o report.html
    """
    from kilt.commands.report import write_report
    from kilt.report.data.digest import new_salt

    given = read_settings(flags)
    salt = given.get("salt") or new_salt()
    release, original = given.get("release") or given.get("output"), given.get("original") or given.get("input")
    as_json, path = given.get("json"), given.get("report")
    for name, value in (("release", release), ("original", original), ("output", as_json or path)):
        if not value:
            raise InputError(
                f"'{name}' is missing: kilt report RELEASE --original TABLE --quasi COLUMNS -o report.html"
            )
    with at_work():
        found = write_report(
            release,
            path,
            original=original,
            **some(given, *TABLE, "mark", "certificate", "by"),
            salt=salt,
            policy=policy_of(given),
            shuffled=bool(given.get("shuffled") or given.get("shuffle")),
            detail=given.get("detail", "public"),
        )
    click.echo(json.dumps(found.to_dict()) if as_json else f"wrote {path}\n{salt_text(salt)}")
    if not (found.policy.met and found.policy.faithful):
        sys.exit(1)


@cli.command()
@click.argument("input", required=False)
@roles_options
@keep_option
@policy_options
@reading_options
@click.option("--time", metavar="SECONDS", help="Stop after this time; more time gives a higher bound, up to a point.")
@certificate_option
def bound(**flags: Any) -> None:
    """Say how many stars every release of the table INPUT under the policy must have, without making one.

    Example: kilt bound patients.csv --quasi zip:characters,age,sex --sensitive disease -k 5 -t 0.2
    """
    from kilt.commands.bound import bound as run

    given = read_settings(flags)
    if not given.get("input"):
        raise InputError("'input' is missing: kilt bound INPUT --quasi COLUMNS -k 5")
    table = describe(given)
    with watching_run(given) as watch, interruptible(watch, "the best bound so far follows") as (observer, interrupted):
        found = run(
            table,
            **some(given, "mark", "certificate"),
            time=time_left(given),
            policy=policy_of(given),
            observer=observer,
            interrupted=interrupted,
        )
    if given.get("json"):
        click.echo(json.dumps({**found.to_dict(), **some(given, "certificate")}))
    else:
        click.echo(found.summary())
        if given.get("certificate"):
            click.echo(f"wrote {given['certificate']}")
    print_undecided(table, given)


@cli.command()
@click.argument("certificate", required=False)
@click.option("--original", metavar="FILE", help="The table that the certificate is about.")
@click.option(
    "--release",
    metavar="FILE",
    help="A release: check also that it meets the policy and has as many stars as the certificate says.",
)
@roles_options
@policy_options
@file_options
@click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else.")
def check(**flags: Any) -> None:
    """Say whether CERTIFICATE proves its bound: everything is computed again from the original, in integers.

    Columns and policy need not be given: the certificate names them, and they are printed. What is given must be what
    the certificate is about. Exit code 0: yes; 1: no, or it answers another question; 2: a file cannot be read.
    """
    from kilt.commands.check import check as run

    given = read_settings(flags)
    original = given.get("original") or given.get("input")
    for name, path in (("certificate", given.get("certificate")), ("original", original)):
        if not path:
            raise InputError(f"'{name}' is missing: kilt check CERTIFICATE --original TABLE")
    with at_work():
        found = run(
            given["certificate"],
            original=original,
            **some(given, "release", *TABLE),
            policy=policy_of(given),
        )
    click.echo(json.dumps(found.to_dict()) if given.get("json") else found.summary())
    if not found.passed:
        sys.exit(1)


@cli.command()
@click.argument("input", required=False)
@roles_options
@keep_option
@policy_options
@reading_options
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
@plot_option
def frontier(**flags: Any) -> None:
    """Show stars and bound of the table INPUT over a range of policies, without releasing anything.

    -k, -l, -t and --average-t may be lists such as 2,5,10 and ranges such as 0.1:0.5 (with a step: 0.1:0.5:0.05).
    Example: kilt frontier patients.csv --quasi zip,age,sex --sensitive disease -k 2,5,10 -t 0.1:0.5
    """
    from kilt.commands.frontier import frontier as run
    from kilt.commands.frontier import frontier_text

    given = read_settings(flags)
    if not given.get("input"):
        raise InputError("'input' is missing: kilt frontier INPUT --quasi COLUMNS -k 2,5,10")
    check_plot(given)
    table = describe(given)
    with (
        watching_run(given, lines=False) as watch,
        interruptible(watch, "the policies so far follow") as (observer, interrupted),
    ):
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
    click.echo(json.dumps([point.to_dict() for point in points]) if given.get("json") else frontier_text(points))
    print_undecided(table, given)


@cli.command()
@click.argument("input", required=False)
@roles_options
@keep_option
@policy_options
@reading_options
@click.option("--solvers", metavar="NAMES", help="Which ones, as in search,mondrian,cover (all if not given).")
@click.option("--polish", is_flag=True, default=None, help="Let the search go on from what each of them found.")
@click.option("--time", metavar="SECONDS", help="Stop each solver after this time (10 if not given).")
@click.option("--seed", metavar="N", type=int, help="The seed of what is random (0 if not given).")
@plot_option
def compare(**flags: Any) -> None:
    """Let several solvers release the table INPUT, and put what they find side by side; nothing is written.

    Example: kilt compare patients.csv --quasi zip,age,sex -k 5 --solvers search,mondrian,cover
    """
    from kilt.commands.compare import compare as run
    from kilt.commands.compare import compare_text

    given = read_settings(flags)
    if not given.get("input"):
        raise InputError("'input' is missing: kilt compare INPUT --quasi COLUMNS -k 5")
    check_plot(given)
    table = describe(given)
    with (
        watching_run(given, lines=False) as watch,
        interruptible(watch, "what the solvers found so far follows") as (observer, interrupted),
    ):
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
    click.echo(json.dumps([each.to_dict() for each in compared]) if given.get("json") else compare_text(compared))
    print_undecided(table, given)


@cli.command()
@click.argument("table")
@click.argument("column", nargs=-1, required=True)
@click.option("--measure", metavar="NAME", help="What a label costs: loss (the default), level or entropy.")
@style_options
@click.option(
    "--show-values", is_flag=True, help="Show labels of fewer than 5 rows, too, and the values themselves among them."
)
@click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else.")
def ladder(table: str, column: tuple[str, ...], **flags: Any) -> None:
    """Show what a ladder makes of a column of TABLE: its levels, what they cost a row, and some labels.

    Example: kilt ladder patients.csv age:bands=5,10,20
    """
    from kilt.commands.ladder import ladder as run

    as_json = flags.pop("json")
    with at_work():
        preview = run(table, list(column), **flags)
    click.echo(json.dumps(preview.to_dict()) if as_json else preview.summary())


@cli.command()
@click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else.")
def solvers(**flags: Any) -> None:
    """List the solvers: what each guarantees, what it takes, and where it comes from."""
    from kilt.solvers.registry import all_infos, registry_text

    click.echo(json.dumps([entry.to_dict() for entry in all_infos()]) if flags.get("json") else registry_text())


@cli.command()
@click.argument("problem")
@click.option("--graph", metavar="FILE", help="The graph: in the format of DIMACS, or a list of edges.")
@click.option("--tuples", metavar="FILE", help="The tuples of a matching: three names on every line, or as in DIMACS.")
@click.option("--random", metavar="N", type=int, help="Draw a graph of N nodes, or tuples of three sets of N elements.")
@click.option("--planted", metavar="N", type=int, help="Draw one in which a solution is hidden.")
@click.option("--edges", metavar="N", type=int, help="How many edges or tuples are drawn in all.")
@click.option("--seed", metavar="N", type=int, help="The seed of what is drawn (0 if not given).")
@click.option("--size", metavar="N", type=int, help="How many nodes a clique should have.")
@click.option("--most", metavar="N", type=int, help="Ask whether a bisection cuts at most N edges.")
@click.option("-c", "--c", metavar="C", help="Make (cn)-anonymity of it: a group has at least a share C of the rows.")
@click.option("-t", "--t", metavar="T", help="Make t-closeness of it.")
@click.option("-k", "--k", metavar="K", type=int, help="Make k-anonymity of a matching, for a K of at least 3.")
@click.option("-l", "--l", metavar="L", type=int, help="Make l-diversity of a matching, for an L of at least 3.")
@click.option(
    "--compact",
    is_flag=True,
    help="Write one column with a weight where the reduction has many columns that are all the same; with -k and -l, "
    "let tuples that share no element share a column.",
)
@click.option("-o", "--output", metavar="FILE", help="Where to write the table (.csv).")
@click.option("--config", metavar="FILE", help="Where to write the configuration for kilt anonymize (kilt.toml).")
@click.option(
    "--release", metavar="FILE", help="Map a release of this very instance back to a solution of the problem."
)
@click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else.")
def instance(problem: str, **flags: Any) -> None:
    """Write a table whose optimum answers an NP-hard PROBLEM: bisection, half-clique, clique, matching, cover or any.

    A cover becomes l-diversity with one column. With any, the problem is the one that makes t-closeness hard for the
    given T.

    Example: kilt instance bisection --graph graph.col -o table.csv --config kilt.toml
    """
    from kilt.hardness.instances.describe import described, described_text, mapped, mapped_text
    from kilt.hardness.instances.output import read_release, write_instance
    from kilt.hardness.instances.request import Request

    output, config, release, as_json = (flags.pop(name) for name in ("output", "config", "release", "json"))
    if bool(output) == bool(release):
        raise InputError("give one of the two: -o TABLE.csv to write the table, or --release FILE to map it back")
    if release and config:
        raise InputError("'config' has no meaning with --release: leave it out")
    reduction = Request(problem, **flags).reduction()
    if release:
        groups = read_release(reduction.instance, release)
        click.echo(json.dumps(mapped(reduction, groups), default=str) if as_json else mapped_text(reduction, groups))
        return
    comment = f"{problem}: {reduction.claim()}"
    with at_work():
        files = write_instance(reduction.instance, output, config, comment, flags["graph"] or flags["tuples"])
    written = list(map(str, files))
    if as_json:
        click.echo(json.dumps({**described(reduction), "files": written}))
    else:
        click.echo(f"{described_text(reduction)}\nwrote {', '.join(written)}")


@cli.command()
def demo() -> None:
    """Anonymize the hospital table that ships with kilt, and show what happened."""
    from kilt.commands.demo import demo_text

    click.echo(demo_text())

"""The command ``kilt``; the bodies of its commands import what they need."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kilt import __version__
from kilt.errors import InputError, KiltError
from kilt.solvers.registry import NAMES

if TYPE_CHECKING:
    from kilt.model.policy import Policy
    from kilt.run.progress import Observer, Progress

Command = TypeVar("Command", bound=Callable[..., None])


def _options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


TABLE = ("quasi", "sensitive", "weights", "delimiter")  # what is said of every table
_roles = _options(
    click.option(
        "--quasi",
        metavar="COLUMNS",
        multiple=True,
        help="Columns that could identify a person, as in age,zip:characters. Behind a colon stands the ladder: "
        "suppress (the default), characters, prefix or taxonomy=FILE.",
    ),
    click.option(
        "--sensitive",
        metavar="COLUMNS",
        multiple=True,
        help="Columns that could harm a person, as in disease,salary:ordered. Behind a colon stands the space: "
        "equal (the default), ordered, numeric, tree=FILE or metric=FILE.",
    ),
    click.option("--identifier", metavar="COLUMNS", multiple=True, help="Columns that are dropped, as in name."),
    click.option(
        "--weights",
        metavar="COLUMN=NUMBER",
        multiple=True,
        help="How much a star counts in a column (1 elsewhere).",
    ),
)
_policy = _options(
    click.option("-k", "--k", metavar="K", help="k-anonymity: every group has at least K rows."),
    click.option("-l", "--l", metavar="L", help="l-diversity: at most 1/L of a group shares a sensitive value."),
    click.option(
        "--diversity",
        metavar="FORM",
        help="What -l means: frequency (the default), distinct, entropy or recursive:C.",
    ),
    click.option("-t", "--t", metavar="T", help="t-closeness: no group is farther than T from the whole table."),
)
_reading = _options(
    click.option("--config", metavar="FILE", help="Read settings from a TOML file; flags win."),
    click.option(
        "--delimiter", metavar="CHAR", help="What separates the cells of a CSV file (found out if not given)."
    ),
    click.option("--mark", metavar="TEXT", help="What a suppressed cell looks like (* if not given)."),
    click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else."),
)


@click.group(
    invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="kilt")
@click.pass_context
def cli(context: click.Context) -> None:
    """Release microdata with the fewest cells hidden, and prove it."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


_certificate = click.option(
    "--certificate",
    metavar="FILE",
    help="Write the proof of the bound for kilt check (JSON; .gz compresses it). It describes the original: keep it in "
    "the house.",
)


@cli.command()
@click.argument("input", required=False)
@click.option("-o", "--output", metavar="FILE", help="Where to write the release (.csv, .tsv, .parquet; .gz, .zst).")
@_roles
@_policy
@_reading
@click.option("--solver", metavar="NAME", help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]} (default: auto).")
@click.option(
    "--polish", is_flag=True, default=None, help="Let the search go on from what the solver found; it is never worse."
)
@click.option("--time", metavar="SECONDS", help="Stop searching after this time (60 if a search has no other limit).")
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
@click.option(
    "--log/--no-log", default=None, help="A line a second on where the search stands (default: on a terminal)."
)
@click.option("--shuffle", is_flag=True, default=None, help="Release the rows in random order.")
@_certificate
def anonymize(**flags: Any) -> None:
    """Release the table INPUT so that it meets the policy, with as few stars as can be found.

    Example: kilt anonymize patients.csv -o release.csv --quasi zip:characters,age,sex
    --sensitive disease -k 5 -t 0.2
    """
    from kilt.commands.anonymize import anonymize as run

    given = _settings(flags)
    for name in ("input", "output"):
        if not given.get(name):
            raise InputError(f"'{name}' is missing: kilt anonymize INPUT -o OUTPUT --quasi COLUMNS -k 5")
    with _watching(given) as watch, _finishing(watch) as (observer, interrupted):
        release = run(
            given["input"],
            **_some(given, "output", "certificate", *TABLE, "identifier", "time", "gap", "iterations", "mark"),
            policy=_policy_of(given),
            solver=given.get("solver", "auto"),
            polish=bool(given.get("polish")),
            seed=given.get("seed", 0),
            shuffle=bool(given.get("shuffle")),
            observer=observer,
            interrupted=interrupted,
        )
    if given.get("json"):
        click.echo(json.dumps({**release.to_dict(), "output": given["output"], **_some(given, "certificate")}))
    else:
        click.echo(release.summary())
        click.echo(f"wrote {given['output']}" + _and_certificate(given))


@cli.command()
@click.argument("table", required=False)
@_roles
@_policy
@_reading
@click.option("--original", metavar="FILE", help="Check also that nothing but stars differs from this table.")
def verify(**flags: Any) -> None:
    """Say what TABLE meets: the largest k and l, the smallest t, the risk, and what breaks a policy.

    Exit code 0: the policy is met; 1: it is not, or something else than stars differs.
    """
    from kilt.report.text import verdict_text
    from kilt.verification.verifier import verify as run

    given = _settings(flags)
    table = given.get("table") or given.get("output")
    if not table:
        raise InputError("'table' is missing: kilt verify TABLE --quasi COLUMNS")
    verdict = run(
        table,
        **_some(given, *TABLE, "identifier", "original", "mark"),
        policy=_policy_of(given),
    )
    click.echo(json.dumps(verdict.to_dict()) if given.get("json") else verdict_text(verdict))
    if not verdict.met:
        sys.exit(1)


@cli.command()
@click.argument("input", required=False)
@_roles
@_policy
@_reading
@click.option("--time", metavar="SECONDS", help="Stop after this time; more time gives a higher bound, up to a point.")
@_certificate
def bound(**flags: Any) -> None:
    """Say how many stars every release of the table INPUT under the policy must have, without making one.

    Example: kilt bound patients.csv --quasi zip:characters,age,sex --sensitive disease -k 5 -t 0.2
    """
    from kilt.commands.bound import bound as run

    given = _settings(flags)
    if not given.get("input"):
        raise InputError("'input' is missing: kilt bound INPUT --quasi COLUMNS -k 5")
    with _watching(given) as watch, _finishing(watch, "bound") as (observer, interrupted):
        found = run(
            given["input"],
            **_some(given, *TABLE, "identifier", "time", "certificate"),
            policy=_policy_of(given),
            observer=observer,
            interrupted=interrupted,
        )
    if given.get("json"):
        click.echo(json.dumps({**found.to_dict(), **_some(given, "certificate")}))
    else:
        click.echo(found.summary())
        if given.get("certificate"):
            click.echo(f"wrote {given['certificate']}")


@cli.command()
@click.argument("certificate")
@click.option("--original", metavar="FILE", required=True, help="The table that the certificate is about.")
@click.option(
    "--release",
    metavar="FILE",
    help="A release: check also that it meets the policy and has as many stars as the certificate says.",
)
@click.option("--delimiter", metavar="CHAR", help="What separates the cells of a CSV file (found out if not given).")
@click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else.")
def check(certificate: str, **flags: Any) -> None:
    """Say whether CERTIFICATE proves its bound: everything is computed again from the original, in integers.

    Exit code 0: yes; 1: no; 2: a file cannot be read.
    """
    from kilt.certificates.check import check as run

    found = run(certificate, **_some(flags, "original", "release", "delimiter"))
    click.echo(json.dumps(found.to_dict()) if flags.get("json") else found.summary())
    if not found.passed:
        sys.exit(1)


@cli.command()
@click.argument("input", required=False)
@_roles
@_policy
@_reading
@click.option("--solver", metavar="NAME", help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]} (default: auto).")
@click.option("--time", metavar="SECONDS", help="Stop searching after this time, for each policy (10 if not given).")
def frontier(**flags: Any) -> None:
    """Show stars and bound of the table INPUT over a range of policies, without releasing anything.

    -k, -l and -t may be lists such as 2,5,10 and ranges such as 0.1:0.5 (with a step: 0.1:0.5:0.05).
    Example: kilt frontier patients.csv --quasi zip,age,sex --sensitive disease -k 2,5,10 -t 0.1:0.5
    """
    from kilt.commands.frontier import frontier as run
    from kilt.commands.frontier import frontier_text

    given = _settings(flags)
    if not given.get("input"):
        raise InputError("'input' is missing: kilt frontier INPUT --quasi COLUMNS -k 2,5,10")
    with _watching(given, lines=False) as observer:
        points = run(
            given["input"],
            **_some(given, *TABLE, "k", "l", "t", "time"),
            diversity=given.get("diversity", "frequency"),
            solver=given.get("solver", "auto"),
            observer=observer,
        )
    click.echo(json.dumps([point.to_dict() for point in points]) if given.get("json") else frontier_text(points))


@cli.command()
@click.argument("input", required=False)
@_roles
@_policy
@_reading
@click.option("--solvers", metavar="NAMES", help="Which ones, as in search,mondrian,cover (all if not given).")
@click.option("--polish", is_flag=True, default=None, help="Let the search go on from what each of them found.")
@click.option("--time", metavar="SECONDS", help="Stop each solver after this time (10 if not given).")
@click.option("--seed", metavar="N", type=int, help="The seed of what is random (0 if not given).")
def compare(**flags: Any) -> None:
    """Let several solvers release the table INPUT, and put what they find side by side; nothing is written.

    Example: kilt compare patients.csv --quasi zip,age,sex -k 5 --solvers search,mondrian,cover
    """
    from kilt.commands.compare import compare as run
    from kilt.commands.compare import compare_text

    given = _settings(flags)
    if not given.get("input"):
        raise InputError("'input' is missing: kilt compare INPUT --quasi COLUMNS -k 5")
    with _watching(given, lines=False) as observer:
        compared = run(
            given["input"],
            **_some(given, *TABLE, "identifier", "solvers", "time", "mark"),
            policy=_policy_of(given),
            polish=bool(given.get("polish")),
            seed=given.get("seed", 0),
            observer=observer,
        )
    click.echo(json.dumps([each.to_dict() for each in compared]) if given.get("json") else compare_text(compared))


@cli.command()
@click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else.")
def solvers(**flags: Any) -> None:
    """List the solvers: what each guarantees, what it takes, and where it comes from."""
    from kilt.solvers.registry import ENTRIES, catalogue_text

    click.echo(json.dumps([entry.to_dict() for entry in ENTRIES]) if flags.get("json") else catalogue_text())


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
@click.option(
    "--compact",
    is_flag=True,
    help="Write one column with a weight where the reduction has many columns that are all the same.",
)
@click.option("-o", "--output", metavar="FILE", help="Where to write the table (.csv).")
@click.option("--config", metavar="FILE", help="Where to write the configuration for kilt anonymize (kilt.toml).")
@click.option(
    "--release", metavar="FILE", help="Map a release of this very instance back to a solution of the problem."
)
@click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else.")
def instance(problem: str, **flags: Any) -> None:
    """Write a table whose optimum answers an NP-hard PROBLEM: bisection, half-clique, clique, matching or any.

    With any, the problem is the one that makes t-closeness hard for the given T.

    Example: kilt instance bisection --graph graph.col -o table.csv --config kilt.toml
    """
    from kilt.hardness.instances.output import read_release, write_instance
    from kilt.hardness.instances.request import Request
    from kilt.hardness.instances.told import described, described_text, mapped, mapped_text

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


def _settings(flags: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the configuration, overridden by the flags that were given."""
    from kilt.cli.config import read_config

    given = {name: value for name, value in flags.items() if value not in (None, ())}
    settings = {**(read_config(Path(given["config"])) if "config" in given else {}), **given}
    _require_apart(settings)
    return settings


def _require_apart(settings: dict[str, Any]) -> None:
    """Raise if a file that is written is one of those that say how."""
    specs = " ".join(str(settings.get(name, "")) for name in ("quasi", "sensitive"))
    read = [settings.get("config"), *re.findall(r"(?:taxonomy|tree|metric)=([^,'\")\]]+)", specs)]
    for name in ("output", "certificate"):
        written = settings.get(name)
        if written and any(path and Path(path).resolve() == Path(written).resolve() for path in read):
            raise InputError(f"the {name} '{written}' is a file that is read: choose another file")


def _some(given: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return some of the settings, None for those that were not given."""
    return {name: given.get(name) for name in names}


def _and_certificate(given: dict[str, Any]) -> str:
    return f" and {given['certificate']}" if given.get("certificate") else ""


def _policy_of(given: dict[str, Any]) -> Policy:
    from kilt.model.policy import Policy

    if "diversity" in given and "l" not in given:
        raise InputError("'diversity' says what -l means: give -l too")
    return Policy(k=given.get("k"), l=given.get("l"), t=given.get("t"), diversity=given.get("diversity", "frequency"))


@contextmanager
def _watching(given: dict[str, Any], *, lines: bool = True) -> Iterator[Observer]:
    """Show what is going on, on a terminal or where it is asked for."""
    from kilt.run.progress import silent

    if not given.get("log", sys.stderr.isatty() and not given.get("json")):
        yield silent
        return
    from kilt.report.progress import watching

    with watching(lines=lines) as observer:
        yield observer


@contextmanager
def _finishing(watch: Observer, what: str = "release") -> Iterator[tuple[Observer, Callable[[], bool]]]:
    """While a search is on, let the first Ctrl-C end it, so that the best so far is kept; the next abandons it."""
    phase, told = "reading", False

    def follow(progress: Progress) -> None:
        nonlocal phase
        phase = progress.phase
        watch(progress)

    def stop(number: int, frame: object) -> None:  # noqa: ARG001 - as signals want it
        nonlocal told
        if told or phase not in ("solving", "bounding"):
            raise KeyboardInterrupt
        told = True
        kept = "the best release so far will be written" if what == "release" else "the best bound so far follows"
        click.echo(f"kilt: stopping; {kept} (Ctrl-C again to abandon it)", err=True)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield follow, lambda: told
    finally:
        signal.signal(signal.SIGINT, before)


def main() -> None:
    """Run the command; every error is one sentence on standard error, and an exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        cli.main(prog_name="kilt", standalone_mode=False)
    except KiltError as error:
        _fail(str(error), error.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        _fail("stopped; no partial file is left", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        if os.environ.get("KILT_DEBUG"):
            raise
        _fail(f"{_unexpected(error)}; nothing was written (KILT_DEBUG=1 shows where, with cell values)", 2)


def _unexpected(error: Exception) -> str:
    """Name an unexpected error by its kind and place; its text could hold a cell."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    return f"an unexpected {type(error).__name__}{place}"


def _fail(message: str, code: int) -> None:
    click.echo(f"kilt: {message}", err=True)
    sys.exit(code)

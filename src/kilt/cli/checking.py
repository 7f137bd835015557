"""The commands that check what somebody else says: a release, or the proof of a bound."""

from __future__ import annotations

import sys
from typing import Any

import click

from kilt.cli.group import cli
from kilt.cli.interrupt import at_work, watching_run
from kilt.cli.options import (
    TABLE,
    escape_option,
    file_options,
    policy_options,
    printing_options,
    reading_options,
    roles_options,
)
from kilt.cli.settings import policy_of, print_result, read_settings, some
from kilt.errors import InputError


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
@escape_option
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
    with at_work(), watching_run(given, table) as observer:
        verdict = run(
            table,
            **some(given, *TABLE, "original", "mark"),
            policy=policy_of(given),
            shuffled=bool(given.get("shuffled") or given.get("shuffle")),
            escape_formulas=bool(given.get("escape_formulas")),
            observer=observer,
        )
    print_result(given, verdict.to_dict, lambda: verdict_text(verdict))
    if not verdict.met:
        sys.exit(1)


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
@escape_option
@printing_options
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
    with at_work(), watching_run(given, given["certificate"]) as observer:
        found = run(
            given["certificate"],
            original=original,
            **some(given, "release", *TABLE),
            policy=policy_of(given),
            escape_formulas=bool(given.get("escape_formulas")),
            observer=observer,
        )
    print_result(given, found.to_dict, found.summary)
    if not found.passed:
        sys.exit(1)

"""The command that writes tables which are hard to release."""

from __future__ import annotations

import json
from typing import Any

import click

from kilt.cli.group import cli
from kilt.cli.interrupt import at_work
from kilt.errors import InputError


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

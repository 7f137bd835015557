"""The demo: the hospital table of the paper, before and after."""

from __future__ import annotations

from importlib.resources import as_file, files

import click

from kilt.commands.anonymize import anonymize
from kilt.model.ladders import MARK
from kilt.model.policy import Policy
from kilt.report.text import columns_text, release_text
from kilt.sources.registry import open_source

QUASI = "Zipcode:characters,Age:characters,Education"
SENSITIVE = "Disease"
POLICY = Policy(k=3, t="0.3")


def demo_text() -> str:
    """Anonymize the table that ships with kilt, and tell the story of it."""
    with as_file(files("kilt") / "data" / "hospital.csv") as path:
        before = open_source(path)
        release = anonymize(path, quasi=QUASI, sensitive=SENSITIVE, policy=POLICY)
        header = before.columns
        original = before.native.fetchall()
        released = release.frame.fetchall()
    quasi = [column.name for column in release.plan.columns]
    places = [header.index(name) for name in quasi]
    patterns = [tuple(group.pattern.values()) for group in release.groups]
    group_of = [patterns.index(tuple(row[place] for place in places)) for row in released]
    order = sorted(range(len(released)), key=lambda row: group_of[row])
    left = columns_text(["", *header], [[str(i + 1), *row] for i, row in enumerate(original)])
    right = columns_text(["", *header], [[str(i + 1), *released[i]] for i in order])
    width = max(map(len, left)) + 4
    lines = [
        click.style(f"A hospital's table, and its release under {POLICY} (zip code and age by characters)", bold=True),
        "",
    ]
    for number, (before_line, after_line) in enumerate(zip(left, right, strict=True)):
        if number > 1 and group_of[order[number - 1]] != group_of[order[number - 2]]:
            lines.append(" " * width + "-" * max(map(len, right)))
        lines.append(before_line.ljust(width) + after_line.replace(MARK, click.style(MARK, fg="yellow", bold=True)))
    lines += ["", "groups:"]
    lines += [f"  {group.size} rows  {', '.join(map(str, group.pattern.values()))}" for group in release.groups]
    lines += ["", release_text(release), "", *_next_steps()]
    return "\n".join(lines)


def _next_steps() -> list[str]:
    return [
        click.style("Next, with a table of your own:", bold=True),
        "  kilt anonymize patients.csv -o release.csv --quasi zip:characters,age,sex --sensitive disease -k 5 -t 0.2",
        "  kilt verify release.csv --original patients.csv --quasi zip:characters,age,sex --sensitive disease -k 5",
    ]

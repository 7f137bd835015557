"""The demo: the hospital table of the paper, before and after; then the table of the tutorial, with ladders."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import as_file, files
from os import PathLike

import click

from kilt.commands.anonymize import anonymize
from kilt.model.ladders import MARK
from kilt.model.policy import Policy
from kilt.release.release import Release
from kilt.report.text import columns_text, release_text
from kilt.run.progress import Observer, silent
from kilt.run.stopping import never
from kilt.sources.registry import open_source

QUASI = "Zipcode:characters,Age:characters,Education"
SENSITIVE = "Disease"
POLICY = Policy(k=3, t="0.3")
PATIENTS_QUASI = {
    "birth_date": "date=year,decade/from=year",
    "admission_date": "date=month,quarter,year/from=month",
    "zip": "prefix=3,2,1/from=3",
    "sex": "suppress",
    "profession": "taxonomy={professions}",
}
PATIENTS_SENSITIVE = "diagnosis,cost:numeric"
PATIENTS_POLICY = Policy(k=5, l={"diagnosis": 3})
SECONDS = 5  # of the search in the second act
SHOWN = 6  # rows of the second table


def hospital_text() -> str:
    """Anonymize the table of the paper, and tell the story of it."""
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
    return "\n".join([*lines, "", release_text(release), ""])


def patients_title() -> str:
    """Say what the second act is about, and how long it takes."""
    said = f"3,000 stays in a hospital (made up), by ladders, under {PATIENTS_POLICY}: {SECONDS} seconds of search"
    return click.style(said, bold=True)


def patients_release(
    observer: Observer = silent,
    interrupted: Callable[[], bool] = never,
    report: str | PathLike[str] | None = None,
) -> Release:
    """Anonymize the table of the tutorial."""
    data = files("kilt") / "data"
    with as_file(data / "patients.csv") as path, as_file(data / "professions.csv") as professions:
        return anonymize(
            path,
            quasi={name: ladder.format(professions=professions) for name, ladder in PATIENTS_QUASI.items()},
            sensitive=PATIENTS_SENSITIVE,
            identifier="name",
            policy=PATIENTS_POLICY,
            time=SECONDS,
            gap=0,
            report=report,
            by="sex" if report else None,
            observer=observer,
            interrupted=interrupted,
        )


def patients_text(release: Release) -> str:
    """Show the first rows before and after, and say what became of all."""
    original, header = release.claim.original, release.released.columns
    places = [original.columns.index(name) for name in header]
    before = [[row[place] for place in places] for row in original.native.limit(SHOWN).fetchall()]
    after = [list(row) for row in release.frame.limit(SHOWN).fetchall()]
    wide = columns_text(header, [*before, *after])  # so that both have the same columns
    lines = ["", wide[0], *wide[1 : SHOWN + 1], "", "become", ""]
    lines += [click.style(line, fg="yellow") for line in wide[SHOWN + 1 :]]
    return "\n".join([*lines, "", release_text(release), "", *_next_steps()])


def _next_steps() -> list[str]:
    return [
        click.style("Next:", bold=True),
        "  kilt demo --open                                the report on this release, in your browser",
        "  kilt example patients professions               this table as a file, for the tutorial",
        "  kilt inspect patients.csv --write kilt.toml     what a table is, with proposals; also one of your own",
        "  kilt anonymize --config kilt.toml -o release.csv -k 5",
    ]

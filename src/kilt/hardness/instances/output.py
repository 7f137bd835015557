"""An instance as files: the table, the configuration that ``kilt anonymize`` takes, and the metric if it needs one.

All of them are written to staging files first, so that none is put there unless all can be.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from fractions import Fraction
from os import PathLike
from pathlib import Path

from kilt.errors import InputError
from kilt.hardness.instances.instance import SENSITIVE, Groups, Instance
from kilt.model.ladders import MARK
from kilt.model.policy import LDiversity, TCloseness
from kilt.model.spaces import Metric
from kilt.numbers import rational
from kilt.staging import is_same_file, require_writable, staged_bytes


def write_instance(
    instance: Instance,
    table: str | PathLike[str],
    config: str | PathLike[str] | None = None,
    comment: str = "",
    source: str | PathLike[str] | None = None,
) -> list[Path]:
    """Write the table and, on request, its configuration; return the files. None of them may be the ``source``.

    A metric is written next to the table, and a release will be too: table.csv has table-metric.csv and
    table-release.csv. Neither the source nor the configuration may be in the place of that release.
    """
    path = Path(table)
    if path.suffix.lower() != ".csv":
        raise InputError(f"the output '{path}' must end in .csv")
    contents = {path: instance.table.to_csv()}
    if instance.space is not None:
        contents[_beside(path, "metric")] = metric_text(instance.space)
    if config is not None and Path(config).resolve() in [each.resolve() for each in contents]:
        raise InputError(f"the table and the configuration '{config}' are the same file: give them different names")
    if config is not None:
        _require_release(_beside(path, "release"), source=source, configuration=config)
        contents[Path(config)] = config_text(instance, path, Path(config).parent, comment)
    _require_places(list(contents), source)
    with ExitStack() as stack:
        places = [stack.enter_context(staged_bytes(each, text.encode())) for each, text in contents.items()]
        for put in places:
            put()
    return list(contents)


def config_text(instance: Instance, table: Path, folder: Path, comment: str = "") -> str:
    """Return the configuration of an instance; the files that it names are looked up from its folder."""
    settings: dict[str, object] = {
        "input": _relative(table, folder),
        "output": _relative(_beside(table, "release"), folder),
        "quasi": list(instance.table.columns),
    }
    solver = instance.exact_solver()
    if solver is not None:
        settings["solver"] = solver
    settings |= _asked(instance)
    lines = [*(f"# {line}" for line in comment.splitlines())]
    lines += [f"{name} = {_quoted(value)}" for name, value in settings.items()]
    if instance.table.sensitive is not None:
        space = "equal" if instance.space is None else f"metric={_relative(_beside(table, 'metric'), folder)}"
        if "," in space:
            raise InputError(f"a file of the configuration must not have a comma in its path, as '{space}' has")
        lines += ["", "[sensitive]", f"{SENSITIVE} = {_quoted(space)}"]
    if instance.table.weights is not None:
        weights = zip(instance.table.columns, instance.table.weights, strict=True)
        lines += ["", "[weights]", *(f"{name} = {weight}" for name, weight in weights if weight != 1)]
    return "\n".join(lines) + "\n"


def _asked(instance: Instance) -> dict[str, object]:
    """Return the t, l or k of the policy, of which there is one."""
    for principle in instance.policy.principles:
        if isinstance(principle, TCloseness):
            return {"t": _readable(principle.t)}
        if isinstance(principle, LDiversity):
            return {"l": int(principle.l)}
    return {"k": instance.k}


def metric_text(metric: Metric) -> str:
    """Return a metric as the text of a file: the values, and a line of distances for each."""
    rows = [["", *metric.values], *([v, *map(str, row)] for v, row in zip(metric.values, metric.distance, strict=True))]
    return "\n".join(";".join(row) for row in rows) + "\n"


def read_release(instance: Instance, path: str | PathLike[str]) -> Groups:
    """Read the groups of a release of the instance: the rows that look the same in all quasi columns."""
    from kilt.sources.duck.table import DuckSource  # noqa: PLC0415 - only where a file is read

    source = DuckSource.open(Path(path))
    missing = [name for name in instance.table.columns if name not in source.columns]
    if missing or source.rows != len(instance.table.rows):
        raise InputError(
            f"'{path}' is not a release of this instance, which has {len(instance.table.rows)} rows and "
            f"{len(instance.table.columns)} quasi columns"
        )
    groups: dict[tuple[str | None, ...], list[int]] = {}
    for row, shown in enumerate(source.ordered_rows(instance.table.columns)):
        if any(cell not in (MARK, was) for cell, was in zip(shown, instance.table.rows[row], strict=True)):
            raise InputError(f"'{path}' shows other cells than this instance: its rows must be in their order")
        groups.setdefault(shown, []).append(row)
    found = tuple(map(tuple, groups.values()))
    if not instance.is_legal(found):
        raise InputError(f"'{path}' does not meet the policy of this instance, {instance.policy}")
    return found


def _readable(t: Fraction) -> str:
    """Write t as it is read again, or raise if it has too many digits for that."""
    try:
        return str(rational(str(t)))
    except ValueError:
        raise InputError("'t' has too many digits for a configuration: round it") from None


def _quoted(value: object) -> str:
    """Write a text, a number or a list as TOML does, which is as JSON does."""
    return json.dumps(value, ensure_ascii=False)


def _beside(table: Path, what: str) -> Path:
    return table.with_name(f"{table.stem}-{what}.csv")


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _require_release(release: Path, **others: str | PathLike[str] | None) -> None:
    """Raise if the release that the configuration asks for would be written over one of the others."""
    for name, other in others.items():
        if other is not None and is_same_file(release, Path(other)):
            raise InputError(
                f"the configuration would have the release written over the {name} '{other}': "
                f"give the table or the {name} another name"
            )


def _require_places(paths: list[Path], source: str | PathLike[str] | None) -> None:
    for path in paths:
        require_writable(path, "output", source=source)

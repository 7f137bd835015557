"""What other policies would cost, as `kilt frontier` found it, for a report on a release of the same table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from kilt.errors import InputError
from kilt.report.data.model import ReportFrontierPoint, ReportQuality

WANTED = "what 'kilt frontier --json' prints"


def read_frontier(given: Any) -> tuple[ReportFrontierPoint, ...]:
    """Read a frontier: the points that ``kilt.frontier`` returned, or a file with what the command printed."""
    if given is None:
        return ()
    if isinstance(given, str | PathLike):
        return tuple(_point(each, f"the frontier '{given}'") for each in _read(Path(given)))
    if not isinstance(given, Sequence) or not all(hasattr(each, "to_dict") for each in given):
        raise InputError(f"'frontier' must be what kilt.frontier returned, or a file with {WANTED}")
    return tuple(_point(each.to_dict(), "'frontier'") for each in given)


def _read(path: Path) -> list[Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"the frontier '{path}' does not exist") from None
    except (OSError, ValueError):
        raise InputError(f"the frontier '{path}' cannot be read: it must hold {WANTED}") from None
    if not isinstance(found, list) or not found:
        raise InputError(f"the frontier '{path}' must hold {WANTED}")
    return found


def _point(found: Any, shown: str) -> ReportFrontierPoint:
    """Read a point; why a policy cannot be met is left out, because values may stand there."""
    known = found if isinstance(found, dict) else {}
    policy, stars, bound = (known.get(name) for name in ("policy", "stars", "bound"))
    if not isinstance(policy, str) or not (_is_number(stars) and _is_number(bound)):
        raise InputError(f"{shown} must hold {WANTED}")
    return ReportFrontierPoint(policy, stars, bound)


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value >= 0)


def require_same_table(points: Sequence[ReportFrontierPoint], policy: str, quality: ReportQuality) -> None:
    """Raise if a frontier cannot be about this table: it contradicts what is proved of the release."""
    for point in points:
        same = point.policy == policy
        below = same and point.stars is not None and quality.bound is not None and point.stars < quality.bound
        above = same and point.bound is not None and point.bound > quality.stars
        if below or above or (point.stars is not None and point.stars > quality.most):
            raise InputError("the frontier is not that of this table: its stars and bounds contradict the release")

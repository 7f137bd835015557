"""A report as one HTML page: the template has all words, and whatever comes from a table is escaped."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kilt.numbers import bound_percent as exact_bound_percent
from kilt.numbers import decimal_text, rational
from kilt.numbers import percent as exact_percent
from kilt.report.data.model import Report
from kilt.report.page.charts import distance_chart, progress_chart

UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
PAGES = "kilt.report.page"  # the package whose templates make a report
LONGEST = 60  # characters of a value or a name that are shown


def report_html(report: Report) -> str:
    """Render the page."""
    return render("report.html.jinja", report=report, distance_chart=distance_chart, progress_chart=progress_chart)


def render(template: str, **what: Any) -> str:
    """Render a template; what comes from the user is escaped."""
    return environment(PAGES).get_template(template).render(**what)


@cache
def environment(*packages: str) -> Environment:
    """Return what renders the templates of some packages, those of the first before those of the others."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        finalize=_seen,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"percent": percent, "bound_percent": bound_percent, "figure": figure, "bound_figure": bound_figure}
    made.filters |= {"number": number, "bound_number": bound_number, "short": short, "user": user, "width": width}
    return made


def _seen(value: Any) -> Any:
    """Put a sign that can be seen in place of those that cannot, wherever a text of the user's may stand."""
    if not isinstance(value, str):
        return value
    return type(value)(UNSEEN.sub("\N{REPLACEMENT CHARACTER}", value))


def percent(share: float) -> str:
    """Write a share; only nothing is written as 0%, and only all of it as 100%."""
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{100 * share:.1f}%".replace(".0%", "%")


def bound_percent(bound: float, found: float | None = None) -> str:
    """Write a share that is proved or left, rounded down unless it is what was found: no more is said than is known."""
    return percent(bound if bound == found or bound < 0.001 else float(decimal_text(rational(bound), 3)))


def figure(share: float) -> str:
    """Write a share with three digits, as the command does."""
    return exact_percent(Fraction(share))


def bound_figure(bound: float, found: float | None = None) -> str:
    """Write a share that is proved with three digits, as the command does."""
    return exact_bound_percent(rational(bound), None if found is None else rational(found))


def number(value: float) -> str:
    """Write a number with its thousands set apart."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def bound_number(bound: float, found: float | None = None) -> str:
    """Write a bound, rounded down unless it is what was found: no more is said than is proved."""
    if isinstance(bound, int) or bound == found:
        return number(bound)
    digits = max(0, 3 - math.floor(math.log10(bound))) if bound > 0 else 0
    return number(float(decimal_text(rational(bound), digits)))


def width(share: float) -> str:
    """Write the length of a bar, in parts of 100."""
    return f"{100 * min(1.0, max(0.0, share)):.2f}"


def short(text: Any, longest: int = LONGEST) -> str:
    """Shorten a text of the user's."""
    whole = str(text)
    return whole if len(whole) <= longest else f"{whole[: longest - 1]}…"


def user(text: Any, longest: int = LONGEST) -> Markup:
    """Show a text of the user's, with a direction of its own."""
    return Markup("<bdi>{}</bdi>").format(short(text, longest))

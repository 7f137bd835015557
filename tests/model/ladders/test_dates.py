"""Dates: formats, labels, and what a period costs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kilt import Dates, InputError
from kilt.model.ladders import Domain, parse_ladder
from kilt.model.measure import MEASURES, on_grid

LOSS = MEASURES["loss"]
ALL = "date=day,month,quarter,year,decade"


@pytest.mark.parametrize(
    ("text", "value", "labels"),
    [
        (ALL, "2024-03-05", ["2024-03-05", "2024-03", "2024-Q1", "2024", "2020s", "*"]),
        (ALL, "1999-12-31T23:59", ["1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*"]),
        ("date=year", "2024-03-05 10:11:12.123456+02", ["2024", "*"]),
        ("date=year", "2024-03-05T10:11:12Z", ["2024", "*"]),
        ("date=year", "2024-03-05 10:11:12-05:30", ["2024", "*"]),
        ("date(%d.%m.%Y)=month,year", "05.03.2024", ["2024-03", "2024", "*"]),
        ("date(%m/%d/%Y)=day", "3/5/2024", ["2024-03-05", "*"]),
        ("date=month", None, [None, "*"]),
    ],
)
def test_labels(text, value, labels):
    ladder, domain = parse_ladder(text), Domain.of([value])
    ladder.encode(domain)
    assert [ladder.show(value, [h], domain, "*") for h in range(1, len(labels) + 1)] == labels


def test_a_period_costs_its_days_within_the_range():
    domain = Domain.of(["2024-03-01", "2024-03-31", "2024-04-10", None])
    (column,) = Dates(("day", "month", "year")).encode(domain, LOSS).columns
    assert [column.costs[h][1:] for h in range(5)] == [
        (0, 0, 0),
        (0, 0, 0),
        (Fraction(30, 40), Fraction(30, 40), Fraction(9, 40)),
        (1, 1, 1),
        (1, 1, 1),
    ]
    assert [column.costs[h][0] for h in range(5)] == [0, 0, 0, 0, 1]


def test_timestamps_are_counted_in_seconds_unless_all_are_midnights():
    domain = Domain.of(["2024-03-01 06:00:00", "2024-03-02 18:00:00"])
    assert Dates(("day",)).stars("2024-03-01 06:00:00", "2024-03-01", domain, "*", LOSS) == on_grid(
        Fraction(18 * 3600 - 1, 36 * 3600)
    )
    midnights = Domain.of(["2024-03-01 00:00:00", "2024-03-03 00:00:00"])
    assert Dates(("day",)).stars("2024-03-01 00:00:00", "2024-03-01", midnights, "*", LOSS) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("date=week,year", "a week can lie in two months"),
        ("date=year,month", "from fine to coarse"),
        ("date=mnth", "did you mean 'month'"),
        ("date=month,month", "from fine to coarse"),
        ("prefix(%Y)=4", "is not a ladder"),
        ("date(%Y)", "is not a ladder"),
        ("date()=year", "has no year"),
        ("date(%d.%m.)=month", "has no year"),
        ("date(%%Y)=year", "has no year"),
        ("date(%Y)=month,year", "has no month, which the level 'month' needs"),
        ("date(%B %Y)=day,year", "has no day, which the level 'day' needs"),
    ],
)
def test_wrong_levels_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_ladder(text)


@pytest.mark.parametrize("form", [None, "%d.%m.%Y", "%Y%"])
def test_what_is_not_a_date_is_counted_and_not_shown(form):
    with pytest.raises(InputError) as error:
        Dates(("year",), form).encode(Domain.of(["2024-02-30", "secret", None], "born"))
    assert "2 different values of 'born' are not" in str(error.value)
    assert "secret" not in str(error.value)


def test_one_day_in_two_ways_could_be_read_in_two_ways():
    domain = Domain.of(["2024-03-05", "2024-03-05 10:00"], "seen")
    with pytest.raises(InputError, match=r"has a label of level .day. that also stands for something else"):
        parse_ladder("date=day").encode(domain)
    assert parse_ladder("date=day/from=day").encode(domain).codes.tolist() == [[0], [0]]


@pytest.mark.parametrize("text", [ALL, "date(%d.%m.%Y)=month,year/from=month", "date(%H:%M %d/%m/%y)=day!"])
def test_dates_are_written_as_they_are_read(text):
    assert str(parse_ladder(text)) == text
    assert parse_ladder(str(parse_ladder(text))) == parse_ladder(text)

"""A hospital's table as people have them: names, ids, dates, codes, remarks; all of it is made up."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import numpy as np
import polars as pl

FIRST = ("Ann", "Ben", "Cyd", "Dan", "Eva", "Finn", "Hana", "Ida", "Jon", "Kim", "Lea", "Max", "Nora", "Olaf", "Pia")
LAST = ("Abt", "Berg", "Cox", "Diaz", "Egger", "Frey", "Graf", "Huber", "Iten", "Jost", "Keller", "Lang", "Moser")
NATIONS = ("Swiss", "German", "Italian", "French", "Portuguese", "Turkish")
FINDINGS = ("fever", "a cough", "back pain", "a rash", "dizziness", "chest pain", "a sprained ankle", "nausea")
ENDS = ("no complications", "sent home the same day", "to be seen again in a week", "the family was informed")


def patients(rows: int = 12_000, seed: int = 0) -> pl.DataFrame:
    """Draw a table: zip codes have leading zeros, 80 professions, 200 diagnoses, some cells are missing."""
    rng = np.random.default_rng(seed)

    def draw(values: Sequence[str], skew: float = 0.0) -> list[str]:
        """Draw one value for each row; the first ones are the most common if there is a skew."""
        weights = 1 / (1 + np.arange(len(values))) ** skew
        return [values[i] for i in rng.choice(len(values), rows, p=weights / weights.sum())]

    def days(first: int, last: int) -> list[str]:
        """Draw days of the years from the first to the last."""
        start, end = datetime.date(first, 1, 1).toordinal(), datetime.date(last, 12, 31).toordinal()
        return [datetime.date.fromordinal(int(day)).isoformat() for day in rng.integers(start, end, rows)]

    names = [f"{first} {last}" for first, last in zip(draw(FIRST), draw(LAST), strict=True)]
    told = zip(draw(FINDINGS), draw(ENDS), rng.integers(1, 90, rows), rng.random(rows), strict=True)
    return pl.DataFrame(
        {
            "name": names,
            "national_id": [str(number) for number in rng.integers(10**8, 10**9, rows)],
            "email": [f"{name.lower().replace(' ', '.')}{i % 90}@example.org" for i, name in enumerate(names)],
            "birth_date": days(1930, 2015),
            "admission_date": days(2024, 2024),
            "zip": draw([f"{code:05d}" for code in range(1000, 9000, 45)], 0.7),
            "sex": draw("fm"),
            "nationality": draw(NATIONS, 1.5),
            "profession": draw([f"profession {i:02d}" for i in range(80)], 0.8),
            "children": draw([str(i) for i in range(6)], 0.9),
            "height": [str(int(height)) for height in rng.normal(170, 10, rows)],
            "diagnosis": draw([f"{letter}{i:02d}" for letter in "AEIJK" for i in range(40)], 1.0),
            "cost": [f"{cost:.2f}" for cost in rng.gamma(2, 900, rows)],
            "remark": [f"In room {n} with {what}, {end}." if chance < 0.6 else None for what, end, n, chance in told],
        }
    )

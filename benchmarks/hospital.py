"""A table like that of a hospital, drawn from a seed: 12,000 stays, nobody in it exists.

Run: python benchmarks/hospital.py FILE.csv [--rows N] [--seed N]. The same rows and seed give the same bytes.

There are names, national ids and remarks that must not be published; dates, zip codes with leading zeros and
professions that could identify a person; and one of 200 diagnoses, few of them frequent and most of them rare, which
depend on age and sex for somewhat less than half of the patients.
"""

from __future__ import annotations

import argparse
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ROWS, SEED = 12_000, 7
FIRST_DAY, LAST_DAY = date(2023, 1, 1), date(2024, 12, 31)  # of admissions
DIAGNOSES, ZIPS = 200, 240
OWN_SHARE = 0.45  # of the patients have a diagnosis that is typical of their age and sex

FEMALE_NAMES = """Anna Maria Clara Lea Mia Emma Sophie Ella Ida Nora Lina Marta Rosa Eva Jana Vera Olga Irina Fatima
Leyla Aylin Zeynep Amira Yara Noor Hana Mei Linh Priya Anita Carmen Lucia Elena Sara Laura Julia Helena Ines Paula Greta
Frida Astrid Ingrid Sigrid Johanna Katharina Elisabeth Margarete Ursula Renate Gisela Monika Sabine Petra Birgit Heike
Silke Anke Nadine Daniela Sandra Melanie Stefanie Christina Franziska Theresa"""
MALE_NAMES = """Paul Max Leon Jonas Felix Emil Anton Oskar Karl Otto Jakob Noah Elias David Simon Tim Jan Lars Nils Sven
Ivan Igor Pavel Marek Tomasz Omar Ali Yusuf Mehmet Emre Karim Tariq Hassan Wei Minh Raj Arjun Carlos Diego Luis Marco
Luca Matteo Hugo Louis Henri Thomas Michael Stefan Andreas Peter Klaus Werner Horst Dieter Manfred Günter Heinz Ralf
Uwe Bernd Jörg Frank Markus Christian Sebastian"""
SYLLABLES = ("Ber Win Hof Stein Kel Rot Alt Neu Gro Lan Mül Sche Wag Ne Kra Fi Do Har Ru Ze", "ger ner mann bach feld")
NATIONALITIES = """German Turkish Polish Syrian Romanian Italian Ukrainian Croatian Bulgarian Afghan Greek Russian Iraqi
Austrian Kosovan Serbian Spanish French Dutch Indian Vietnamese Chinese Portuguese British American Iranian Moroccan
Hungarian Bosnian Nigerian"""
PROFESSIONS = """clerk,nurse,salesperson,teacher,mechanic,driver,cook,electrician,engineer,cleaner,carer,accountant,
warehouse worker,software developer,manager,waiter,carpenter,painter,physician,hairdresser,police officer,secretary,
bricklayer,plumber,social worker,kindergarten teacher,machine operator,farmer,security guard,gardener,bank clerk,
consultant,lawyer,scientist,baker,butcher,roofer,welder,postal worker,train driver,pharmacist,architect,journalist,
designer,photographer,musician,actor,firefighter,soldier,judge,dentist,optician,physiotherapist,midwife,paramedic,
laboratory technician,chemist,tailor,shoemaker,joiner,glazier,tiler,locksmith,miller,brewer,fisherman,forester,pilot,
flight attendant,sailor,translator,librarian,professor""".replace("\n", "").split(",")
AGE_BOUND = ("infant", "pupil", "student", "apprentice", "retired", "unemployed", "homemaker")
CHAPTERS = "ABCDEFGHIJKLMNOQRSTZ"  # of the codes of diagnoses
REASONS = "referred by the family doctor|came by ambulance|planned admission|second opinion|transfer from another ward"
STATES = (
    "no complications|mild fever on day {}|wound checked on day {}|no pain on day {}|slept badly|mobilised on day {}"
)
NEXT = "check-up in {} weeks|no further appointment|tablets for {} days|informed the family|awaits results of {} tests"


def hospital(rows: int = ROWS, seed: int = SEED) -> pl.DataFrame:
    """Return the table, one row for each stay."""
    rng = np.random.default_rng(seed)
    age = _ages(rng, rows)
    female = rng.random(rows) < 0.53
    days = (LAST_DAY - FIRST_DAY).days + 1
    admission = [FIRST_DAY + timedelta(days=int(day)) for day in rng.integers(0, days, rows)]
    birth = [day - timedelta(days=int(lived * 365.25)) for day, lived in zip(admission, age, strict=True)]
    diagnosis, cost = _diagnoses(rng, age, female)
    return pl.DataFrame(
        {
            "name": _names(rng, female),
            "national_id": _ids(rng, rows),
            "birth_date": [day.isoformat() for day in birth],
            "admission_date": [day.isoformat() for day in admission],
            "zip": _zips(rng, rows),
            "sex": np.where(female, "female", "male").tolist(),
            "nationality": _picked(rng, NATIONALITIES.split(), _skewed(30, 1.6, 0.0), rows),
            "profession": _professions(rng, age),
            "children": rng.poisson(np.clip((age - 20) / 15, 0, 1.4)).tolist(),
            "height": _heights(rng, age, female),
            "diagnosis": diagnosis,
            "cost": [f"{each:.2f}" for each in cost],
            "remark": _remarks(rng, rows),
        }
    )


def _skewed(number: int, power: float, shift: float) -> Floats:
    """Return shares that fall like a power of the rank, as those of words and diagnoses do."""
    shares = 1 / (np.arange(1, number + 1) + shift) ** power
    return np.asarray(shares / shares.sum())


def _picked(rng: Generator, values: list[str], shares: Floats, rows: int) -> list[str]:
    return [values[i] for i in rng.choice(len(values), rows, p=shares).tolist()]


def _ages(rng: Generator, rows: int) -> Floats:
    """Draw ages in years: some children, and more and more patients up to 80."""
    kind = rng.choice(3, rows, p=[0.12, 0.4, 0.48])
    drawn = [rng.gamma(1.2, 5.0, rows), rng.normal(43, 14, rows), rng.normal(71, 11, rows)]
    return np.asarray(np.clip(np.choose(kind, drawn), 0.01, 101))


def _names(rng: Generator, female: NDArray[np.bool_]) -> list[str]:
    begins, ends = (each.split() for each in SYLLABLES)
    middles = ["", "en", "er", "el", "ing", "a", "is", "or"]
    family = [begin + middle + end for begin in begins for middle in middles for end in ends]
    family = [family[i] for i in rng.permutation(len(family)).tolist()]
    chosen = _picked(rng, family, _skewed(len(family), 0.4, 10.0), len(female))
    second = _picked(
        rng, ["", *(f"{letter}. " for letter in "ABCDEFGHIJKLMNOPRST")], _skewed(20, 0.3, 0.0), len(female)
    )
    both = MALE_NAMES.split(), FEMALE_NAMES.split()
    given = [both[is_female] for is_female in female.tolist()]
    first = [names[int(place * len(names))] for names, place in zip(given, rng.random(len(female)), strict=True)]
    return [" ".join([a, b + c]) for a, b, c in zip(first, second, chosen, strict=True)]


def _ids(rng: Generator, rows: int) -> list[str]:
    """Draw different numbers of ten digits, with a check digit behind each."""
    numbers = rng.choice(10**10, rows, replace=False).tolist()
    return [f"{number:010d}{sum(map(int, str(number))) % 10}" for number in numbers]


def _zips(rng: Generator, rows: int) -> list[str]:
    """Draw zip codes of the neighbourhood, many with leading zeros; a third of the patients live nearby."""
    near = [f"010{n:02d}" for n in range(60, 60 + 40)]
    around = [f"0{n}" for n in sorted(rng.choice(np.arange(1100, 9999), ZIPS - 100, replace=False).tolist())]
    far = [f"{n}" for n in sorted(rng.choice(np.arange(10_100, 99_999), 60, replace=False).tolist())]
    shares = np.concatenate(
        [0.35 * _skewed(40, 0.5, 1), 0.53 * _skewed(ZIPS - 100, 0.8, 3), 0.12 * _skewed(60, 0.5, 1)]
    )
    return _picked(rng, [*near, *around, *far], shares, rows)


def _professions(rng: Generator, age: Floats) -> list[str]:
    """Draw one of 80 professions; the very young and the old have what is usual at their age."""
    infant, pupil, student, apprentice, retired, unemployed, homemaker = AGE_BOUND
    worked = [*PROFESSIONS, unemployed, homemaker]
    drawn = _picked(rng, worked, _skewed(len(worked), 0.7, 4.0), len(age))
    luck = rng.random(len(age)).tolist()
    for i, (years, chance) in enumerate(zip(age.tolist(), luck, strict=True)):
        if years < 6:
            drawn[i] = infant
        elif years < 17:
            drawn[i] = pupil
        elif years < 26 and chance < 0.6:
            drawn[i] = student if chance < 0.35 else apprentice
        elif years > 66 and chance < 0.85:
            drawn[i] = retired
    return drawn


def _heights(rng: Generator, age: Floats, female: NDArray[np.bool_]) -> list[int]:
    """Draw heights in centimetres; children grow."""
    grown = np.where(female, 166, 179) - np.clip(age - 50, 0, 50) * 0.08 + rng.normal(0, 7, len(age))
    share = np.clip(0.29 + 0.71 * np.sqrt(np.clip(age, 0, 17) / 17), 0, 1)
    return [round(height) for height in (grown * share).tolist()]


def _diagnoses(rng: Generator, age: Floats, female: NDArray[np.bool_]) -> tuple[list[str], Floats]:
    """Draw a code for each patient, and what the stay costs, which depends on the code."""
    codes = sorted({f"{CHAPTERS[i % 20]}{(7 * i + 3) % 100:02d}.{i % 7}" for i in range(DIAGNOSES)})
    codes = [codes[i] for i in rng.permutation(DIAGNOSES).tolist()]
    shares = _skewed(DIAGNOSES, 1.1, 2.0)
    general = rng.choice(DIAGNOSES, len(age), p=shares)
    kind = 2 * np.digitize(age, [18, 50, 70]) + female
    typical = np.zeros(len(age), dtype=np.int64)
    for each in range(8):  # four ages, two sexes: the same codes, some more and some less frequent
        mine = shares * rng.lognormal(0, 1.1, DIAGNOSES)
        members = np.flatnonzero(kind == each)
        typical[members] = rng.choice(DIAGNOSES, len(members), p=mine / mine.sum())
    chosen = np.where(rng.random(len(age)) < OWN_SHARE, typical, general)
    usual = rng.lognormal(8.1, 0.6, DIAGNOSES)
    return [codes[i] for i in chosen.tolist()], usual[chosen] * rng.lognormal(0, 0.4, len(age))


def _remarks(rng: Generator, rows: int) -> list[str]:
    """Write remarks as doctors do; some have none."""
    parts = [each.split("|") for each in (REASONS, STATES, NEXT)]
    numbers, places = rng.integers(2, 30, (rows, 3)).tolist(), rng.random((rows, 3)).tolist()
    said = [
        "; ".join(part[int(x * len(part))].format(n) for part, x, n in zip(parts, place, number, strict=True))
        for place, number in zip(places, numbers, strict=True)
    ]
    return ["" if empty else text for text, empty in zip(said, (rng.random(rows) < 0.15).tolist(), strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a table like that of a hospital.")
    parser.add_argument("file", type=Path, help="where to write it (.csv)")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    hospital(given.rows, given.seed).write_csv(given.file)
    print(f"wrote {given.rows:,} rows to {given.file}")


if __name__ == "__main__":
    main()

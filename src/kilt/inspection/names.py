"""What the name of a column says about it, in the words that tables of people use, in English, German and French."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kilt.model.detect import column_words


@dataclass(frozen=True)
class Words:
    """Words that a name may have: whole ones, and beginnings of words."""

    whole: re.Pattern[str]
    begin: re.Pattern[str]

    @classmethod
    def of(cls, whole: str, begin: str) -> Words:
        """Make them of two lists."""
        return cls(re.compile("|".join(whole.split())), re.compile("|".join(begin.split())))

    def are_in(self, column: str) -> bool:
        """Say whether the name of a column has one of them."""
        return any(self.whole.fullmatch(word) or self.begin.match(word) for word in column_words(column))


ID = Words.of("id ids uuid guid ssn mrn nhs pid uid passport account iban login user username", "identif patientid")
DATE = Words.of("date day dob datum tag born on", "birth geburt admission discharge naissance")
CODE = Words.of("zip plz postal postcode code codes icd fips", "zipcode postleit postcode postalcode")
AMOUNT = Words.of(
    "pay price fee fees bill sum debt loan preis betrag prix", "salar incom wage cost amount charg balanc gehalt "
    "einkommen lohn kosten umsatz salaire revenu montant weight height"
)  # fmt: skip
SENSITIVE = Words.of(
    "hiv result results test outcome pay price fee fees debt loan credit party vote union grade grades score scores "
    "drug drugs icd crime befund",
    "diagnos diseas illness sickness condition symptom treatment therap medic prescri procedure surger mental disab "
    "pregnan addict salar incom wage cost charg balanc relig belief politic sexual offen convict krankheit gehalt "
    "einkommen lohn kosten konfession partei maladie salaire revenu",
)
QUASI = Words.of(
    "age alter sex gender race zip plz postal postcode city town place ort county state country region district "
    "address street born dob native job work height weight date day month year hours language kids land jahr",
    "birth geburt geschlecht zipcode postleit nation citizen ethnic marital married famil child educat degree school "
    "profess occupat employ beruf admission discharge visit relation house",
)

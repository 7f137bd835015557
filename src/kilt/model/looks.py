"""What a value looks like: an e-mail address, a phone or account number, a file, a person, a sentence."""

from __future__ import annotations

import re

EMAIL = re.compile(r"[^\s@<>,;:]+@[^\s@<>,;:]+\.[^\W\d_]{2,}")
FILE = re.compile(
    r"[^\n]*[^\s.]\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|rtf|txt|csv|tsv|json|xml|html?|eml|msg|jpe?g|png|gif|tiff?|bmp|heic|"
    r"webp|svg|dcm|dicom|nii|edf|hl7|mp[34]|m4a|wav|avi|mov|mkv|zip|gz|tar|7z|parquet|sav|dta)",
    re.IGNORECASE,
)
IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
PHONE = re.compile(r"[+(]?\d[\d ()./\u2010-\u2013-]*\d")
DATE = re.compile(r"\d{4}([-./ ])\d{1,2}\1\d{1,2}|\d{1,2}([-./ ])\d{1,2}\2(?:\d{4}|\d{2})")
UUID = re.compile(r"\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?", re.IGNORECASE)
NUMBER = re.compile(r"[-+]?(?:\d+[.,]\d+|[1-9]\d{0,2}(?:[., ]\d{3})+)")
POSTAL = re.compile(r"\d{3,5}-\d{3,4}")
WORD = re.compile(r"[^\W\d_][^\W\d_'\u2019.-]*(?:['\u2019.-][^\W\d_]*)*")
PARTICLE = re.compile("al|bin|da|del?|della|den|der|di|dos?|du|el|la|le|ten|ter|van|von|y|zu[mr]?")
SENTENCE_WORDS, LONG_WORDS = 3, 10  # with a full stop at the end, and without one
NAME_WORDS = 4


def is_email(value: str) -> bool:
    """Say whether an e-mail address is in it."""
    return "@" in value and EMAIL.search(value) is not None


def is_file(value: str) -> bool:
    """Say whether it ends as names of files do."""
    return FILE.fullmatch(value.strip()) is not None


def is_iban(value: str) -> bool:
    """Say whether it is an international account number, by its check digits."""
    text = value.replace(" ", "").upper()
    if IBAN.fullmatch(text) is None:
        return False
    return int("".join(str(int(character, 36)) for character in text[4:] + text[:4])) % 97 == 1


def is_phone(value: str) -> bool:
    """Say whether it is written as phone and id numbers are, and not as dates, numbers or postal codes are."""
    text = value.strip()
    if UUID.fullmatch(text) is not None:
        return True
    if PHONE.fullmatch(text) is None or any(other.fullmatch(text) for other in (DATE, NUMBER, POSTAL)):
        return False
    digits = sum(character.isdigit() for character in text)
    gaps = len(re.findall(r"[^\d+(]+", text))
    if not 7 <= digits <= 15:
        return False
    return text[0] in "+(" or gaps >= 2 or (text[0] == "0" and (gaps == 1 or 10 <= digits <= 12))


def is_name(value: str) -> bool:
    """Say whether it could be a name, or part of one: a few words of letters."""
    words = value.replace(",", " ").split()
    return 1 <= len(words) <= NAME_WORDS and all(WORD.fullmatch(word) for word in words)


def is_person(value: str) -> bool:
    """Say whether it is written as names of persons are: two to four words with capital letters."""
    words = [word for word in value.replace(",", " ").split() if not PARTICLE.fullmatch(word)]
    return 2 <= len(words) <= NAME_WORDS and is_name(" ".join(words)) and all(word[0].isupper() for word in words)


def is_sentence(value: str) -> bool:
    """Say whether it is a sentence: some words with an end, many words, or several lines."""
    words = value.split()
    if len(words) < SENTENCE_WORDS:
        return False
    ended = any(word[-1] in ".!?;" for word in words[SENTENCE_WORDS - 1 :])
    return ended or len(words) >= LONG_WORDS or "\n" in value.strip()

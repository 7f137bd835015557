"""Certificates: a bound with its proof, as a file. It describes the original: do not publish it."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from kilt.certificates.proof.evaluate import MAX_MULTIPLIER
from kilt.certificates.proof.evidence import MAX_SIZE, CountingCuts, Evidence, PatternMultipliers, PatternTrees
from kilt.certificates.serialize import (
    exact,
    ladder_of,
    ladder_plain,
    mark_of,
    mark_plain,
    policy_of,
    policy_plain,
    space_of,
    space_plain,
)
from kilt.errors import InputError
from kilt.model.ladders import Ladder
from kilt.model.marks import ColumnMark
from kilt.model.measure import DEFAULT, Measure, parse_measure
from kilt.model.policy import Policy
from kilt.model.row_types import RowTypes
from kilt.model.spaces import Space
from kilt.numbers import IntArray, max_abs

FORMATS = (2, 3, 4)  # the second one has trees, and sizes of patterns; the third one counts groups


@dataclass(frozen=True)
class Certificate:
    """The problem (columns, policy), the answer (bound, and stars of a release), the proof, and a digest of it all."""

    policy: Policy
    quasi: Mapping[str, Ladder]
    sensitive: Mapping[str, Space]
    rows: int
    row_types: int
    parts: tuple[Evidence, ...]
    bound: Fraction
    stars: Fraction | None = None
    identifier: tuple[str, ...] = ()
    marks: Mapping[str, ColumnMark] = field(default_factory=dict)
    measure: Measure = DEFAULT
    shuffled: bool = False
    version: str = ""
    salt: str = ""
    digest: str = ""

    def sealed(self, types: RowTypes) -> Certificate:
        """Return the certificate with the salted digest of itself and of the table; the salt is made from the proof."""
        salted = replace(self, salt=hashlib.sha256(_text(self.to_dict()["parts"]).encode()).hexdigest()[:32])
        return replace(salted, digest=salted._digest(types))

    def belongs_to(self, types: RowTypes) -> bool:
        """Say whether the digest is that of this certificate and this table."""
        return self.digest == self._digest(types)

    def _digest(self, types: RowTypes) -> str:
        body = {**self.to_dict(), "digest": None}
        sealed = hashlib.sha256(_text(body).encode())
        for texts in (*types.quasi, *types.sensitive):
            sealed.update(_text(list(texts)).encode())
        for numbers in (types.quasi_codes, types.sensitive_codes, types.counts):
            sealed.update(np.ascontiguousarray(numbers, dtype="<i8").tobytes())
        return sealed.hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON values."""
        return {
            "certificate": max((_format(part) for part in self.parts), default=FORMATS[0]),
            "kilt": self.version,
            "policy": policy_plain(self.policy),
            "measure": self.measure.name,
            "quasi": {name: ladder_plain(ladder) for name, ladder in self.quasi.items()},
            "sensitive": {name: space_plain(space) for name, space in self.sensitive.items()},
            "identifier": list(self.identifier),
            "marks": {name: mark_plain(mark) for name, mark in self.marks.items()},
            "shuffled": self.shuffled,
            "rows": self.rows,
            "row_types": self.row_types,
            "bound": str(self.bound),
            "stars": None if self.stars is None else str(self.stars),
            "parts": [_part_plain(part) for part in self.parts],
            "salt": self.salt,
            "digest": self.digest,
        }

    @classmethod
    def of_dict(cls, found: Mapping[str, Any]) -> Certificate:
        """Read what `to_dict` wrote; raise if anything else is there."""
        if found.get("certificate") not in FORMATS:
            raise InputError("it has a format that this version of kilt does not know")
        measure = parse_measure(str(found["measure"]))
        read = cls(
            policy=policy_of(found["policy"]),
            quasi={str(name): ladder_of(ladder, measure) for name, ladder in found["quasi"].items()},
            sensitive={str(name): space_of(space) for name, space in found["sensitive"].items()},
            rows=int(_whole(found["rows"], 0)),
            row_types=int(_whole(found["row_types"], 0)),
            parts=tuple(_part_of(part) for part in found["parts"]),
            bound=exact(found["bound"]),
            stars=None if found["stars"] is None else exact(found["stars"]),
            identifier=tuple(map(str, found["identifier"])),
            marks={str(name): mark_of(mark) for name, mark in found["marks"].items()},
            measure=measure,
            shuffled=bool(found["shuffled"]),
            version=str(found["kilt"]),
            salt=str(found["salt"]),
            digest=str(found["digest"]),
        )
        if not read.quasi:
            raise InputError("it names no quasi column")
        if _text(read.to_dict()) != _text(found):  # 1 and true are equal, but not written alike
            raise InputError("it has unknown fields")
        read.encoded(compressed=False)  # what cannot be written cannot be sealed either
        return read

    def encoded(self, *, compressed: bool) -> bytes:
        """Return the bytes of a file: JSON, compressed on request; the same for the same certificate."""
        text = (_text(self.to_dict()) + "\n").encode()
        return gzip.compress(text, mtime=0) if compressed else text

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Certificate:
        """Read a file."""
        try:
            raw = Path(path).read_bytes()
            raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
            return cls.of_dict(dict(json.loads(raw)))
        except FileNotFoundError:
            raise InputError(f"the certificate '{path}' does not exist") from None
        except InputError as error:
            raise InputError(f"'{path}' is not a certificate: {error}") from None
        except (
            OSError,
            EOFError,
            zlib.error,
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            RecursionError,
            ArithmeticError,
        ):
            raise InputError(f"'{path}' cannot be read as a certificate") from None


def _format(evidence: Evidence) -> int:
    """Return the first format that can say what is in a proof."""
    if len(evidence.counting):
        return FORMATS[2]
    return FORMATS[1] if _is_divided(evidence) else FORMATS[0]


def _is_divided(evidence: Evidence) -> bool:
    """Say whether a proof divides the groups of single sizes, or has sizes of patterns."""
    return bool(len(evidence.trees.nodes) or len(evidence.own_largest.first))


def _part_plain(evidence: Evidence) -> dict[str, Any]:
    divided = {
        "sizes": _multipliers_plain(evidence.own_largest),
        "trees": _multipliers_plain(evidence.trees.patterns),
        "nodes": evidence.trees.nodes.tolist(),
    }
    counting = {
        "sets": [types.tolist() for types in evidence.counting.sets()],
        "counts": evidence.counting.multipliers.tolist(),
    }
    return {
        "columns": list(evidence.columns),
        "scale": evidence.scale,
        "prices": evidence.multipliers.tolist(),
        "largest": evidence.largest,
        "thetas": _multipliers_plain(evidence.size_multipliers),
        "slopes": _multipliers_plain(evidence.linear_multipliers),
        "tails": _multipliers_plain(evidence.tail_multipliers),
        **(divided if _is_divided(evidence) else {}),
        **(counting if len(evidence.counting) else {}),
    }


def _part_of(found: Mapping[str, Any]) -> Evidence:
    scale, largest = int(_whole(found["scale"], 0)), int(_whole(found["largest"], 0))
    if scale < 1 or not 0 <= largest <= MAX_SIZE:
        raise InputError("its numbers do not fit together")
    return Evidence(
        columns=tuple(_whole(found["columns"], 1).tolist()),
        multipliers=_whole(found["prices"], 1),
        scale=scale,
        largest=largest,
        size_multipliers=_multipliers_of(found["thetas"]),
        linear_multipliers=_multipliers_of(found["slopes"]),
        tail_multipliers=_multipliers_of(found["tails"]),
        **_divided_of(found),
        counting=_counting_of(found),
    )


def _divided_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """Read the trees and the sizes of patterns, if there are any."""
    if "trees" not in found:
        return {}
    trees = PatternTrees(_multipliers_of(found["trees"]), _whole(found["nodes"], 1))
    return {"trees": trees, "own_largest": _multipliers_of(found["sizes"])}


def _counting_of(found: Mapping[str, Any]) -> CountingCuts:
    """Read the sets of row types whose groups are counted, if there are any."""
    if "sets" not in found:
        return CountingCuts()
    sets = [_whole(types, 1) for types in found["sets"]]
    lengths = np.array([len(types) for types in sets], dtype=np.int64)
    return CountingCuts(np.concatenate([_whole([], 1), *sets]), lengths, _whole(found["counts"], 1))


def _multipliers_plain(multipliers: PatternMultipliers) -> dict[str, Any]:
    return {
        "vectors": [list(levels) for levels in multipliers.vectors],
        "vector": multipliers.vector.tolist(),
        "first": multipliers.first.tolist(),
        "numbers": multipliers.numbers.tolist(),
    }


def _multipliers_of(found: Mapping[str, Any]) -> PatternMultipliers:
    if set(found) != {"vectors", "vector", "first", "numbers"}:
        raise InputError("its multipliers are not in order")
    vectors = tuple(tuple(int(_whole(level, 0)) for level in levels) for levels in found["vectors"])
    vector, first = _whole(found["vector"], 1), _whole(found["first"], 1)
    numbers = _whole(found["numbers"], 2) if len(first) else np.zeros((0, 0), dtype=np.int64)
    if not len(vector) == len(first) == len(found["numbers"]):
        raise InputError("its multipliers are not in order")
    return PatternMultipliers(vectors, vector, first, numbers)


def _whole(found: Any, dimensions: int) -> IntArray:
    """Read whole numbers that are not too large."""
    numbers = np.array(found)
    if not numbers.size and dimensions == 1:
        return np.zeros(0, dtype=np.int64)
    if numbers.dtype.kind != "i" or numbers.ndim != dimensions or max_abs(numbers) >= MAX_MULTIPLIER:
        raise InputError("its numbers are not whole, or too large")
    return numbers.astype(np.int64)


def _text(found: Any) -> str:
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))

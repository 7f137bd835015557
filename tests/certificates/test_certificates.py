"""Certificates: what they prove is true, and what is altered is refused."""

from __future__ import annotations

import copy
import gzip
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kilt
from kilt import InfeasibleError, InputError, LDiversity, Policy
from kilt.bounds.lagrangian import lower_bound
from kilt.certificates.certificate import Certificate
from kilt.certificates.check import count, reasons_refused
from kilt.certificates.issue import issue_certificate
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Evidence, PatternMultipliers
from kilt.commands.check import check
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.sources.counted_table import TableDescription
from kilt.sources.registry import open_source
from support.problems import solved
from support.profiles import examples, is_thorough
from support.strategies import LADDERS, SPACES, policies, tables

DAMAGED = gzip.compress(b"x" * 1000, mtime=0)[:-12] + b"damaged body"
QUASI = "Zipcode:characters,Age:characters,Education"


def case_of(rows, quasi, sensitive, policy):
    names = [f"q{i}" for i in range(len(quasi))] + [f"s{i}" for i in range(len(sensitive))]
    frame = pl.DataFrame(
        {name: [row[i] for row in rows] for i, name in enumerate(names)}, dict.fromkeys(names, pl.String)
    )
    ladders = {f"q{i}": LADDERS[name] for i, name in enumerate(quasi)}
    spaces = {f"s{i}": SPACES[name] for i, name in enumerate(sensitive)}
    return frame, TableDescription(frame, ladders, spaces).count(policy)


def drawn_case(data):
    rows, quasi, sensitive = data.draw(tables(most_rows=8))
    policy = data.draw(policies(len(sensitive)))
    try:
        frame, case = case_of(rows, quasi, sensitive, policy)
        assert case.problem
    except InfeasibleError:
        assume(False)
    return frame, case


def optimum(case, policy=None):
    problem = (replace(case, policy=policy) if policy else case).problem
    return problem.stars(solved("exhaustive", problem).partition.cost)


@given(st.data())
@examples(40)
def test_certificates_of_any_table_pass_and_are_true(data):
    frame, case = drawn_case(data)
    certificate = issue_certificate(case, lower_bound(case.problem, StoppingRule(), silent))
    assert certificate.bound <= optimum(case)
    again = Certificate.of_dict(json.loads(certificate.encoded(compressed=False)))
    assert again.to_dict() == certificate.to_dict()
    assert check(again, original=frame).passed


@given(st.data())
@examples(50)
def test_what_is_forged_and_sealed_again_passes_only_if_it_is_true(data):
    """A forger who knows the original can seal anything: the proof itself must hold."""
    frame, case = drawn_case(data)
    certificate = issue_certificate(case, lower_bound(case.problem, StoppingRule(), silent))
    policy = data.draw(policies(len(case.roles.sensitive)))
    part = certificate.parts[0]
    if data.draw(st.booleans()):
        changed = [data.draw(st.integers(-30_000, 50_000)) for _ in part.multipliers]
        part = replace(part, multipliers=np.array(changed))
    types = count(open_source(frame), list(certificate.quasi), list(case.roles.sensitive))
    forged = replace(
        certificate,
        policy=policy,
        sensitive=dict(case.roles.sensitive),
        row_types=len(types.counts),
        parts=(replace(part, multipliers=np.resize(part.multipliers, len(types.counts))),)
        * data.draw(st.integers(1, 2)),
        bound=certificate.bound + data.draw(st.integers(-1, 2)),
    )
    found = check(forged.sealed(types), original=frame)
    if found.passed:
        policy_columns = TableDescription(frame, forged.quasi, forged.sensitive).count(policy)
        assert forged.bound <= optimum(policy_columns)


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    """A table, its release and its certificate, as files."""
    folder = tmp_path_factory.mktemp("papers")
    rng = np.random.default_rng(3)
    names = ["a", "b", "c", "disease"]
    cells = rng.integers(0, 3, (60, 4))
    (folder / "table.csv").write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in cells)]) + "\n")
    kilt.anonymize(
        folder / "table.csv",
        quasi="a,b,c",
        sensitive="disease",
        weights="a=3/2",
        policy=Policy(k=3, t="0.3"),
        output=folder / "release.csv",
        certificate=folder / "certificate.json",
    )
    return folder


def test_where_rows_are_joined_a_certificate_has_all_that_is_proved(tmp_path):
    """The bound was raised for groups of two rows, and the proof sees that three are needed."""
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({f"q{j}": rng.integers(0, 2, 60) for j in range(18)} | {"s": rng.choice(list("abcde"), 60)})
    policy, quasi = Policy(k=2, l=3), [f"q{j}" for j in range(18)]
    given = {"quasi": quasi, "sensitive": "s", "policy": policy, "certificate": tmp_path / "proof.json"}
    release = kilt.anonymize(frame, **given, solver="search", iterations=100)
    assert check(tmp_path / "proof.json", original=frame).passed
    claimed = json.loads((tmp_path / "proof.json").read_text())["bound"]
    assert release.exact_bound == Fraction(claimed)


def leaves(found, path=()):
    """Yield the path of every value in a JSON object."""
    inner = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    yield path
    for key, value in inner:
        yield from leaves(value, (*path, key))


def other(value):
    if isinstance(value, bool) or value is None:
        return not value
    if value == 1:
        return True
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return str(Fraction(value) + 1) if value.replace("/", "").isdigit() else value + "x"
    return {**value, "more": 1} if isinstance(value, dict) else [*value, 1]


def test_no_field_can_be_altered(papers):
    """Everything in the file is altered in turn, and removed, and the certificate is refused each time."""
    whole = json.loads((papers / "certificate.json").read_text())
    assert check(papers / "certificate.json", original=papers / "table.csv", release=papers / "release.csv").passed
    part = whole["parts"][0]
    assert part["slopes"]["numbers"] or part["thetas"]["numbers"]
    table = pl.read_csv(papers / "table.csv", infer_schema=False)  # once, and not for every certificate
    assert check(papers / "certificate.json", original=table).passed
    paths = [path for path in leaves(whole) if path]
    rng = np.random.default_rng(0)
    deep = rng.permutation(len(paths))[: 1000 if is_thorough() else 100]
    chosen = [p for p in paths if len(p) < 3] + [paths[i] for i in deep]
    for path in chosen:
        for removed in (False, True):
            altered = copy.deepcopy(whole)
            place = altered
            for key in path[:-1]:
                place = place[key]
            if removed:
                del place[path[-1]]
            else:
                place[path[-1]] = other(place[path[-1]])
            (papers / "altered.json").write_text(json.dumps(altered))
            try:
                passed = check(papers / "altered.json", original=table).passed
            except InputError:
                passed = False
            assert not passed, path


def test_another_table_is_refused(papers):
    text = (papers / "table.csv").read_text()
    lines = text.splitlines()
    swapped = [*lines[:-1], ",".join(lines[-1].split(",")[::-1])]
    for name, content in {
        "swapped": swapped,
        "shorter": lines[:-1],
        "renamed": [lines[0].replace("a", "z"), *lines[1:]],
    }.items():
        (papers / f"{name}.csv").write_text("\n".join(content) + "\n")
        found = check(papers / "certificate.json", original=papers / f"{name}.csv")
        assert not found.passed, name
    (papers / "reordered.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    assert check(papers / "certificate.json", original=papers / "reordered.csv").passed  # the same rows


def test_another_release_is_refused(papers):
    found = check(papers / "certificate.json", original=papers / "table.csv", release=papers / "table.csv")
    assert not found.passed
    text = (papers / "release.csv").read_text()
    line = next(line for line in text.splitlines()[1:] if "*" not in line.split(",")[0])
    more = text.replace(line, "*" + line[1:], 1)
    (papers / "more.csv").write_text(more)
    found = check(papers / "certificate.json", original=papers / "table.csv", release=papers / "more.csv")
    assert "stars" in found.summary()
    assert found.summary().startswith("NO")


def test_the_same_bytes_each_time(papers, hospital):
    for name in ("one.json", "two.json", "three.json.gz"):
        kilt.bound(hospital, quasi=QUASI, policy=Policy(k=3), certificate=papers / name)
    assert (papers / "one.json").read_bytes() == (papers / "two.json").read_bytes()
    assert gzip.decompress((papers / "three.json.gz").read_bytes()) == (papers / "one.json").read_bytes()
    found = check(papers / "three.json.gz", original=hospital)
    assert found.passed
    assert found.to_dict()["stars"] is None
    assert not check(papers / "one.json", original=hospital, release=hospital).passed


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[1]", b"[]", b"null", b"\x1f\x8bbroken", b"{" * 5000, b'{"certificate": 1}', b"\xff\xfe", DAMAGED],
)
def test_what_is_no_certificate(tmp_path, hospital, content):
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.json"):
        check(tmp_path / "x.json", original=hospital)


def sealed(papers, **changes):
    """Change fields of the certificate of the papers, as a forger would who knows the table, and seal it again."""
    found = {**json.loads((papers / "certificate.json").read_text()), **changes}
    part = {**found["parts"][0], **found.pop("part", {})}
    certificate = Certificate.of_dict({**found, "parts": [part]})
    types = count(open_source(papers / "table.csv"), list(certificate.quasi), list(certificate.sensitive))
    return certificate.sealed(types)


def test_numbers_that_are_too_large_or_out_of_place(papers):
    part = json.loads((papers / "certificate.json").read_text())["parts"][0]
    assert check(sealed(papers), original=papers / "table.csv").passed
    used = [name for name in ("slopes", "thetas") if any(map(len, part[name]["numbers"]))]  # one of them, or both
    assert used
    for name in used:
        numbers = part[name]["numbers"]
        for number in (-(2**63), 2**63 - 1, 2**53, 2**70):
            wrong = {**part[name], "numbers": [[number] * len(line) for line in numbers]}
            with pytest.raises(InputError, match="too large"):
                sealed(papers, part={name: wrong})
        far = {**part[name], "numbers": [[2**53 - 1] * len(line) for line in numbers]}
        assert not check(sealed(papers, part={name: far}, bound="10000"), original=papers / "table.csv").passed
    for sizes in ({"largest": 10**6}, {"largest": -1}, {"scale": 0}):
        with pytest.raises(InputError, match="do not fit"):
            sealed(papers, part=sizes)
    wrong = {**part["thetas"], "numbers": [[-100, 5] for _ in part["thetas"]["numbers"]]}
    assert not check(sealed(papers, part={"thetas": wrong}), original=papers / "table.csv").passed
    for field, value in {"quasi": {}, "kilt": "\ud800", "bound": "1e9"}.items():
        with pytest.raises((InputError, ValueError)):
            sealed(papers, **{field: value})
    multipliers = {"prices": [2**53 - 1 for _ in part["prices"]]}
    assert not check(sealed(papers, part=multipliers), original=papers / "table.csv").passed
    columns = {"columns": [0, 0]}
    assert not check(sealed(papers, part=columns), original=papers / "table.csv").passed


def test_many_rules_have_room_together():
    frame = pl.DataFrame({"q": list("aaabbb"), "s": list("xyzxyz")})
    policy = Policy(*[LDiversity(1)] * 100)
    case = TableDescription(frame, "q", "s").count(policy)
    large = (2**62 - 1) // 576
    numbers = np.array([[0] + [large] * 300] * 2)
    marks = PatternMultipliers(((0,), (1,)), np.array([0, 1]), np.array([0, 0]), numbers)
    assert evaluate_bound(case.problem, [Evidence((0,), np.ones(6, dtype=np.int64), 1, linear_multipliers=marks)]) == 0


@pytest.mark.parametrize(
    ("sensitive", "t"),
    [("one:numeric,s", "0.3"), ("s", "0." + "3" * 29), ("s:metric={far}", "0.3"), ("s", "0." + "3" * 300)],
)
def test_certificates_of_odd_policies(tmp_path, sensitive, t):
    far = tmp_path / "far.csv"
    far.write_text(";x;y;z\nx;0;723456789012345678901234;5e23\ny;723456789012345678901234;0;1e24\nz;5e23;1e24;0\n")
    rows = [f"{i % 3},{i % 2},1,{'xyz'[i % 3 if i % 4 else 0]}" for i in range(40)]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["a,b,one,s", *rows]) + "\n")
    policy = Policy(k=2, t=t, l={"s": "1." + "3" * 300})
    spaces = sensitive.format(far=far)
    kilt.bound(table, quasi="a,b", sensitive=spaces, policy=policy, certificate=tmp_path / "c.json")
    assert check(tmp_path / "c.json", original=table).passed


def test_files_that_must_not_be_overwritten(tmp_path, hospital):
    out, roles = tmp_path / "o.csv", {"quasi": QUASI, "policy": Policy(k=3)}
    with pytest.raises(InputError, match="is the output"):
        kilt.anonymize(hospital, **roles, output=out, certificate=out)
    assert not out.exists()
    with pytest.raises(InputError, match=r"can only be compressed with \.gz"):
        kilt.bound(hospital, **roles, certificate=tmp_path / "c.json.zst")
    with pytest.raises(InputError, match="not a file that can be replaced"):
        kilt.bound(hospital, **roles, certificate="/dev/null")
    with pytest.raises(InputError, match="two roles"):
        kilt.bound(hospital, quasi="Age", identifier="Age", policy=Policy(k=3))


def test_a_shuffled_release_is_checked_as_far_as_it_can_be(tmp_path, hospital):
    kilt.anonymize(
        hospital,
        quasi=QUASI,
        policy=Policy(k=3),
        shuffle=True,
        output=tmp_path / "r.csv",
        certificate=tmp_path / "c.json",
    )
    found = check(tmp_path / "c.json", original=hospital, release=tmp_path / "r.csv")
    assert found.passed
    assert "shuffled" in found.summary()
    assert not check(tmp_path / "c.json", original=hospital, release=hospital).passed


def test_places_where_a_certificate_cannot_be_written(tmp_path, hospital):
    for path in (hospital, tmp_path, tmp_path / "no" / "c.json"):
        with pytest.raises(InputError, match="certificate"):
            kilt.bound(hospital, quasi=QUASI, policy=Policy(k=3), certificate=path)
    with pytest.raises(InputError, match="does not exist"):
        check(tmp_path / "none.json", original=hospital)


def test_what_searched_is_not_trusted(hospital):
    case = TableDescription(hospital, QUASI, None).count(Policy(k=3))
    bound = lower_bound(case.problem, StoppingRule(), silent)
    with pytest.raises(kilt.VerificationError, match="the certificate was refused"):
        issue_certificate(case, replace(bound, cost=bound.cost + 1))
    assert reasons_refused(issue_certificate(case, bound), case.source) == []


def test_average_t_is_in_the_certificate_and_checked_on_the_release(tmp_path, hospital):
    release, paper = tmp_path / "release.csv", tmp_path / "proof.json"
    policy = Policy(k=2, average_t={"Disease": "1/3"})
    made = kilt.anonymize(hospital, quasi=QUASI, sensitive="Disease", policy=policy, output=release, certificate=paper)
    assert json.loads(paper.read_bytes())["policy"][1] == {"average_t": "1/3", "column": "Disease"}
    assert Certificate.read(paper).policy == policy
    assert check(paper, original=hospital, release=release).passed
    assert kilt.bound(hospital, quasi=QUASI, sensitive="Disease", policy=policy).exact_stars <= made.exact_stars
    told = kilt.anonymize(hospital, quasi=QUASI, sensitive="Disease", policy=Policy(k=2), output=tmp_path / "told.csv")
    assert told.verdict.average_t["Disease"] > Fraction(1, 3)
    found = check(paper, original=hospital, release=tmp_path / "told.csv")
    assert not found.passed
    assert found.problems[0] == "the release as a whole breaks average t=1/3 on 'Disease'"

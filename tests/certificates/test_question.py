"""Which question a certificate answers, and that another one is not taken for it."""

from __future__ import annotations

import json
from fractions import Fraction

import polars as pl
import pytest

import kilt
from kilt import InputError, KAnonymity, LDiversity, Ordered, Policy, TCloseness
from kilt.bounds.lagrangian import lower_bound
from kilt.certificates.issue import issue_certificate
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.commands.check import check
from kilt.model.measure import DEFAULT
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.sources.counted_table import TableDescription
from support.command import call

QUASI = "Zipcode:characters,Age:characters,Education"
FRAME = pl.DataFrame(
    {"name": list("ABCDEF"), "a": list("xxxyyy"), "b": list("pqpqpq"), "s": list("123123"), "r": list("uuvvww")}
)
ROLES = {"quasi": "a,b:prefix", "weights": "a=3/2", "identifier": "name", "sensitive": {"s": "ordered", "r": "equal"}}
POLICY = Policy(k=2, t={"s": "0.5"})


def certificate_of(policy=POLICY, **roles):
    table = TableDescription(FRAME, **{**ROLES, **roles}).count(policy)
    return issue_certificate(table, lower_bound(table.problem, StoppingRule(), silent))


def test_the_question_is_printed():
    found = check(certificate_of(), original=FRAME)
    assert found.passed
    assert found.summary().splitlines()[1:] == [
        "policy: k=2, t=0.5 on 's'",
        "quasi: a:suppress (weight 3/2), b:prefix",
        f"measure: {DEFAULT}",
        "sensitive: s:ordered",
        "identifier: name",
    ]
    plain = found.to_dict()["question"]
    assert plain["quasi"]["a"] == {"ladder": "suppress", "weight": "3/2"}
    assert plain["sensitive"] == {"s": {"space": "ordered"}}
    assert plain["policy"] == [{"k": 2}, {"t": "1/2", "space": None, "column": "s"}]
    assert plain["identifier"] == ["name"]


def test_spaces_and_taxonomies_are_named_without_their_values(tmp_path):
    (tmp_path / "tree.csv").write_text("x;left\ny;left\nz;right\n")
    policy = Policy(TCloseness("0.5", Ordered(("1", "2", "3", "4")), "s"))
    certificate = certificate_of(policy, quasi={"a": f"taxonomy={tmp_path / 'tree.csv'}", "b": "suppress"})
    lines = check(certificate, original=FRAME).summary().splitlines()
    assert lines[1] == "policy: t=0.5 on 's' in the space ordered of 4 values"
    assert lines[2] == "quasi: a:taxonomy of 3 values (weight 3/2), b:suppress"


@pytest.mark.parametrize(
    "demanded",
    [
        {},
        ROLES,
        {**ROLES, "policy": POLICY},
        {"policy": Policy(TCloseness("0.5", "ordered", "s"), KAnonymity(2))},  # the same, said in another way
        {"sensitive": "s:ordered", "policy": Policy(k=2, t=Fraction(1, 2))},
        {"quasi": "b:prefix,a", "weights": {"a": "1.5"}},
        {"identifier": ["name"]},
    ],
    ids=str,
)
def test_the_same_question(demanded):
    assert check(certificate_of(), original=FRAME, **demanded).passed


@pytest.mark.parametrize(
    ("demanded", "said"),
    [
        ({"policy": Policy(k=3, t={"s": "0.5"})}, "its policy is k=2, t=0.5 on 's', and not k=3, t=0.5 on 's'"),
        ({"policy": Policy(k=2)}, "its policy is k=2, t=0.5 on 's', and not k=2"),
        ({"policy": Policy(k=2, t={"r": "0.5"})}, "and not k=2, t=0.5 on 'r'"),
        ({"policy": Policy(TCloseness("0.5", "numeric"), k=2)}, "t=0.5 in the space numeric, k=2"),
        ({"policy": Policy(KAnonymity(2), LDiversity(2))}, "and not k=2, l=2"),
        ({"quasi": "a,b:prefix"}, "the ladder of 'a' is suppress (weight 3/2), and not suppress"),
        ({"quasi": "a,b", "weights": "a=3/2"}, "the ladder of 'b' is prefix, and not suppress"),
        ({"quasi": "a", "weights": "a=3/2"}, "its quasi columns are a, b, and not a"),
        ({"sensitive": "s"}, "the space of 's' is ordered, and not equal"),
        ({"sensitive": "r"}, "its sensitive columns are s, and not r"),
        ({"sensitive": "s:ordered,r", "policy": Policy(k=2, t="0.5")}, "its sensitive columns are s, and not s, r"),
        ({"identifier": "r"}, "its identifier columns are name, and not r"),
    ],
    ids=str,
)
def test_another_question(demanded, said):
    found = check(certificate_of(), original=FRAME, **demanded)
    assert not found.passed
    assert found.summary().startswith("NO: it answers another question: ")
    assert said in found.summary()
    assert found.to_dict()["problems"] == list(found.problems)


def test_a_policy_without_sensitive_columns_is_the_only_difference():
    found = check(certificate_of(), original=FRAME, **{**ROLES, "policy": Policy(k=3)})
    assert list(found.problems) == ["it answers another question: its policy is k=2, t=0.5 on 's', and not k=3"]


def test_orders_that_differ_only_in_their_words():
    certificate = certificate_of(sensitive={"s": Ordered(("1", "2", "3", "4")), "r": "equal"})
    assert check(certificate, original=FRAME, sensitive={"s": Ordered(("1", "2", "3", "4"))}).passed
    found = check(certificate, original=FRAME, sensitive={"s": Ordered(("2", "1", "3", "4"))})
    assert "the space of 's' is another ordered of 4 values" in found.summary()


def test_weights_need_their_columns():
    with pytest.raises(InputError, match="give 'quasi' too"):
        check(certificate_of(), original=FRAME, weights="a=2")


def test_the_command_takes_demands(hospital, tmp_path):
    config = tmp_path / "kilt.toml"
    config.write_text(
        f'input = "{hospital}"\ncertificate = "c.json"\nquasi = "{QUASI}"\nsensitive = "Disease"\nk = 3\nt = 0.3\n'
    )
    assert call("anonymize", "--config", config, "-o", tmp_path / "r.csv").returncode == 0
    done = call("check", "--config", config, "--release", tmp_path / "r.csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("YES: ")
    assert "\npolicy: k=3, t=0.3\n" in done.stdout
    done = call("check", "--config", config, "-k", "4")
    assert done.returncode == 1
    assert "its policy is k=3, t=0.3, and not k=4, t=0.3" in done.stdout
    words = ("check", tmp_path / "c.json", "--original", hospital)
    assert call(*words, "--quasi", QUASI, "--sensitive", "Disease", "-k", 3, "-t", "0.30").returncode == 0
    done = call(*words, "--quasi", "Zipcode,Age,Education", "--json")
    assert done.returncode == 1
    assert len(json.loads(done.stdout)["problems"]) == 2
    done = call("check", tmp_path / "c.json")
    assert done.returncode == 2
    assert "'original' is missing" in done.stderr


def empty_certificate(stars):
    table = TableDescription(FRAME, **ROLES).count(POLICY)
    nothing = Evidence((0, 1), lower_bound(table.problem, StoppingRule(), silent).parts[0].multipliers * 0, 1)
    return issue_certificate(table, Bound(0, (nothing,)), stars)


def test_a_certificate_that_proves_nothing_is_not_called_a_proof():
    for stars in (None, Fraction(3)):
        found = check(empty_certificate(stars), original=FRAME)
        assert found.passed
        assert found.is_empty
        assert found.to_dict()["empty"]
        assert found.summary().startswith("VALID BUT EMPTY: ")
        assert "YES" not in found.summary()
    found = check(empty_certificate(Fraction(0)), original=FRAME)  # nobody can do better than 0
    assert not found.is_empty
    assert found.summary().startswith("YES: ")
    assert not check(certificate_of(), original=FRAME).is_empty


def test_the_check_of_a_bound_names_no_release(hospital, tmp_path):
    kilt.bound(hospital, quasi=QUASI, policy=Policy(k=3), certificate=tmp_path / "c.json")
    answer = check(tmp_path / "c.json", original=hospital).answer()
    assert answer == "YES: no release of these 10 rows under k=3 can have fewer than 54 stars"

"""The table like that of a hospital is what it says, and always the same."""

from __future__ import annotations

from datetime import date

from hospital import hospital


def test_it_is_like_a_table_of_a_hospital():
    table = hospital()
    assert table.shape == (12_000, 13)
    different = {name: table[name].n_unique() for name in table.columns}
    assert (different["profession"], different["diagnosis"], different["sex"]) == (80, 200, 2)
    assert different["national_id"] == 12_000
    assert different["name"] > 11_000
    assert table["zip"].str.contains(r"^\d{5}$").all()
    assert 0.3 < table["zip"].str.starts_with("0").mean() < 1
    for birth, admission in table.select("birth_date", "admission_date").head(500).iter_rows():
        assert date.fromisoformat(birth) <= date.fromisoformat(admission)
    shares = table["diagnosis"].value_counts(sort=True)["count"].to_list()
    assert 0.04 < shares[0] / 12_000 < 0.15
    assert sum(shares[:40]) / 12_000 > 0.6


def test_the_same_seed_gives_the_same_table():
    assert hospital(300, 1).equals(hospital(300, 1))
    assert not hospital(300, 1).equals(hospital(300, 2))

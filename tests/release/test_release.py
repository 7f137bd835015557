"""Releases speak for themselves."""

from __future__ import annotations

import shutil

import pytest

import kilt


def test_releases_speak_for_themselves(hospital):
    release = kilt.anonymize(hospital, quasi="Education", sensitive="Disease", policy=kilt.Policy(k=2))
    assert repr(release) == "Release(10 rows in 3 groups, 0 stars, bound 0, optimal, k=2)"
    assert "optimal" in release.summary()
    html = release._repr_html_()
    assert html.count("<table>") == 2
    assert "Bachelor" in html
    assert release.frame.columns == ["Zipcode", "Age", "Education", "Disease"]
    assert [(g.pattern["Education"], g.size) for g in release.groups] == [
        ("Bachelor", 6),
        ("Doctorate", 2),
        ("Master", 2),
    ]


def test_a_release_does_not_replace_its_original(hospital, tmp_path):
    table = shutil.copy(hospital, tmp_path)
    release = kilt.anonymize(table, quasi="Education", sensitive="Disease", policy=kilt.Policy(k=2))
    (tmp_path / "link.csv").symlink_to(table)
    for output in (table, tmp_path / "link.csv"):
        with pytest.raises(kilt.InputError, match="is the input: choose another file"):
            release.write(output)
    release.write(tmp_path / "release.csv")
    assert (tmp_path / "release.csv").exists()

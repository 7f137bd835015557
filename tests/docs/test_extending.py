"""The pages for developers are true: their examples make verified releases, and every name that they cite exists."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.cli.commands import cli
from kilt.model.partition import Partition
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from support.paths import ROOT
from support.problems import drawn_problem

DOCS, SOURCE = ROOT / "docs", ROOT / "src" / "kilt"
EXAMPLES = sorted((DOCS / "extending").glob("*.py"))
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
QUASI = "Zipcode:characters,Age:characters,Education"
CITED = re.compile(r"`([\w/]+\.py)(?::([\w.]+))?`")
PATIENTS = [
    {"name": name, "age": age, "sex": sex, "disease": disease}
    for name, age, sex, disease in [
        ("Ann", 34, "f", "Flu"),
        ("Bob", 35, "m", "Cold"),
        ("Cyd", 34, "f", "Flu"),
        ("Dan", 61, "m", None),
        ("Eve", 39, "f", "Cold"),
        ("Fay", 61, "f", "Flu"),
    ]
]


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Install the examples as the package of the page, with the entry points of the page."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS / "extending", folder / "my_package")
    (folder / "my_package" / "__init__.py").touch()
    toml = re.search(r"```toml\n(.*?)```", page("extending"), re.DOTALL)
    groups = tomllib.loads(toml[1])["project"]["entry-points"]
    lines = [line for name, points in groups.items() for line in (f"[{name}]", *map(" = ".join, points.items()))]
    about = folder / "my_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_package"]:
        del sys.modules[name]


def example(name: str) -> ModuleType:
    return importlib.import_module(f"my_package.{name}")


# the examples


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_the_page_shows_it(path: Path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    assert f"<!-- docs/extending/{path.name} -->\n```python\n{text}```" in page("extending")


def test_a_solver_makes_a_verified_release(hospital: Path):
    policy = kilt.Policy(k=3, t="0.3")
    solver = example("solver").SortedRows()
    release = kilt.anonymize(hospital, quasi=QUASI, sensitive="Disease", policy=policy, solver=solver)
    assert release.solver == "SortedRows"
    assert release.verdict.met
    assert 61 <= release.bound <= 63 <= release.stars
    compared = kilt.compare(hospital, quasi=QUASI, policy=kilt.Policy(k=3), solvers=[solver, "exact"])
    assert [each.solver for each in compared] == ["exact", "SortedRows"]
    assert compared[1].exact_stars >= compared[0].exact_stars


@given(st.data())
def test_the_solver_is_legal_under_any_policy(data: st.DataObject):
    problem = drawn_problem(data)
    for stop in (StoppingRule(), StoppingRule(seconds=0.0)):
        partition = example("solver").SortedRows().solve(problem, stop, silent).partition
        assert problem.is_legal(partition.by_class(problem)).all()
        assert (np.bincount(partition.types, partition.counts) == problem.counts).all()


def test_a_solver_that_breaks_the_policy_is_refused(hospital: Path, tmp_path: Path):
    class EachRowAlone:
        def refuses(self, problem):
            return None

        def solve(self, problem, stop, observer):
            every = np.arange(len(problem.counts))
            return Solution(Partition.of(problem, every, every, problem.counts))

    output = tmp_path / "release.csv"
    with pytest.raises(kilt.VerificationError, match="nothing was written"):
        kilt.anonymize(hospital, quasi=QUASI, policy=kilt.Policy(k=2), solver=EachRowAlone(), output=output)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_source_makes_a_verified_release(shuffle: bool):
    policy = kilt.Policy(k=2)
    table = example("source").Records(PATIENTS)
    roles = {"quasi": "age,sex", "sensitive": "disease"}
    release = kilt.anonymize(table, identifier="name", **roles, policy=policy, shuffle=shuffle)
    assert release.verdict.met
    assert {tuple(row) for row in release.frame} == {("age", "sex", "disease")}
    assert [row["disease"] for row in release.frame].count(None) == 1
    assert {row["age"] for row in release.frame} <= {None, 34, 35, 39, 61}
    found = kilt.verify(release.frame, **roles, policy=policy)
    assert found.met
    if not shuffle:
        found = kilt.verify(release.frame, **roles, policy=policy, identifier="name", original=PATIENTS)
        assert found.fidelity.kept
        assert found.fidelity.stars == release.exact_stars


def test_a_source_refuses_what_it_cannot_hold():
    with pytest.raises(kilt.InputError, match="same keys"):
        example("source").Records([{"a": 1}, {"b": 1}])
    with pytest.raises(kilt.InputError, match="no columns"):
        example("source").Records([])
    assert example("source").open_records(pd.DataFrame({"a": [1]})) is None


def test_a_space_makes_a_verified_release():
    days = [DAYS[(3 * i) % 7] for i in range(9)]
    table = pd.DataFrame({"ward": list("aabbccdde"), "sex": list("fmfmfmfmf"), "day": days})
    week = example("space").Circle(DAYS)
    policy = kilt.Policy(k=2, t="0.4")
    distance = [[Fraction(min(abs(a - b), 7 - abs(a - b)), 3) for b in range(7)] for a in range(7)]
    same = kilt.Metric.of(DAYS, distance)
    releases = [
        kilt.anonymize(table, quasi="ward,sex", sensitive={"day": space}, policy=policy, solver=solver, time=2)
        for space in (week, same)
        for solver in ("exact", "search")
    ]
    assert all(release.verdict.met for release in releases)
    assert releases[0].exact_stars == releases[2].exact_stars
    assert {release.status for release in releases[::2]} == {"optimal"}
    verdicts = [
        kilt.verify(releases[0].frame, quasi="ward,sex", sensitive={"day": s}, policy=policy) for s in (week, same)
    ]
    assert verdicts[0].t == verdicts[1].t
    with pytest.raises(kilt.InputError, match="the circle of 'day' misses 1 of its 7 values"):
        kilt.verify(table, quasi="ward", sensitive={"day": example("space").Circle(DAYS[1:])})


def test_a_ladder_makes_a_verified_release(hospital: Path):
    ages = pd.read_csv(hospital, dtype=str)["Age"]
    labels = kilt.Taxonomic(kilt.Taxonomy.of([[age, f"{age[0]}0-{age[0]}9"] for age in ages.unique()]))
    policy = kilt.Policy(k=2)
    releases = [
        kilt.anonymize(hospital, quasi={"Age": ladder, "Education": "suppress"}, policy=policy)
        for ladder in (example("ladder").Decades(), labels)
    ]
    assert all(release.verdict.met for release in releases)
    assert releases[0].groups == releases[1].groups
    assert releases[0].exact_stars == releases[1].exact_stars
    weighted = kilt.anonymize(
        hospital, quasi={"Age": example("ladder").Decades()}, policy=policy, weights="Age=3", measure="level"
    )
    assert weighted.verdict.met
    assert weighted.exact_stars % Fraction(3, 2) == 0


def test_a_ladder_keeps_what_is_not_a_number_and_refuses_what_looks_like_a_decade():
    decades = example("ladder").Decades()
    table = pd.DataFrame({"age": ["7", "8", "unknown", "unknown", None, None, "41", "44", "120"]})
    release = kilt.anonymize(table, quasi={"age": decades}, policy=kilt.Policy(k=2))
    assert release.verdict.met
    assert {group.pattern["age"] for group in release.groups} >= {"unknown", None, "*"}
    clash = pd.DataFrame({"age": ["34", "35", "30-39"]})
    with pytest.raises(kilt.InputError, match="the ladder of 'age' has a label"):
        kilt.anonymize(clash, quasi={"age": decades}, policy=kilt.Policy(k=2))


def test_entry_points_bring_solvers_and_sources():
    release = kilt.anonymize(
        PATIENTS, quasi="age,sex", identifier="name", policy=kilt.Policy(k=2), solver="sorted-rows"
    )
    assert release.solver == "sorted-rows"
    assert release.verdict.met
    listed = json.loads(CliRunner().invoke(cli, ["solvers", "--json"]).output)
    assert {"name": "sorted-rows", "takes": "any policy, any size"}.items() <= listed[-1].items()


def test_a_certificate_cannot_describe_what_is_not_kilts_own(hospital: Path, tmp_path: Path):
    week, decades = example("space").Circle(DAYS), example("ladder").Decades()
    table = pd.DataFrame({"ward": list("aabb"), "day": [*DAYS[:2]] * 2})
    path = tmp_path / "certificate.json"
    with pytest.raises(kilt.InputError, match="cannot describe a space of the kind 'Circle'"):
        kilt.anonymize(table, quasi="ward", sensitive={"day": week}, policy=kilt.Policy(t="0.2"), certificate=path)
    with pytest.raises(kilt.InputError, match="cannot describe a ladder of the kind 'Decades'"):
        kilt.anonymize(hospital, quasi={"Age": decades}, policy=kilt.Policy(k=2), certificate=path)
    assert not path.exists()
    solver = example("solver").SortedRows()
    kilt.anonymize(table, quasi="ward", policy=kilt.Policy(k=3), solver=solver, certificate=path)
    assert kilt.check(path, original=table).passed


# the names


@pytest.mark.parametrize("name", ["architecture", "glossary", "extending"])
def test_every_cited_name_exists(name: str):
    folder = ""
    for line in page(name).splitlines():
        row = re.match(r"\| `([\w/]+/)` \|", line)  # a row of the table of folders: its files are relative to it
        folder = row[1] if row else ""
        for path, cited in CITED.findall(line):
            assert _exists(folder + path, cited), f"{name}.md: {line}"


def _exists(path: str, cited: str) -> bool:
    """Say whether a file of the package, of the scripts or of the tests has what is cited of it."""
    if not cited:
        kernels = list((SOURCE / "kernels").rglob(path))  # the legend of the kernels has names of files alone
        return (SOURCE / path).is_file() or (ROOT / path).is_file() or bool(kernels)
    try:
        found: object = importlib.import_module(f"kilt.{path.removesuffix('.py').replace('/', '.')}")
    except ModuleNotFoundError as error:  # an engine is not installed
        text = (SOURCE / path).read_text(encoding="utf-8")
        return not (error.name or "").startswith("kilt") and f" {cited.partition('.')[0]}" in text
    for part in cited.split("."):
        if part in getattr(found, "__dataclass_fields__", ()):
            return True
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def test_the_layers_are_those_of_the_script():
    spec = importlib.util.spec_from_file_location("check_imports", ROOT / "scripts" / "check_imports.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    shown = re.search(r"## Layers\n.*?```text\n(.*?)```", page("architecture"), re.DOTALL)
    chains = [[f"kilt.{layer}" for layer in line.split()] for line in shown[1].splitlines()]
    assert chains == script.CHAINS


def test_every_folder_is_described():
    text = page("architecture")
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("__init__.py")}
    top = {folder for folder in folders if folder.split("/")[0] not in {".", "kernels", "hardness"}}
    missing = [folder for folder in sorted(top | {"kernels", "hardness"}) if f"| `{folder}/` |" not in text]
    assert not missing

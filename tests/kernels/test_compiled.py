"""Kernels are compiled, and run as plain Python with the same results."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kilt.kernels

PACKAGE = Path(kilt.__file__).parent
RUN = """
import json, sys, warnings
warnings.simplefilter("error")
import numpy as np
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import kilt.kernels
from support.problems import random_problem
from support.states import state_of
from kilt import Policy
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.search.state import one_group
from kilt.solvers.search.wide.swaps import RowSwaps
found = {"compiled": kilt.kernels.IS_COMPILED, "warnings": [str(warning.message) for warning in caught]}
for name, policy in {
    "k": Policy(k=3), "t": Policy(k=2, t="0.3"), "entropy": Policy(l="1.5", diversity="entropy"),
    "recursive": Policy(l=2, diversity="recursive:2"), "distinct": Policy(k=2, l=2, diversity="distinct"),
}.items():
    problem = random_problem(60, 3, 3, policy)
    state = state_of(problem, seed=3)
    state.build(np.full(len(problem.counts), 2.0 * problem.unit))
    state.anneal(300, 1.0)
    found[name] = [state.cost, state.copies.tolist()]
    start, stop = one_group(problem), StoppingRule()
    swaps = RowSwaps(problem, compile_rules(problem), start, stop, seed=1)
    swaps.anneal(300, 1.0)
    found[name] += [int(swaps.cost), swaps.best.groups.tolist()]
print(json.dumps(found))
"""


def _run(code: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def uncompiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package as it is where nothing could be compiled."""
    pytest.importorskip("cython")
    folder = tmp_path_factory.mktemp("uncompiled")
    shutil.copytree(PACKAGE, folder / "kilt", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    return folder


@pytest.mark.compiled
def test_all_kernels_are_compiled():
    for path in (PACKAGE / "kernels").rglob("*.py"):
        if path.name not in ("__init__.py", "uncompiled.py"):
            assert list(path.parent.glob(f"{path.stem}.*.so")) or list(path.parent.glob(f"{path.stem}.*pyd")), path


def test_uncompiled_kernels_give_the_same_results(uncompiled: Path):
    tests = Path(__file__).parent.parent
    slow, fast = (_run(RUN, *paths) for paths in ((uncompiled, tests), (PACKAGE.parent, tests)))
    assert slow.returncode == 0, slow.stderr
    plain, compiled = json.loads(slow.stdout), json.loads(fast.stdout)
    assert not plain.pop("compiled")
    (warning,) = plain.pop("warnings")
    assert warning.startswith(
        "the kernels are not compiled, so that this runs some 200 times slower; install a C compiler"
    )
    assert "\n" not in warning
    assert plain == {name: compiled[name] for name in plain}


def test_the_command_says_in_one_line_that_it_runs_uncompiled(uncompiled: Path, tmp_path: Path):
    table = tmp_path / "table.csv"
    table.write_text("age,zip\n" + "".join(f"{30 + i % 3},{i % 5}\n" for i in range(80)))
    release = tmp_path / "release.csv"
    words = ["anonymize", str(table), "-o", str(release), "--quasi", "age,zip", "-k", "3", "--solver", "search"]
    words += ["--iterations", "50"]
    code = f"import sys; sys.argv = ['kilt', *{words!r}]; from kilt.cli.main import main; main()"
    result = _run(code, uncompiled)
    assert result.returncode == 0, result.stderr
    assert release.exists()
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("kilt:")]  # others tell where it stands
    assert line.startswith("kilt: the kernels are not compiled")

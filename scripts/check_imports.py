"""Fail when a heavy library is imported outside its place, or the verifier reaches a solver or a kernel.

Run from the project's folder: python scripts/check_imports.py
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src"
PLACES = {  # library -> where it may be imported
    "numba": ("kilt.kernels",),
    "duckdb": ("kilt.sources",),
    "narwhals": ("kilt.sources",),
    "rich": ("kilt.cli", "kilt.report"),
    "click": ("kilt.cli", "kilt.commands.demo"),
    "pandas": (),
    "polars": (),
    "pyarrow": (),
    "highspy": ("kilt.solvers", "kilt.bounds"),
    "rustworkx": ("kilt.solvers",),
}
INDEPENDENT = (
    "kilt.verification.verifier",
    "kilt.certificates.certificate",
    "kilt.certificates.check",
    "kilt.certificates.proof.evaluate",
)  # must not reach, even through others:
FORBIDDEN = ("kilt.solvers", "kilt.kernels", "kilt.bounds")
LAZY = ("duckdb", "narwhals", "rich", "numba", "highspy")  # not imported by `import kilt`


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, *, top_level_only: bool = False) -> set[str]:
    """Return the modules that a file imports, without those under TYPE_CHECKING."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
        or (top_level_only and isinstance(node, ast.FunctionDef))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def reachable(start: str, graph: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    todo = [start]
    while todo:
        module = todo.pop()
        if module in graph and module not in seen:
            seen.add(module)
            todo += graph[module]
    return seen


def inside(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(place + ".") for place in places)


def problems() -> list[str]:
    files = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}
    found = []
    for module, path in files.items():
        for library, places in PLACES.items():
            if any(inside(name, (library,)) for name in imports(path)) and not inside(module, places):
                found.append(f"{module} imports {library}, which belongs in {', '.join(places) or 'no module'}")
    graph = {module: {name for name in imports(path) if name in files} for module, path in files.items()}
    for module in INDEPENDENT:
        reached = sorted(reachable(module, graph))
        found += [f"{module} reaches {name}" for name in reached if inside(name, FORBIDDEN)]
    eager = {module: imports(path, top_level_only=True) for module, path in files.items()}
    graph = {module: {name for name in names if name in files} for module, names in eager.items()}
    for module in sorted(reachable("kilt", graph)):
        found += [f"import kilt imports {name} through {module}" for name in LAZY if name in eager[module]]
    return found


if __name__ == "__main__":
    wrong = problems()
    print("\n".join(wrong) or "imports are in their places")
    sys.exit(bool(wrong))

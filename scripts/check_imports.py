"""Fail when a module imports what it must not: a higher layer, a heavy library outside its place, or in a circle.

Run from anywhere: python scripts/check_imports.py
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src"
CHAINS = [  # layers from low to high: a module may import from layers that stand before its own in some chain
    [f"kilt.{layer}" for layer in chain.split()]
    for chain in (
        "errors encodings numbers arrays model kernels patterns run certificates.proof bounds solvers hardness "
        "commands studio cli",
        "errors encodings leftovers staging numbers arrays model certificates.proof sources verification certificates "
        "report inspection release hardness commands studio cli",
        "run report release",
    )
]
EVERYWHERE = ("kilt.version", "kilt.deprecation")  # may be imported by all
PLACES = {  # library -> where it may be imported
    "cython": ("kilt.kernels",),
    "duckdb": ("kilt.sources",),
    "narwhals": ("kilt.sources",),
    "openpyxl": ("kilt.sources",),
    "rich": ("kilt.cli", "kilt.report"),
    "jinja2": ("kilt.report.page",),
    "markupsafe": ("kilt.report.page",),
    "starlette": ("kilt.studio",),
    "uvicorn": ("kilt.studio",),
    "click": ("kilt.cli", "kilt.commands.demo"),
    "pandas": (),
    "polars": (),
    "pyarrow": ("kilt.sources.sql.postgres", "kilt.sources.sql.spark"),
    "adbc_driver_manager": ("kilt.sources.sql.postgres",),
    "adbc_driver_postgresql": ("kilt.sources.sql.postgres",),
    "pyspark": ("kilt.sources.sql.spark",),
    "py4j": ("kilt.sources.sql.spark",),
    "highspy": ("kilt.solvers", "kilt.bounds"),
    "rustworkx": ("kilt.solvers",),
}
INDEPENDENT = ("kilt.verification", "kilt.certificates")  # none of their modules may reach, even through others:
FORBIDDEN = ("kilt.solvers", "kilt.kernels", "kilt.bounds")
# not imported by `import kilt`
LAZY = (
    "adbc_driver_manager",
    "pyarrow",
    "duckdb",
    "narwhals",
    "openpyxl",
    "rich",
    "cython",
    "highspy",
    "numpy",
    "click",
    "jinja2",
    "starlette",
    "uvicorn",
)
Graph = dict[str, set[str]]


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
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
            module = node.module.removeprefix("cython.cimports.")  # what Cython knows a kernel as
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return found


def inside(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(place + ".") for place in places)


def layer_of(module: str) -> str | None:
    """Return the layer of a module, the longest name that it is inside of; None for the package itself."""
    layers = {layer for chain in CHAINS for layer in chain if inside(module, (layer,))}
    return max(layers, key=len, default=None)


def may_import(lower: str | None, upper: str | None) -> bool:
    if upper is None or lower == upper:
        return True
    return any(
        lower in chain and upper in chain and chain.index(lower) < chain.index(upper) for chain in CHAINS if lower
    )


def reachable(start: str, graph: Graph) -> set[str]:
    seen: set[str] = set()
    todo = [start]
    while todo:
        module = todo.pop()
        if module in graph and module not in seen:
            seen.add(module)
            todo += graph[module]
    return seen


def layer_problems(graph: Graph) -> list[str]:
    return [
        f"{module} imports {name}, which is not in a layer below its own"
        for module, names in graph.items()
        for name in sorted(names)
        if not inside(name, EVERYWHERE) and not may_import(layer_of(name), layer_of(module))
    ]


def circles(graph: Graph) -> list[str]:
    """Name the modules that import each other in a circle, with imports inside of functions counted too."""
    reached = {module: reachable(module, graph) for module in graph}
    return [
        f"{module} and {name} import each other in a circle"
        for module in graph
        for name in sorted(graph[module])
        if name > module and module in reached[name]
    ] + [f"{module} imports itself" for module in graph if module in graph[module]]


def place_problems(files: dict[str, Path]) -> list[str]:
    found = []
    for module, path in files.items():
        for library, places in PLACES.items():
            if any(inside(name, (library,)) for name in imports(path)) and not inside(module, places):
                found.append(f"{module} imports {library}, which belongs in {', '.join(places) or 'no module'}")
    return found


def independence_problems(graph: Graph) -> list[str]:
    independent = [module for module in graph if inside(module, INDEPENDENT)]
    return [
        f"{module} reaches {name}"
        for module in independent
        for name in sorted(reachable(module, graph))
        if inside(name, FORBIDDEN)
    ]


def eager_problems(files: dict[str, Path]) -> list[str]:
    eager = {module: imports(path, top_level_only=True) for module, path in files.items()}
    graph = {module: {name for name in names if name in files} for module, names in eager.items()}
    return [
        f"import kilt imports {name} through {module}"
        for module in sorted(reachable("kilt", graph))
        for name in LAZY
        if name in eager[module]
    ]


def problems() -> list[str]:
    files = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}
    graph = {module: {name for name in imports(path) if name in files} for module, path in files.items()}
    checks = (layer_problems(graph), circles(graph), independence_problems(graph))
    return [*place_problems(files), *eager_problems(files), *(problem for found in checks for problem in found)]


if __name__ == "__main__":
    wrong = problems()
    print("\n".join(wrong) or "imports are in their places")
    sys.exit(bool(wrong))

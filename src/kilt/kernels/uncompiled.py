"""Kernels as plain Python: what Cython would resolve while it compiles is imported instead.

``from cython.cimports.kilt.kernels.x import y`` names a compiled function or class of another kernel. Uncompiled, it is
the same as ``from kilt.kernels.x import y``.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import cython  # noqa: F401 - it makes cython.cimports

CIMPORTS = "cython.cimports"

warnings.warn_explicit(
    "the kernels are not compiled, so that this runs some 200 times slower; install a C compiler and Python's headers, "
    "then install kilt again (pip install --force-reinstall --no-cache-dir)",
    UserWarning,
    filename="kilt",
    lineno=0,
)


class KernelFinder(MetaPathFinder, Loader):
    """Finds modules of kilt behind the name that Cython has for them."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module of kilt is imported; None for any other."""
        is_ours = f"{name}.".startswith(f"{CIMPORTS}.kilt.")
        return ModuleSpec(name, self, is_package=True) if is_ours else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import the module itself."""
        return importlib.import_module(spec.name.removeprefix(f"{CIMPORTS}."))

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: it is imported already."""


sys.modules[CIMPORTS].__spec__ = ModuleSpec(CIMPORTS, None, is_package=True)
sys.meta_path.insert(0, KernelFinder())

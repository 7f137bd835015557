"""The build backend: that of setuptools, which asks for a C compiler from PyPI where the machine has none.

It does not offer the metadata before the build: whether Cython is needed at run time is known only when the kernels are
compiled, or cannot be.
"""

from __future__ import annotations

from typing import Any

from setuptools import build_meta
from setuptools.build_meta import build_editable, build_sdist, build_wheel, get_requires_for_build_sdist

from kernels import has_compiler, mode

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Return what a build needs beside what pyproject.toml names."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Return what a build needs beside what pyproject.toml names."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *_compiler()]


def _compiler() -> list[str]:
    return [] if has_compiler() or mode() == "none" else ["ziglang"]

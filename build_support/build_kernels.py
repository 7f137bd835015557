from __future__ import annotations
import os
from pathlib import Path
from setuptools import Extension
from setuptools.command.build_ext import build_ext as BuildKernels
SOURCE = Path("src")
UTILITY = "kilt.kernels.cython_utility"
DIRECTIVES = {"language_level": 3, "boundscheck": False, "wraparound": False, "initializedcheck": False, "cdivision": False,
 "infer_types": True, "legacy_implicit_noexcept": True, "binding": False}

def extensions():
    from Cython.Build import cythonize
    from Cython.Compiler import Errors
    Errors.LEVEL = 3
    only = os.environ.get("KILT_ONLY")
    files = sorted(path for path in (SOURCE / "kilt" / "kernels").rglob("*.py") if "import cython\n" in path.read_text() and path.stem != "uncompiled")
    kw = dict(define_macros=[("Py_LIMITED_API", "0x030b0000")], py_limited_api=True, extra_compile_args=["-O3", "-g0"], extra_link_args=["-Wl,-s"])
    utility = Extension(UTILITY, ["src/" + UTILITY.replace(".", "/") + ".c"], **kw)
    found = [utility] + [Extension(".".join(path.relative_to(SOURCE).with_suffix("").parts), [str(path)], **kw) for path in files]
    return cythonize(found, compiler_directives=DIRECTIVES, build_dir="build/cython", shared_utility_qualified_name=UTILITY, annotate=True)

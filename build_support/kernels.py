"""How the kernels are compiled: by Cython to C, and by a C compiler to extension modules of the stable ABI.

The environment variable ``KILT_KERNELS`` says how: ``compiled`` (and the build fails if they cannot be), ``checked``
(with all checks of indices, for tests), ``sanitized`` (with AddressSanitizer), ``none`` (they run as plain Python).
Without it they are compiled if that is possible.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, ExecError, PlatformError

SOURCE = Path("src")
KERNELS = SOURCE / "kilt" / "kernels"
UTILITY = "kilt.kernels.cython_utility"  # code that all kernels share, compiled once
NOT_COMPILED = ("__init__.py", "uncompiled.py")
MODES = ("", "compiled", "checked", "sanitized", "none")
CORES = os.cpu_count() or 1
ON_WINDOWS = sys.platform == "win32"

DIRECTIVES = {
    "language_level": 3,
    "infer_types": True,
    "binding": False,
    "auto_pickle": False,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "legacy_implicit_noexcept": True,  # kernels raise nothing, so that nobody must look for errors after every call
}
CHECKS = {"boundscheck": True, "initializedcheck": True, "legacy_implicit_noexcept": False}
SAME_FLOATS = ["-ffp-contract=off"]  # the same results on every machine
SANITIZER = ["-fsanitize=address", "-fno-omit-frame-pointer", "-g"]


def mode() -> str:
    """Return how the kernels are to be compiled."""
    chosen = os.environ.get("KILT_KERNELS", "")
    if chosen not in MODES:
        raise SystemExit(f"'KILT_KERNELS' must be one of {', '.join(MODES[1:])}, not '{chosen}'")
    return chosen


def extensions() -> list[Extension]:
    """Return the extension modules, one for each kernel."""
    paths = sorted(path for path in KERNELS.rglob("*.py") if path.name not in NOT_COMPILED)
    names = [".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in paths]
    utility = (UTILITY, (SOURCE / UTILITY.replace(".", "/")).with_suffix(".c"))
    return [_extension(name, path) for name, path in [utility, *zip(names, paths, strict=True)]]


def _extension(name: str, path: Path) -> Extension:
    options = [] if ON_WINDOWS else [*SAME_FLOATS, "-O3", "-g0", "-Wno-unused"]
    stripped = ["-Wl,-s"] if sys.platform == "linux" else []
    if mode() == "sanitized":
        options, stripped = [*SAME_FLOATS, "-O1", *SANITIZER], SANITIZER
    return Extension(
        name,
        [path.as_posix()],
        define_macros=[("Py_LIMITED_API", "0x030b0000")],
        py_limited_api=True,
        extra_compile_args=options,
        extra_link_args=stripped,
    )


def has_compiler() -> bool:
    """Say whether this machine has a C compiler: the one that is named in CC, or Python's own."""
    if ON_WINDOWS:
        return True  # setuptools knows where to look for it
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    words = shlex.split(command)
    return bool(words) and shutil.which(words[0]) is not None


def use_ziglang() -> None:
    """Compile by the C compiler of the package ziglang, which the build asks for where there is none."""
    command = f"{shlex.quote(sys.executable)} -m ziglang cc -mcpu=baseline"  # not only for this machine
    os.environ.update(CC=command, LDSHARED=f"{command} -shared", CFLAGS=os.environ.get("CFLAGS", "") + " -fwrapv")


class BuildKernels(build_ext):
    """Compiles the kernels on all cores; where that cannot be done, kilt is installed uncompiled."""

    def finalize_options(self) -> None:
        """Use all cores."""
        super().finalize_options()
        self.parallel = self.parallel or CORES

    def run(self) -> None:
        """Compile all kernels, or none of them: compiled and uncompiled ones do not go together."""
        if mode() == "none":
            self._leave_uncompiled()
            return
        if not has_compiler():
            use_ziglang()
        translate(self.extensions, force=bool(self.force))
        try:
            super().run()
        except (CCompilerError, ExecError, PlatformError, OSError) as error:
            if mode():
                raise SystemExit("the kernels of kilt cannot be compiled: the compiler says above why") from error
            print("kilt is installed uncompiled: the compiler says above why", file=sys.stderr)
            self._leave_uncompiled()
        else:
            self._leave_sources_out()

    def _leave_sources_out(self) -> None:
        """Remove the sources of what is compiled from what is installed; an editable installation keeps its own."""
        for extension in self.extensions:
            Path(self.build_lib, *extension.name.split(".")).with_suffix(".py").unlink(missing_ok=True)

    def _leave_uncompiled(self) -> None:
        """Remove what is compiled, and ask for Cython, which uncompiled kernels import."""
        built = Path(self.build_lib, *KERNELS.relative_to(SOURCE).parts)
        for folder in [built, KERNELS] if self.inplace or self.editable_mode else [built]:
            for path in (*folder.rglob("*.so"), *folder.rglob("*.pyd")):
                path.unlink()
        self.extensions = []
        self.distribution.install_requires.append("cython>=3.1")


def translate(extensions: list[Extension], *, force: bool) -> None:
    """Translate the kernels to C, and let the extensions be made of that."""
    from Cython.Build import cythonize
    from Cython.Compiler import Errors

    Errors.LEVEL = 3  # no warning that kernels raise nothing
    made = cythonize(
        extensions,
        compiler_directives={**DIRECTIVES, **(CHECKS if mode() == "checked" else {})},
        build_dir=f"build/cython/{mode() or 'compiled'}",
        shared_utility_qualified_name=UTILITY,
        nthreads=0 if ON_WINDOWS else CORES,
        force=force,
        quiet=True,
    )
    sources = {extension.name: extension.sources for extension in made}
    for extension in extensions:
        extension.sources = sources[extension.name]

"""What pyproject.toml cannot say: how the kernels are compiled.

After a change of one, run ``python setup.py build_ext --inplace``.
"""

import sys
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).parent / "build_support"))
from kernels import BuildKernels, extensions

setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildKernels},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)

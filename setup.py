"""Build kilt: what is not in pyproject.toml, the compilation of the kernels."""

from build_kernels import BuildKernels, extensions
from setuptools import setup

setup(ext_modules=extensions(), cmdclass={"build_ext": BuildKernels})

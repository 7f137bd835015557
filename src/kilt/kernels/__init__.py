"""Hot loops on integer arrays, compiled ahead of time by Cython; the only folder that imports it.

The files are ordinary Python (Cython's pure Python mode) and also run as they are, only far slower. A ``.pxd`` file
declares what other kernels use of a module.
"""

from importlib.util import find_spec

IS_COMPILED = find_spec("kilt.kernels.cython_utility") is not None

if not IS_COMPILED:
    import kilt.kernels.uncompiled  # noqa: F401 - importing it is what it is for

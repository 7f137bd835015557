"""Hot loops on integer arrays, compiled by numba; the only place that imports it."""

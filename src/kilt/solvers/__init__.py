"""The solvers: one algorithm, one module, one interface; `registry` knows them all, and `solve` runs them."""

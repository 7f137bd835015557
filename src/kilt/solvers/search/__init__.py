"""Search: annealing over open patterns with a bound beside it, for large tables; `solver` is where to begin."""

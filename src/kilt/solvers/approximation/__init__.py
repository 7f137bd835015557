"""Solvers with a guarantee: at most so many times the optimum."""

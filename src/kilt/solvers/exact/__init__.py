"""Solvers that find the optimum of small and medium tables."""

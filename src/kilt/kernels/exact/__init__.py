"""Compiled loops of the exact solvers."""

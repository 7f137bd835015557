"""Tuple minimization (TP and TP+) for l-diversity."""

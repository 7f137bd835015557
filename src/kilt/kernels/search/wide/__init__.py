"""Compiled loops of the search in wide tables."""

"""Compiled loops of the search."""

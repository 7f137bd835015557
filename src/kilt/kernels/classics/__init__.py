"""Compiled loops of the classics."""

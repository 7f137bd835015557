"""Compiled loops for closed patterns."""

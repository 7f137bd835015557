"""Compiled loops that decide whether a group is legal."""

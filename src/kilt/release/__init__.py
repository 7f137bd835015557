"""The released table, and how it is written."""

"""The table that may leave the house, and how it is written."""

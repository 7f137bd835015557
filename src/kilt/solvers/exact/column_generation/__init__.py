"""Column generation, and a choice among the groups that its multipliers leave possible."""

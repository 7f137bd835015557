"""Column generation: multipliers, and a selection among the groups that these cannot rule out."""

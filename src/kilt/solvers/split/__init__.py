"""Split: the table in parts, each searched on its own, and one bound for the whole."""

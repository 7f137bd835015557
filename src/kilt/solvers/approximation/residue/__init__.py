"""A smallest residue: m times the optimum under any policy."""

"""The reductions of the paper, with maps of solutions both ways."""

"""The reductions of the paper, and one from set cover, with maps of solutions both ways."""

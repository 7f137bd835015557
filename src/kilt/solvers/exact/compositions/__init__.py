"""Branch and price over compositions, for closeness with equal distances: the optimum of cells of a hundred rows."""

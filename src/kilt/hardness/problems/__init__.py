"""The NP-hard problems that tables are made from."""

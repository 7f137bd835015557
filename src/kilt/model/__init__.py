"""The definitions, as in section 2 of the paper: policies, spaces, ladders, row types, patterns, partitions."""

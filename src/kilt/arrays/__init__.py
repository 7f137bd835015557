"""Integer arrays: rows that share a key, ragged lists, sets of bits."""

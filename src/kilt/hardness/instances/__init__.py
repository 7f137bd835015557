"""Hard tables: made, drawn, written and read."""

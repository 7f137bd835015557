"""What a table is before any policy: its columns, how they single rows out, and what could be done with them."""

"""Tables that a database holds: one source in SQL, and what an engine adds to it."""

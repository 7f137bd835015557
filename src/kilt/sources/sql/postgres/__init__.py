"""Tables of PostgreSQL, through ADBC (the extra ``sql``)."""

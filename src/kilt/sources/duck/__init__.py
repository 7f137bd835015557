"""Files as a source, through DuckDB."""

"""The search where patterns are too many to list."""

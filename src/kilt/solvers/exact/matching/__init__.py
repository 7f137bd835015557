"""2-anonymity and 2-diversity by simplex matching."""

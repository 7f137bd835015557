"""SABRE: buckets of near sensitive values."""

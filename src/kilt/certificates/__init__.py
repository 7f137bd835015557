"""Certificates: a bound with its proof, as a file, and the independent check of it."""

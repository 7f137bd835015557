"""The field's classical algorithms, to compare with."""

"""Average t-closeness: what a release tells of the sensitive values."""

"""Long work, done by other processes, so that the page stays live."""

"""The independent check of a release; it imports no solver, no kernel and nothing of the bounds."""

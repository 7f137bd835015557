"""What a run of a solver shares: when it stops, how far it is, and the threads that it may use."""

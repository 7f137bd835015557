"""The proof of a bound, evaluated in integers, with nothing of what found it; `evaluate` is where to begin."""

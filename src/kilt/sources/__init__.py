"""Sources: where tables live. Each counts row types and applies the finished plan."""

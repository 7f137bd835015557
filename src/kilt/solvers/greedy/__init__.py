"""Level greedy: any table, any policy, in seconds."""

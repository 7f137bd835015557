"""Lower bounds: what no release under a policy can go below, with the prices that prove it."""

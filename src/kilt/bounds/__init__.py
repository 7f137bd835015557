"""Lower bounds: proven costs that no release under a policy can go below, with the multipliers that prove them."""

"""The steps, each a page with one decision: what it shows, and what its forms do."""

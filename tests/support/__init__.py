"""What tests share: random problems, slow twins, strategies, and where the project lies."""

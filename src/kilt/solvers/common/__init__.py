"""What several families of solvers share."""

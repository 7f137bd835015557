"""What a person sees of a release or a verdict."""

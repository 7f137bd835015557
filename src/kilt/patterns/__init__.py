"""All patterns that a method needs, listed by level vectors or by what they cover."""

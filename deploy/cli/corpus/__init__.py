"""Commands: the protected works."""

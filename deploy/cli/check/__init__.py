"""Commands: compare texts with the protected works immediately."""

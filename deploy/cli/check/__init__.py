"""Commands: texts compared with the protected works now."""

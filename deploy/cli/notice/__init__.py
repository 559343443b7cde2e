"""Commands: letters about cases."""

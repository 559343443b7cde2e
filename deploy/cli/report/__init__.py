"""Commands: reports as files."""

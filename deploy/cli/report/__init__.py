"""Commands: write reports to files."""

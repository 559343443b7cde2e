"""Commands: who is told of what."""

"""Commands: what was found of one work on one site."""

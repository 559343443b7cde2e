"""Commands: the methods tried on texts: two texts, near-duplicates, measurements."""

"""Commands: sealed packages and the log of evidence."""

"""Commands: the daily job by hand, and waiting for it."""

"""Commands: run the daily job by hand, and wait for it."""

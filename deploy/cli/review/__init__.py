"""Commands: analysts' decisions on matches, and the thresholds of verdicts."""

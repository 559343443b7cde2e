"""Analysts' decisions on matches, and evaluation of other thresholds on them."""

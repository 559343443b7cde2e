"""A corpus compared with itself: near-duplicates, word frequencies, letter frequencies."""

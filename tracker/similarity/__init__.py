"""A corpus against itself: near-duplicates, words and their frequencies, the reference of its letters."""

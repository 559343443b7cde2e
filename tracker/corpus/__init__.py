"""The mother corpus: reading files, splitting works into passages, storing them."""

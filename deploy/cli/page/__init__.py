"""Commands: what is stored of an address, and what extraction sees."""

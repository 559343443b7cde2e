"""What becomes of an address: its page read and joined, what changed, its evidence, and storing all that."""

"""The index of the mother corpus: its parameters, adding works, rebuilding, and proof of completeness."""

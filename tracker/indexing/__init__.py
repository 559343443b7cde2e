"""The index of the mother corpus: its parameters, adding works, building it anew, proof that it is whole."""

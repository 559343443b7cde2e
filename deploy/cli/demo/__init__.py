"""Commands: the whole job on sample data."""

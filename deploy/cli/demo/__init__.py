"""Commands: a demo of all steps on sample data."""

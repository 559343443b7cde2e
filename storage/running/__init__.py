"""Which processes of an installation run, as they say themselves by marks in Redis."""

"""Commands: the fingerprint index."""

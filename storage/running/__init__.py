"""The running processes of an installation; each process reports itself in Redis."""

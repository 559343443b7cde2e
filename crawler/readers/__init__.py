"""Readers: child processes that parse untrusted pages within limits of time and memory."""

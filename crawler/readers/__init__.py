"""Readers: child processes that parse what strangers wrote, within bounds of time and memory."""

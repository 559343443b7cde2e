"""Backups: write the state of a database at one moment to a file, and restore a database from such a file."""

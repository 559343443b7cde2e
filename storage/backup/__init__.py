"""Backups: a database at one moment as a file, and a database made of such a file."""

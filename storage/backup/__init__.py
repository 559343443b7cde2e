"""Backups: write a database at one moment to a file, and restore a database from it."""
